package proc

import (
	"os"
	"slices"
	"unicode/utf8"
)

// DefaultKeep is how many bytes of each stream are kept when Spec.Keep is zero.
const DefaultKeep = 1 << 20

const (
	firstRead = 8 << 10 // room for most answers, cheap to make
	leastRead = 4 << 10 // the head grows when it has less room than this
)

// Captured is the output of one stream: its start, and its end where that is
// not part of the start.
type Captured struct {
	// Head and Tail are the kept bytes. Where bytes are missing between them,
	// neither ends nor starts within a character.
	Head, Tail []byte
	// Total counts all bytes that were printed.
	Total int64
}

// Omitted returns how many bytes are missing between Head and Tail.
func (c Captured) Omitted() int64 {
	return c.Total - int64(len(c.Head)) - int64(len(c.Tail))
}

// stream reads one output of a command.
type stream struct {
	file *os.File
	done chan struct{} // closed when read has returned

	head  []byte
	ring  []byte // the last len(ring) bytes after head, or less; nil until needed
	next  int    // where the ring is written next
	total int64
}

func openStream() (*stream, *os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	enlarge(r)
	return &stream{file: r, done: make(chan struct{})}, w, nil
}

// read reads to the end, or until stop. It reads straight into what is kept, so
// that a flood costs no copy and no memory beyond keep.
func (s *stream) read(keep int, see func([]byte)) {
	defer close(s.done)
	most := max(keep/2, 1)
	for {
		var room []byte
		if len(s.head) < most {
			s.growHead(most)
			room = s.head[len(s.head):min(cap(s.head), most)]
		} else {
			if s.ring == nil {
				s.ring = make([]byte, most)
			}
			room = s.ring[s.next:]
		}
		n, err := s.file.Read(room)
		if n > 0 {
			s.total += int64(n)
			if see != nil {
				see(room[:n])
			}
			if s.ring == nil {
				s.head = s.head[:len(s.head)+n]
			} else {
				s.next = (s.next + n) % len(s.ring)
			}
		}
		if err != nil {
			return
		}
	}
}

func (s *stream) growHead(most int) {
	if free := cap(s.head) - len(s.head); free >= leastRead || cap(s.head) >= most {
		return
	}
	s.head = slices.Grow(s.head, min(max(firstRead, cap(s.head)), most-len(s.head)))
}

// stop ends reading where it is and returns what was kept.
func (s *stream) stop() Captured {
	s.file.Close() // wakes a blocked read; one that has its bytes keeps them
	<-s.done
	c := Captured{Head: s.head, Total: s.total}
	if s.ring == nil {
		return c
	}
	after := s.total - int64(len(s.head))
	if after <= int64(len(s.ring)) {
		c.Tail = s.ring[:after]
		return c
	}
	c.Tail = slices.Concat(s.ring[s.next:], s.ring[:s.next])
	c.Head = trimEnd(c.Head)
	c.Tail = trimStart(c.Tail)
	return c
}

// trimEnd takes an incomplete character off the end.
func trimEnd(p []byte) []byte {
	for i := len(p) - 1; i >= 0 && i >= len(p)-utf8.UTFMax; i-- {
		if utf8.RuneStart(p[i]) {
			if !utf8.FullRune(p[i:]) {
				return p[:i]
			}
			break
		}
	}
	return p
}

// trimStart takes the rest of a cut character off the start. More than three
// continuation bytes are not the rest of a character but bad bytes, and stay.
func trimStart(p []byte) []byte {
	for i := 0; i < len(p) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(p[i]) {
			return p[i:]
		}
	}
	return p
}
