package catalog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func all(string) bool { return true }

func TestToolbox(t *testing.T) {
	var b Toolbox
	for i := range MaxActive {
		if gone, err := b.Activate(fmt.Sprint(i), 10); gone != nil || err != nil {
			t.Errorf("Activate(%d) = %v, %v", i, gone, err)
		}
	}
	b.Use("0")
	if gone, err := b.Activate("8", 10); err != nil || !slices.Equal(gone, []string{"1"}) {
		t.Errorf("the ninth: %v, %v; want the least recently used to go", gone, err)
	}
	if diff := cmp.Diff([]string{"0", "2", "3", "4", "5", "6", "7", "8"}, b.Names(all)); diff != "" {
		t.Errorf("names, in the order of activation (-want +got):\n%s", diff)
	}
	if _, err := b.Activate("large", MaxActiveBytes+1); err == nil || len(b.Names(all)) != MaxActive {
		t.Errorf("a definition over the bound: %v, and %d are left", err, len(b.Names(all)))
	}
	if gone, err := b.Activate("full", MaxActiveBytes); err != nil || len(gone) != MaxActive || !b.Has("full") {
		t.Errorf("a definition at the bound: %v, %v; want the others to go", gone, err)
	}
	b.Use("nobody")
	b.ActivateBeside("recall")
	if diff := cmp.Diff([]string{"full", "recall"}, b.Names(all)); diff != "" || !b.Has("recall") {
		t.Errorf("beside a full box (-want +got):\n%s", diff)
	}
	if gone, err := b.Activate("more", 1); err != nil || !slices.Equal(gone, []string{"full"}) {
		t.Errorf("Activate beside recall: %v, %v; want only what counts to go", gone, err)
	}
	b.Clear()
	if b.Has("full") || len(b.Names(all)) != 0 {
		t.Error("something is left after Clear")
	}
}

// TestToolboxModel compares random sequences with a list in order of use.
func TestToolboxModel(t *testing.T) {
	type entry struct {
		name  string
		bytes int
	}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 0))
		var b Toolbox
		var used []entry // the most recent last
		var order []string
		for range 60 {
			name := fmt.Sprint(r.IntN(14))
			at := slices.IndexFunc(used, func(e entry) bool { return e.name == name })
			switch r.IntN(4) {
			case 0:
				b.Use(name)
				if at >= 0 {
					e := used[at]
					used = append(slices.Delete(used, at, at+1), e)
				}
			case 1:
				denied := fmt.Sprint(r.IntN(14))
				stays := func(n string) bool { return n != denied }
				b.Names(stays)
				used = slices.DeleteFunc(used, func(e entry) bool { return e.name == denied })
				order = slices.DeleteFunc(order, func(n string) bool { return n == denied })
			default:
				bytes := r.IntN(5000)
				gone, err := b.Activate(name, bytes)
				if err != nil {
					t.Fatal(err)
				}
				if at >= 0 {
					used = slices.Delete(used, at, at+1)
				} else {
					order = append(order, name)
				}
				used = append(used, entry{name, bytes})
				var want []string
				for {
					total := 0
					for _, e := range used {
						total += e.bytes
					}
					if total <= MaxActiveBytes && len(used) <= MaxActive {
						break
					}
					want = append(want, used[0].name)
					order = slices.DeleteFunc(order, func(n string) bool { return n == used[0].name })
					used = used[1:]
				}
				if !slices.Equal(gone, want) {
					t.Fatalf("seed %d: Activate(%s, %d) lets %v go, want %v", seed, name, bytes, gone, want)
				}
			}
			if got := b.Names(all); !slices.Equal(got, order) {
				t.Fatalf("seed %d: names %v, want %v", seed, got, order)
			}
		}
	}
}
