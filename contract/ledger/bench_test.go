package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"raw/contract/ledger"
)

// BenchmarkCall records a start and a receipt, by one writer and by sixteen. The
// results are 1 KiB and, in a blob, 32 KiB.
func BenchmarkCall(b *testing.B) {
	for _, size := range []int{1 << 10, 32 << 10} {
		for _, writers := range []int{1, 16} {
			for _, how := range []struct {
				name               string
				noSync, idempotent bool
			}{
				{"synced", false, false},
				{"idempotent", false, true},
				{"unsynced", true, false},
			} {
				b.Run(fmt.Sprintf("size=%d/writers=%d/%s", size, writers, how.name), func(b *testing.B) {
					l, err := ledger.Open(ledger.Options{Folder: b.TempDir(), Session: "s", NoSync: how.noSync, Mask: []string{"a secret value"}})
					if err != nil {
						b.Fatal(err)
					}
					defer l.Close()
					start := ledger.Start{Identity: "builtin/x", Name: "x", Arguments: []byte(`{"path":"a/b.go"}`), Idempotent: how.idempotent}
					receipt := text(strings.Repeat("a line of a result, 32 bytes ...\n", size/33))
					call := func() {
						ex, err := l.Started(start)
						if err == nil {
							err = l.Settled(ex, receipt)
						}
						if err != nil {
							b.Error(err)
						}
					}
					if writers == 1 {
						for b.Loop() {
							call()
						}
						return
					}
					b.SetParallelism(writers / 2) // on two processors
					b.RunParallel(func(pb *testing.PB) {
						for pb.Next() {
							call()
						}
					})
				})
			}
		}
	}
}

func BenchmarkMask(b *testing.B) {
	state := b.TempDir()
	l, err := ledger.Open(ledger.Options{Folder: state, Session: "s", NoSync: true, Mask: []string{"one value", "another value"}})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	note := ledger.Note{Text: strings.Repeat("x", 7<<10)}
	for b.Loop() {
		if err := l.Note(note); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	state := b.TempDir()
	l, err := ledger.Open(ledger.Options{Folder: state, Session: "s", NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	for range 1000 {
		ex, err := l.Started(ledger.Start{Identity: "builtin/x", Name: "x"})
		if err == nil {
			err = l.Settled(ex, text(strings.Repeat("x", 1<<10)))
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if report, err := (ledger.Store{Folder: state}).Verify("s"); err != nil || len(report.Faults) > 0 {
			b.Fatal(report.Faults, err)
		}
	}
}
