package panel

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"raw/contract/value"
)

// world is a session as simple as can be: maps that are copied whole. A document
// is a set of keys; it knows the rules of calls, revisions, limits and room, and
// nothing of documents, patches or locks.
type world struct {
	clock     int
	committed map[string]*sheet
	live      map[string]liveSheet
	views     []*sheet
}

type sheet struct {
	id       string
	revision int
	closed   bool
	keys     map[string]bool // nil is no document
	at       int             // of its last update
}

type liveSheet struct {
	of *visit
	*sheet
}

// visit is a call.
type visit struct {
	owner    Owner
	pages    map[string]*page
	order    []string
	rejected []string
	settled  bool
}

type page struct {
	base, now *sheet
	done      []stroke
}

// stroke is an update: what it does with keys.
type stroke struct {
	panel string
	op    string // replace, add, drop, close
	keys  []string
	base  int
}

func (s *sheet) copied() *sheet {
	next := *s
	next.keys = maps.Clone(s.keys)
	return &next
}

func (s *sheet) glance() string {
	keys := slices.Sorted(maps.Keys(s.keys))
	return fmt.Sprint(s.id, " ", s.revision, " ", s.closed, " ", strings.Join(keys, "+"))
}

// draw makes a stroke, or says why not.
func (s *sheet) draw(k stroke) Code {
	if s.keys == nil && k.op != "replace" {
		return CodeUnknown
	}
	keys, closed := maps.Clone(s.keys), s.closed
	switch k.op {
	case "replace":
		keys, closed = map[string]bool{}, false
		for _, key := range k.keys {
			keys[key] = true
		}
	case "add":
		for _, key := range k.keys {
			keys[key] = true
		}
	case "drop":
		for _, key := range k.keys {
			if !keys[key] {
				return CodeInvalid
			}
			delete(keys, key)
		}
	case "close":
		closed = true
	}
	if k.base != 0 && k.base != s.revision {
		return CodeRevisionConflict
	}
	s.keys, s.closed = keys, closed
	s.revision++
	return ""
}

// target is the id that a call means, and whether it is shown in the chat.
func (v *visit) target(panel string) (id string, chat bool, why Code) {
	name := panel
	if owner, rest, full := strings.Cut(panel, "#"); full {
		if owner != v.owner.Identity {
			return "", false, CodeNotOwned
		}
		name = rest
	}
	id = v.owner.Identity + "#" + name
	for _, d := range v.owner.Declared {
		if d.ID == name {
			return id, d.Placement == PlacementChat, ""
		}
	}
	if !v.owner.Implicit {
		return "", false, CodeUndeclared
	}
	return id, false, ""
}

// makesRoom are the panels that go for those ids, the first to go in front.
func (w *world) makesRoom(ids map[string]bool) (gone []string, ok bool) {
	all := maps.Clone(ids)
	for id := range w.committed {
		all[id] = true
	}
	for len(all) > 16 {
		oldest := ""
		for id, s := range w.committed {
			if all[id] && !ids[id] && s.closed && (oldest == "" || s.at < w.committed[oldest].at) {
				oldest = id
			}
		}
		if oldest == "" {
			return nil, false
		}
		gone = append(gone, oldest)
		delete(all, oldest)
	}
	return gone, true
}

func (v *visit) sidebar() map[string]bool {
	ids := map[string]bool{}
	for _, id := range v.order {
		if !strings.Contains(id, "@") {
			ids[id] = true
		}
	}
	return ids
}

func (w *world) update(v *visit, k stroke, instance func(id string) string) (revision int, why Code) {
	if v.settled {
		return 0, CodeClosedContext
	}
	refuse := func(why Code) (int, Code) {
		v.reject(k.panel, why)
		return 0, why
	}
	id, chat, why := v.target(k.panel)
	if why != "" {
		return refuse(why)
	}
	if chat {
		id += "@" + instance(id)
	}
	p := v.pages[id]
	if p == nil {
		base := w.committed[id]
		if base == nil {
			base = &sheet{id: id}
		}
		p = &page{base: base.copied(), now: base.copied()}
	}
	next := p.now.copied()
	if why := next.draw(k); why != "" {
		return refuse(why)
	}
	if p.now.keys == nil && !chat {
		ids := v.sidebar()
		ids[id] = true
		if _, ok := w.makesRoom(ids); !ok {
			return refuse(CodeLimit)
		}
	}
	w.clock++
	next.at = w.clock
	p.now, p.done = next, append(p.done, k)
	if len(p.done) == 1 {
		v.pages[id] = p
		v.order = append(v.order, id)
	}
	w.live[id] = liveSheet{v, next}
	return next.revision, ""
}

// reject keeps the first five, then the first of each panel.
func (v *visit) reject(panel string, why Code) {
	known := slices.ContainsFunc(v.rejected, func(r string) bool { return strings.HasPrefix(r, panel+" ") })
	if len(v.rejected) < 5 || !known {
		v.rejected = append(v.rejected, panel+" "+string(why))
	}
}

func (w *world) settle(v *visit) (committed []string) {
	if v.settled {
		return nil
	}
	v.settled = true
	results := map[string]*sheet{}
	why := Code("")
	for _, id := range v.order {
		p := v.pages[id]
		now := w.committed[id]
		if now == nil {
			now = &sheet{id: id}
		}
		if strings.Contains(id, "@") || now.glance() == p.base.glance() {
			results[id] = p.now.copied()
			continue
		}
		now = now.copied()
		for _, k := range p.done {
			if k.base != 0 || now.draw(k) != "" {
				why = CodeRevisionConflict
			}
		}
		now.at = p.now.at
		results[id] = now
	}
	gone, ok := w.makesRoom(v.sidebar())
	if why == "" && !ok {
		why = CodeLimit
	}
	if why != "" {
		var discarded []string
		for _, id := range v.order {
			_, panel, _ := strings.Cut(id, "#")
			panel, _, _ = strings.Cut(panel, "@")
			discarded = append(discarded, panel+" "+string(why))
			if w.live[id].of == v {
				delete(w.live, id)
			}
		}
		v.rejected = append(discarded, v.rejected...)
		return nil
	}
	for _, id := range gone {
		delete(w.committed, id)
	}
	for _, id := range v.order {
		delete(w.live, id)
		if s := results[id]; strings.Contains(id, "@") {
			w.views = append(w.views, s)
			w.views = w.views[max(0, len(w.views)-64):]
		} else {
			w.committed[id] = s
		}
		committed = append(committed, results[id].glance())
	}
	return committed
}

// shown are the panels as surfaces show them.
func (w *world) shown() []string {
	all := map[string]*sheet{}
	maps.Copy(all, w.committed)
	for _, s := range w.views {
		all[s.id] = s
	}
	for id, s := range w.live {
		all[id] = s.sheet
	}
	var list []string
	for _, s := range all {
		list = append(list, s.glance())
	}
	sort.Strings(list)
	return list
}

// update is a stroke as a tool sends it.
func (k stroke) update() value.Value {
	var u value.Value
	entries := []any{}
	for _, key := range k.keys {
		entries = append(entries, object{"key": key, "value": ""})
	}
	switch k.op {
	case "replace":
		u = updateTree(k.panel, "replace", object{"document": object{"blocks": []any{object{"id": "b", "kind": "key_value", "entries": entries}}}})
	case "add":
		u = updateTree(k.panel, "patch", object{"patches": []any{object{"op": "upsert_items", "block": "b", "items": entries}}})
	case "drop":
		u = updateTree(k.panel, "patch", object{"patches": []any{object{"op": "remove_items", "block": "b", "keys": anyOf(k.keys)}}})
	default:
		u = closes(k.panel)
	}
	if k.base != 0 {
		u = basedOn(k.base, u)
	}
	return u
}

// sheetOf is what a state says in the model's words.
func sheetOf(s State) *sheet {
	got := &sheet{id: s.key(), revision: s.Revision, closed: s.Closed}
	if !s.Document.IsZero() {
		got.keys = map[string]bool{}
		b, _ := s.Document.Block("b")
		for i := range b.Field("entries").Len() {
			key, _ := b.Field("entries").At(i).Field("key").Str()
			got.keys[key] = true
		}
	}
	return got
}

func sheetsOf(states []State) []string {
	var list []string
	for _, s := range states {
		list = append(list, sheetOf(s).glance())
	}
	return list
}

// watcher keeps what it learns from Since.
type watcher struct {
	cursor uint64
	known  map[string]string
}

func (w *watcher) look(h *Host) []string {
	changed, removed, next := h.Since(w.cursor)
	for _, key := range removed {
		delete(w.known, key)
	}
	for _, s := range changed {
		w.known[s.key()] = sheetOf(s).glance()
	}
	w.cursor = next
	return slices.Sorted(maps.Values(w.known))
}

// TestHostAgainstModel has calls of several owners, one over the other, change
// panels at random. The model says the same of each revision and error, of what
// each call sees, of what settles, and of what surfaces see, also of one that
// only looks now and then.
func TestHostAgainstModel(t *testing.T) {
	met := map[string]int{}
	for seed := range uint64(80) {
		r := rand.New(rand.NewPCG(seed, 31))
		mixed := owns("local/a", "p", "q", "r", "s")
		mixed.Declared[3].Placement = PlacementChat
		owners := []Owner{mixed, owns("local/b", "p", "q", "r"), {Identity: "mcp/s/t", Implicit: true}, {Identity: "acp/u", Implicit: true}, inChat(owns("local/c", "v"))}
		h := NewHost(Options{Now: ticking()})
		w := &world{committed: map[string]*sheet{}, live: map[string]liveSheet{}}
		frequent, rare := &watcher{known: map[string]string{}}, &watcher{known: map[string]string{}}
		type pair struct {
			c *Call
			v *visit
		}
		var pairs []pair
		keys := []string{"k1", "k2", "k3", "k4"}
		for step := range 250 {
			if len(pairs) == 0 || len(pairs) < 6 && r.IntN(8) == 0 {
				o := owners[r.IntN(len(owners))]
				pairs = append(pairs, pair{h.Begin(o, ""), &visit{owner: o, pages: map[string]*page{}}})
			}
			at := r.IntN(len(pairs))
			c, v := pairs[at].c, pairs[at].v
			instance := func(id string) string {
				_, panel, _ := strings.Cut(id, "#")
				s, _ := c.Get(panel)
				return s.View.InstanceID
			}
			if r.IntN(10) == 0 {
				s, again := c.Settle(), v.settled
				want := w.settle(v)
				if got := sheetsOf(s.Committed); !slices.Equal(got, want) {
					t.Fatalf("seed %d, step %d: committed %v, want %v", seed, step, got, want)
				}
				if got := codesOf(s); !again && got != strings.Join(v.rejected, ", ") || again && got != "" {
					t.Fatalf("seed %d, step %d: rejected %s, want %v", seed, step, got, v.rejected)
				}
				met["settled"]++
				if !again && len(want) == 0 && len(v.order) > 0 {
					_, code, _ := strings.Cut(v.rejected[0], " ")
					met["settled "+code]++
				}
				if again || r.IntN(3) > 0 {
					pairs = slices.Delete(pairs, at, at+1)
				}
			} else {
				k := stroke{op: []string{"replace", "replace", "replace", "add", "add", "drop", "close"}[r.IntN(7)]}
				for _, i := range r.Perm(len(keys))[:1+r.IntN(2)] {
					k.keys = append(k.keys, keys[i])
				}
				if r.IntN(6) == 0 {
					k.base = 1 + r.IntN(4)
				}
				switch n := r.IntN(12); {
				case len(v.owner.Declared) > 0 && n > 0:
					k.panel = v.owner.Declared[r.IntN(len(v.owner.Declared))].ID
				default:
					k.panel = fmt.Sprint("x", r.IntN(20))
				}
				switch r.IntN(12) {
				case 0, 1, 2:
					k.panel = v.owner.Identity + "#" + k.panel
				case 3:
					k.panel = "local/b#" + k.panel
				}
				n, err := c.Update(k.update())
				wantN, why := w.update(v, k, instance)
				got := Code("")
				if err != nil {
					got = err.Code
				}
				met["update "+string(why)]++
				if n != wantN || got != why {
					t.Fatalf("seed %d, step %d: %+v of %s: revision %d, %v, want %d, %s", seed, step, k, v.owner.Identity, n, err, wantN, why)
				}
			}
			for _, p := range pairs {
				for id, pg := range p.v.pages {
					_, panel, _ := strings.Cut(id, "#")
					panel, _, _ = strings.Cut(panel, "@")
					s, _ := p.c.Get(panel)
					if got := sheetOf(s).glance(); !p.v.settled && got != pg.now.glance() {
						t.Fatalf("seed %d, step %d: a call sees %s, want %s", seed, step, got, pg.now.glance())
					}
				}
			}
			shown := w.shown()
			got := append(sheetsOf(h.States()), sheetsOf(h.Views())...)
			sort.Strings(got)
			if !slices.Equal(got, shown) {
				t.Fatalf("seed %d, step %d: shown are\n%s\nwant\n%s", seed, step, strings.Join(got, "\n"), strings.Join(shown, "\n"))
			}
			if got := frequent.look(h); !slices.Equal(got, shown) {
				t.Fatalf("seed %d, step %d: who looks each time knows %v, want %v", seed, step, got, shown)
			}
			if r.IntN(25) == 0 {
				if got := rare.look(h); !slices.Equal(got, shown) {
					t.Fatalf("seed %d, step %d: who looks now and then knows %v, want %v", seed, step, got, shown)
				}
			}
		}
	}
	for _, what := range []string{
		"update ", "update panel_not_owned", "update panel_undeclared", "update panel_unknown", "update panel_invalid", "update panel_revision_conflict",
		"update panel_limit", "update panel_closed_context", "settled", "settled panel_revision_conflict", "settled panel_limit",
	} {
		if met[what] < 20 {
			t.Errorf("%q was met %d times: %v", what, met[what], met)
		}
	}
}
