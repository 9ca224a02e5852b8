package panelbridge

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed view
var viewFiles embed.FS

// View is the panel view: one HTML document with its style and script inside,
// for hosts that show MCP Apps. It needs no network, holds no data of any
// session, and speaks the view's side of the protocol 2026-01-26. It is put
// together at the first call; any number of goroutines may call it.
func View() string { return assembledView() }

var assembledView = sync.OnceValue(func() string {
	script := moduleBundle{placed: map[string]bool{}}
	script.add("main.js")
	return strings.NewReplacer(
		"<style></style>", "<style>\n"+viewFile("style.css")+"</style>",
		`nonce="panels"></script>`, "nonce=\"panels\">\n"+script.text.String()+"</script>",
	).Replace(viewFile("index.html"))
})

func viewFile(name string) string {
	data, err := viewFiles.ReadFile(path.Join("view", name))
	if err != nil {
		panic(fmt.Sprintf("assemble the panel view: %v", err)) // embedded: only a wrong name can be missing
	}
	return string(data)
}

var (
	importLine = regexp.MustCompile(`(?m)^import \{[^}]*\} from '\./([a-z]+\.js)';\n`)
	exportWord = regexp.MustCompile(`(?m)^export `)
)

// moduleBundle makes one module of several: each file once, after those that it
// imports. The files share one scope then, so no two may declare a name.
type moduleBundle struct {
	text   strings.Builder
	placed map[string]bool
}

func (b *moduleBundle) add(name string) {
	if b.placed[name] {
		return
	}
	b.placed[name] = true
	source := viewFile(name)
	for _, line := range importLine.FindAllStringSubmatch(source, -1) {
		b.add(line[1])
	}
	source = importLine.ReplaceAllString(source, "")
	fmt.Fprintf(&b.text, "// %s\n%s\n", name, exportWord.ReplaceAllString(source, ""))
}
