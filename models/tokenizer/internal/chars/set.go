// Package chars says what characters are to the library of tokenizers that Hugging Face publishes for Python.
//
// That library is linked from parts that follow different versions of Unicode, and Go's own tables follow another one. So
// its answers are recorded: unicode.txt holds the sets of characters that tables.py found by asking the library about
// every character. Go's package unicode is not used, and the results do not change with the version of Go.
package chars

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Range holds the characters from Lo to Hi, which belongs to it.
type Range struct{ Lo, Hi rune }

// A Set is a set of characters that answers fast. The zero value is empty.
type Set struct {
	index []uint16    // by 256 characters, the page
	pages [][4]uint64 // one bit for each character; page 0 is empty
}

// Has reports whether r is in the set.
func (s *Set) Has(r rune) bool {
	page := int(uint32(r) >> 8)
	if page >= len(s.index) {
		return false
	}
	return s.pages[s.index[page]][r>>6&3]>>(r&63)&1 != 0
}

// NewSet makes a set of ranges in any order. Numbers that are no characters are left out.
func NewSet(ranges []Range) *Set {
	s := &Set{index: make([]uint16, (utf8.MaxRune+1)>>8), pages: make([][4]uint64, 1)}
	full := uint16(0)
	for _, r := range ranges {
		for c := max(r.Lo, 0); c <= min(r.Hi, utf8.MaxRune); {
			page := c >> 8
			if c&255 == 0 && r.Hi >= c|255 && s.index[page] == 0 {
				if full == 0 {
					full = uint16(len(s.pages))
					s.pages = append(s.pages, [4]uint64{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)})
				}
				s.index[page], c = full, c+256
				continue
			}
			if s.index[page] == 0 {
				s.index[page] = uint16(len(s.pages))
				s.pages = append(s.pages, [4]uint64{})
			}
			s.pages[s.index[page]][c>>6&3] |= 1 << (c & 63)
			c++
		}
	}
	return s
}

// Union sorts ranges and joins those that touch.
func Union(ranges []Range) []Range {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int { return int(a.Lo) - int(b.Lo) })
	var out []Range
	for _, r := range ranges {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi+1 {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// Not gives the characters that are in none of the ranges.
func Not(ranges []Range) []Range {
	var out []Range
	next := rune(0)
	for _, r := range Union(ranges) {
		if r.Lo > next {
			out = append(out, Range{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= utf8.MaxRune {
		out = append(out, Range{next, utf8.MaxRune})
	}
	return out
}

//go:embed unicode.txt
var file string

// lines holds the lines of the file by their names.
var lines = sync.OnceValue(func() map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(file) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		found[name] = rest
	}
	return found
})

// Ranges gives the characters of a line of unicode.txt, such as "category/Lu", or nil when there is no such line.
func Ranges(name string) []Range {
	var out []Range
	eachRange(name, func(r Range, _ rune) { out = append(out, r) })
	return out
}

// Named makes the set of a line of unicode.txt.
func Named(name string) *Set { return NewSet(Ranges(name)) }

// eachRange calls f with every range of a line and with the third number of the range.
func eachRange(name string, f func(r Range, by rune)) {
	end := rune(0)
	for _, field := range strings.Fields(lines()[name]) {
		var n [3]rune
		for i, text := range strings.SplitN(field, ".", 3) {
			v, err := strconv.ParseUint(text, 16, 21)
			if err != nil {
				panic("BUG: unicode.txt: " + err.Error())
			}
			n[i] = rune(v)
		}
		r := Range{end + n[0], end + n[0] + n[1]}
		f(r, n[2])
		end = r.Hi + 1
	}
}

// values holds a number for each character of some ranges, sorted; other characters have 0.
type values []valued

type valued struct {
	Range
	value rune
}

func (v values) of(r rune) rune {
	i, _ := slices.BinarySearchFunc(v, r, func(e valued, r rune) int {
		return int(e.Hi) - int(r)
	})
	if i < len(v) && v[i].Lo <= r {
		return v[i].value
	}
	return 0
}

// tableOf gives the ranges of the named lines the number of their line, from 1, or of the range where it has one.
func tableOf(names ...string) values {
	var out values
	for i, name := range names {
		eachRange(name, func(r Range, by rune) {
			if by == 0 {
				by = rune(i + 1)
			}
			out = append(out, valued{r, by})
		})
	}
	slices.SortFunc(out, func(a, b valued) int { return int(a.Lo) - int(b.Lo) })
	return out
}
