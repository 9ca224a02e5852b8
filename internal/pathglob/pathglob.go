// Package pathglob matches slash-separated paths against a glob name by name,
// so that a walk knows which folders cannot hold a match. Within a name the
// pattern is one of bmatcuk/doublestar: * ? [class] [^class] {a,b} and a
// backslash that takes their meaning away; ** is any number of folders. A name
// of the pattern also matches the same name as it is written, so that folders
// called [id] or {x} need no backslash.
//
// The package opens no files and does not clean paths. A Pattern is immutable,
// and any number of goroutines may use it.
package pathglob

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxNodes bounds the names of a pattern, those of all alternatives counted.
const maxNodes = 256

// Pattern is a compiled glob.
type Pattern struct {
	nodes   []node
	start   State
	hidden  bool
	folders bool
}

// node is one name of one alternative. The node behind the last name accepts.
type node struct {
	kind   kind
	text   string // as it was written
	plain  string // of a plain name, or what follows the star of a suffix
	dot    bool   // it spells a leading dot
	prefix bool   // no name before it has a wildcard
}

type kind uint8

const (
	plain kind = iota
	suffix
	wild
	anyFolders
	accept
)

// State is how far a folder has come in the pattern. The zero State can match
// nothing more.
type State [maxNodes / 64]uint64

func (s *State) add(n int)      { s[n/64] |= 1 << (n % 64) }
func (s *State) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

// Step is what a name is to a pattern.
type Step struct {
	Match bool  // a file of this name matches
	Next  State // for what lies in a folder of this name
	// Dotted says that only the dot that the name begins with kept a file from
	// matching; DottedFolder says so of what could be in a folder.
	Dotted, DottedFolder bool
	Named                bool // the pattern spells the name
	Exact                bool // the pattern spells the name and all before it
}

// Compile reads a pattern. With hidden a wildcard takes names that begin with a
// dot too; else only a name of the pattern that begins with one does. Errors say
// what is wrong with the pattern: bad syntax, an absolute one, one with "..", more
// than 256 names in all alternatives.
func Compile(pattern string, hidden bool) (*Pattern, error) {
	text, folders := strings.CutSuffix(pattern, "/")
	switch {
	case strings.HasPrefix(pattern, "/"):
		return nil, errors.New("it is absolute; patterns are relative to path")
	case strings.ContainsRune(pattern, 0):
		return nil, errors.New("it has a NUL byte, and no name has one")
	case text == "":
		return nil, errors.New("it is empty")
	}
	alternatives, err := expand(text)
	if err != nil {
		return nil, err
	}
	p := &Pattern{hidden: hidden, folders: folders}
	for _, a := range alternatives {
		if err := p.add(split(a), makeNode); err != nil {
			return nil, err
		}
	}
	if !slices.Equal(alternatives, []string{text}) {
		// A folder may be called {x}.
		if err := p.add(strings.Split(text, "/"), bracedNode); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Folders reports whether the pattern ends with a slash: it asks for folders.
func (p *Pattern) Folders() bool { return p.folders }

// Start is the state of the folder that the pattern is relative to.
func (p *Pattern) Start() State { return p.start }

// split splits at slashes. One with a backslash before it splits as well, as no
// name has one; one in brackets cannot match and is left to the check of syntax.
func split(pattern string) []string {
	return strings.Split(strings.ReplaceAll(pattern, `\/`, "/"), "/")
}

func (p *Pattern) add(names []string, make func(string) (node, error)) error {
	names = slices.DeleteFunc(names, func(n string) bool { return n == "" || n == "." })
	first := len(p.nodes)
	if first+len(names)+1 > maxNodes {
		return fmt.Errorf("its alternatives have more than %d names; use fewer or shorter ones", maxNodes)
	}
	prefix := true
	for _, name := range names {
		if name == ".." {
			return errors.New(`it has ".."; give the folder as path`)
		}
		n, err := make(name)
		if err != nil {
			return err
		}
		n.prefix = prefix
		prefix = prefix && n.kind == plain
		if n.kind == anyFolders && len(p.nodes) > first && p.nodes[len(p.nodes)-1].kind == anyFolders {
			continue
		}
		p.nodes = append(p.nodes, n)
	}
	p.nodes = append(p.nodes, node{kind: accept})
	p.enter(&p.start, first)
	return nil
}

// enter adds a node, and what follows it when it may take no name at all.
func (p *Pattern) enter(s *State, n int) {
	s.add(n)
	if p.nodes[n].kind == anyFolders {
		p.enter(s, n+1)
	}
}

func makeNode(name string) (node, error) {
	n := node{kind: wild, text: name, dot: strings.HasPrefix(name, ".") || strings.HasPrefix(name, `\.`)}
	if name == "**" {
		n.kind = anyFolders
		return n, nil
	}
	if !doublestar.ValidatePattern(name) {
		return node{}, fmt.Errorf(`%q is not a valid glob: a bracket, a brace or a backslash at the end is left open; \ before it makes it an ordinary character`, name)
	}
	if text, ok := unescape(name); ok {
		n.kind, n.plain = plain, text
	} else if text, ok := unescape(strings.TrimPrefix(name, "*")); ok && name[0] == '*' {
		n.kind, n.plain = suffix, text
	}
	return n, nil
}

// bracedNode is makeNode with braces as ordinary characters.
func bracedNode(name string) (node, error) {
	if strings.ContainsAny(name, "{}") {
		return node{kind: plain, text: name, plain: name, dot: strings.HasPrefix(name, ".")}, nil
	}
	return makeNode(name)
}

// unescape is a name without wildcards as it is spelled in a folder.
func unescape(name string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		switch name[i] {
		case '*', '?', '[', '{', '}':
			return "", false
		case '\\':
			i++
		}
		b.WriteByte(name[i])
	}
	return b.String(), true
}

// matches reports whether the node takes the name, and whether it spells it.
func (n *node) matches(name string) (ok, spelled bool) {
	switch n.kind {
	case plain:
		return n.plain == name, true
	case suffix:
		return strings.HasSuffix(name, n.plain), false
	case accept:
		return false, false
	}
	if n.text == name {
		return true, true
	}
	return doublestar.MatchUnvalidated(n.text, name), false
}

// Step takes a name in a folder of state s.
func (p *Pattern) Step(s State, name string) Step {
	var out Step
	dotted := !p.hidden && strings.HasPrefix(name, ".")
	var held State
	for i := range p.nodes {
		n := &p.nodes[i]
		if !s.has(i) || n.kind == accept {
			continue
		}
		ok, spelled := true, false
		if n.kind != anyFolders {
			ok, spelled = n.matches(name)
		}
		switch {
		case !ok:
		case dotted && !n.dot:
			p.enter(&held, n.next(i))
		default:
			p.enter(&out.Next, n.next(i))
			out.Named = out.Named || spelled
			out.Exact = out.Exact || spelled && n.prefix
		}
	}
	out.Match = p.accepts(&out.Next)
	if held != (State{}) {
		out.Dotted = p.accepts(&held) && !out.Match
		out.DottedFolder = (out.Dotted || held != State{}) && !out.Match && out.Next == State{}
	}
	return out
}

// next is the node behind one that takes a name.
func (n *node) next(i int) int {
	if n.kind == anyFolders {
		return i
	}
	return i + 1
}

// accepts takes the ends of alternatives out of s and says whether there were any.
func (p *Pattern) accepts(s *State) bool {
	found := false
	for i := range p.nodes {
		if p.nodes[i].kind == accept && s.has(i) {
			found = true
			s[i/64] &^= 1 << (i % 64)
		}
	}
	return found
}
