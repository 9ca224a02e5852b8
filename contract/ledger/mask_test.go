package ledger_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"raw/contract/ledger"
)

func TestMask(t *testing.T) {
	const m = ledger.Mask
	values := []string{"", "hunter2", "hunter2-long", "ab\"c\\d", "line 1\nline 2", "überraschung", "aXa"}
	for _, tc := range []struct{ in, want string }{
		{"nothing to hide", "nothing to hide"},
		{"hunter2", m},
		{"xhunter2yhunter2", "x" + m + "y" + m},
		{"hunter2-long", m},
		{"aXaXa", m}, // both occurrences, which overlap
		{`say "ab"c\d"`, `say "` + m + `"`},
		{"key: line 1\nline 2\nend", "key: " + m + "\n\nend"},
		{"eine Überraschung, überraschung", "eine Überraschung, " + m},
		{"Authorization: Basic abc\nAccept: x", "Authorization: " + m + "\nAccept: x"},
		{"AUTHORIZATION :\tDigest a=\"b\"", "AUTHORIZATION :\t" + m + "\"b\""},
		{"proxy-authorization:x y\r\n", "proxy-authorization:" + m + "\r\n"},
		{`curl -H "X-Api-Key: s3" -d 'a: b'`, `curl -H "X-Api-Key: ` + m + `" -d 'a: b'`},
		{`{"x-goog-api-key": "s3", "n": 1}`, `{"x-goog-api-key": "` + m + `", "n": 1}`},
		{`{\"authorization\":\"s3\"}`, `{\"authorization\":\"` + m + `"}`},
		{"< set-cookie: id=s3; Secure", "< set-cookie: " + m},
		{"use Bearer abc.DEF-1/2+3~_= now", "use Bearer " + m + " now"},
		{"bearer   tok", "bearer   " + m},
		{"the bearer: nobody", "the bearer: nobody"},
		{"forbearer", "forbearer"},
		{"authorization is needed", "authorization is needed"},
		{"Authorization:", "Authorization:"},
	} {
		state := t.TempDir()
		l := openWith(t, ledger.Options{Folder: state, Session: "s", Mask: values})
		ex := run(t, l, text(tc.in))
		got, err := ledger.Store{Folder: state}.Recall(ledger.Recall{Session: "s", Ask: ledger.Ask{ID: ex}})
		want := tc.want
		if err != nil || got != want {
			t.Errorf("%q is recorded as %q, %v, want %q", tc.in, got, err, want)
		}
	}
}

// A secret may come in by any door: none leaves it in a file.
func TestMaskEverywhere(t *testing.T) {
	state := t.TempDir()
	const secret = "s3cr3t\u00fc\"value"
	quoted, err := json.Marshal(secret)
	must(t, err)
	raw := json.RawMessage(`{"a":[{` + string(quoted) + `:1},` + string(quoted) + `,"s3cr3t\u00FC\u0022value"],"headers":{"Authorization":"tok-1","X-API-KEY":["tok-2","tok-3"],"n":"tail"},"free":"kept","list":[{"Cookie":"tok-4"},"kept too"]}`)
	l := openWith(t, ledger.Options{Folder: state, Session: "s", Mask: []string{secret}})
	call := ledger.Start{Identity: "builtin/x", Name: secret, Call: secret, Arguments: raw, Effects: raw}
	ex, err := l.Started(call)
	must(t, err)
	must(t, l.Settled(ex, ledger.Receipt{Content: []ledger.Block{{Type: "text", Text: secret + strings.Repeat("z", 20_000)}, {Type: "json", JSON: raw}}, Meta: raw, Panels: []ledger.Panel{{Receipt: raw, State: raw}}}))
	for _, e := range []ledger.Event{
		ledger.Refusal{Start: call, Text: secret},
		ledger.Hook{Message: secret},
		ledger.Approval{Reasons: []string{secret}},
		ledger.Interaction{Question: raw, Reply: raw},
		ledger.Job{Command: secret},
		ledger.Child{Text: secret},
		ledger.Note{Text: secret},
	} {
		must(t, l.Note(e))
	}
	kept := 0
	must(t, filepath.WalkDir(state, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		for _, s := range []string{"s3cr3t", "tok-"} {
			if strings.Contains(string(data), s) {
				t.Errorf("%s holds %s", filepath.Base(path), s)
			}
		}
		kept += strings.Count(string(data), `"tail"},"free":"kept","list":[{"Cookie":"[masked]"},"kept too"]`)
		return err
	}))
	if kept != 10 {
		t.Errorf("%d of 10 values beside the secrets were kept", kept)
	}
	if _, faults := read(t, state, "s"); len(faults) > 0 {
		t.Errorf("masked records have faults: %v", faults)
	}
}
