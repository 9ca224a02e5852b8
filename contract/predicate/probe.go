package predicate

import "encoding/binary"

// Head is the first eight bytes of a value, padded with zeros.
type Head uint64

// HeadOf is the head of s.
func HeadOf(s string) Head {
	var b [8]byte
	copy(b[:], s)
	return Head(binary.BigEndian.Uint64(b[:]))
}

// Probe is what the heads of all matching values have in common. With it,
// thousands of rules that do not match cost a few instructions each. The zero
// Probe excludes nothing.
type Probe struct{ bits, mask uint64 }

func (p Probe) excludes(h Head) bool { return (uint64(h)^p.bits)&p.mask != 0 }

// Probe is the probe of c, for whoever keeps many predicates.
func (c *Compiled) Probe() Probe { return c.probe }

// probeOf keeps the bits in which all beginnings agree.
func probeOf(all []literal) Probe {
	if len(all) == 0 {
		return Probe{}
	}
	p := headProbe(all[0])
	for _, l := range all[1:] {
		q := headProbe(l)
		p.mask &= q.mask &^ (p.bits ^ q.bits)
		p.bits &= p.mask
	}
	return p
}

func headProbe(l literal) Probe {
	var mask [8]byte
	for i := 0; i < len(l.text) && i < len(mask); i++ {
		m, ok := byteMask(l.text[i], l.fold)
		if !ok {
			break
		}
		mask[i] = m
	}
	m := binary.BigEndian.Uint64(mask[:])
	return Probe{uint64(HeadOf(l.text)) & m, m}
}

// byteMask says which bits of a byte are certain. Where case does not count,
// the letters k and s also stand for signs outside ASCII, and so may what is
// outside ASCII itself: no byte is certain from there on.
func byteMask(c byte, fold bool) (byte, bool) {
	switch lower := c | 0x20; {
	case !fold:
		return 0xff, true
	case c >= 0x80 || lower == 'k' || lower == 's':
		return 0, false
	case 'a' <= lower && lower <= 'z':
		return 0xff &^ 0x20, true
	default:
		return 0xff, true
	}
}
