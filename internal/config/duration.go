package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// Duration is a time.Duration that is written as Go writes it, with d for 24
// hours before the other units: "90s", "30d", "1d12h".
type Duration time.Duration

// ParseDuration reads s. It refuses negative durations.
func ParseDuration(s string) (Duration, error) {
	bad := fmt.Errorf(`%s is no duration; write one like "90s", "5m" or "30d"`, quote(s))
	var total time.Duration
	rest := s
	if days, after, ok := strings.Cut(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 32)
		if err != nil || n > uint64(math.MaxInt64/day) {
			return 0, bad
		}
		total, rest = time.Duration(n)*day, after
	}
	if rest != "" || total == 0 && !strings.HasSuffix(s, "d") {
		d, err := time.ParseDuration(rest)
		if err != nil || strings.HasPrefix(rest, "-") || d > math.MaxInt64-total {
			return 0, bad
		}
		total += d
	}
	return Duration(total), nil
}

// String is the shortest form that ParseDuration reads back.
func (d Duration) String() string {
	if d > 0 && d%Duration(day) == 0 {
		return strconv.FormatInt(int64(d/Duration(day)), 10) + "d"
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = v
	return nil
}
