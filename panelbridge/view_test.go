package panelbridge

import (
	"path"
	"regexp"
	"strings"
	"testing"
)

const maxViewBytes = 150 << 10

func TestViewIsSelfContained(t *testing.T) {
	view := View()
	if len(view) > maxViewBytes {
		t.Errorf("the view has %d bytes, want at most %d", len(view), maxViewBytes)
	}
	namespaces := strings.NewReplacer("http://www.w3.org/2000/svg", "", "http://www.w3.org/1999/xlink", "")
	for _, unwanted := range []string{"http://", "https://", "<link", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
		if at := strings.Index(namespaces.Replace(view), unwanted); at >= 0 {
			t.Errorf("the view has %q at %d", unwanted, at)
		}
	}
	if tag := regexp.MustCompile(`<[a-z]+[^>]*\s(src|href|on[a-z]+)=`).FindString(view); tag != "" {
		t.Errorf("the view refers to something or acts by attribute: %s", tag)
	}
	if line := regexp.MustCompile(`(?m)^(import|export)\b.*`).FindString(view); line != "" {
		t.Errorf("the view's script still has the line %q", line)
	}
}

// Two files that declare the same name work apart, and break the whole.
func TestViewDeclaresNamesOnce(t *testing.T) {
	declaration := regexp.MustCompile(`(?m)^(?:async )?(?:const|let|class|function) (\w+).*`)
	declared := map[string]string{}
	for _, match := range declaration.FindAllStringSubmatch(View(), -1) {
		line, name := match[0], match[1]
		if before, ok := declared[name]; ok {
			t.Errorf("%q and %q declare the same name", before, line)
		}
		declared[name] = line
	}
	if len(declared) < 50 {
		t.Errorf("found %d declarations, want all of the view's", len(declared))
	}
}

func TestViewHasEveryFile(t *testing.T) {
	files, err := viewFiles.ReadDir("view")
	if err != nil {
		t.Fatal(err)
	}
	view := View()
	for _, file := range files {
		if path.Ext(file.Name()) == ".js" && strings.Count(view, "\n// "+file.Name()+"\n") != 1 {
			t.Errorf("the view does not have %s once", file.Name())
		}
	}
}
