package walk

import "slices"

// maxExamples is how many paths a Tally names.
const maxExamples = 3

// Tally counts paths and keeps the first of them in byte order.
type Tally struct {
	N        int
	Examples []string
}

// Add counts a path.
func (t *Tally) Add(path string) {
	t.N++
	at, _ := slices.BinarySearch(t.Examples, path)
	if at == maxExamples {
		return
	}
	t.Examples = slices.Insert(t.Examples, at, path)
	t.Examples = t.Examples[:min(len(t.Examples), maxExamples)]
}

// Join counts what o counted.
func (t *Tally) Join(o Tally) {
	n := t.N + o.N
	for _, path := range o.Examples {
		t.Add(path)
	}
	t.N = n
}
