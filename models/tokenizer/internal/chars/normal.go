package chars

import (
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Change is a character of a text that is made from another text. By says how the two go together: 0 for a character
// that takes the place of one, 1 for a new one, and -n for one that takes the place of one and of the n after it.
type Change struct {
	Rune rune
	By   int
}

// Hangul syllables are composed by arithmetic: Unicode's section 3.12.
const (
	hangulFirst = 0xAC00
	hangulCount = 11172
	hangulTs    = 28
	jamoL       = 0x1100
	jamoV       = 0x1161
	jamoT       = 0x11A7
)

// A letter is what the normal forms do with a character: its class, and the characters that it is decomposed to.
type letter struct {
	class             uint8
	canonical, compat []rune
}

// active holds the characters that Unicode 9 decomposes or sorts. Later versions never change these, so the tables of
// golang.org/x/text have the same for them; what later versions add is left alone, as the library does.
var active = sync.OnceValues(func() (map[rune]letter, map[[2]rune]rune) {
	letters, pairs := map[rune]letter{}, map[[2]rune]rune{}
	for _, r := range Ranges("norm/active") {
		for c := r.Lo; c <= r.Hi; c++ {
			d, k := norm.NFD.PropertiesString(string(c)), norm.NFKD.PropertiesString(string(c))
			l := letter{class: d.CCC(), canonical: runes(d.Decomposition()), compat: runes(k.Decomposition())}
			letters[c] = l
			if n := len(l.canonical); n > 1 && norm.NFC.IsNormalString(string(c)) {
				first, _ := utf8.DecodeRuneInString(norm.NFC.String(string(l.canonical[:n-1])))
				pairs[[2]rune{first, l.canonical[n-1]}] = c
			}
		}
	}
	return letters, pairs
})

// runes is nil for nothing.
func runes(b []byte) []rune {
	if len(b) == 0 {
		return nil
	}
	return []rune(string(b))
}

// A Form is one of Unicode's four normal forms.
type Form struct{ compat, compose bool }

// The normal forms.
var (
	NFC  = Form{compose: true}
	NFD  = Form{}
	NFKC = Form{compat: true, compose: true}
	NFKD = Form{compat: true}
)

// A classed is a change with the class of its character.
type classed struct {
	Change
	class uint8
}

// Apply gives the normal form of s, which must be valid UTF-8, and whether it may differ from s. There is no limit on the
// marks of one letter.
func (f Form) Apply(s string) ([]Change, bool) {
	if quiet(s) {
		return nil, false
	}
	letters, pairs := active()
	set := noisy()
	out := make([]classed, 0, len(s))
	pending := 0 // from here on, no starter has come yet
	add := func(r rune, by int) {
		class := uint8(0)
		if r >= utf8.RuneSelf && set.Has(r) {
			class = letters[r].class
		}
		if class == 0 {
			order(out[pending:])
			pending = len(out) + 1
		}
		out = append(out, classed{Change{r, by}, class})
	}
	for _, r := range s {
		var d []rune
		if r >= utf8.RuneSelf && set.Has(r) {
			d = f.decompose(letters, r)
		}
		if d == nil {
			add(r, 0)
		}
		for i, c := range d {
			add(c, min(i, 1))
		}
	}
	order(out[pending:])
	changes := make([]Change, 0, len(out))
	if f.compose {
		return compose(changes, out, pairs), true
	}
	for _, c := range out {
		changes = append(changes, c.Change)
	}
	return changes, true
}

// noisy holds the characters that some normal form may change, alone or with the one before.
var noisy = sync.OnceValue(func() *Set {
	ranges := append(Ranges("norm/active"), Range{jamoL, jamoL + 0xFF}, Range{hangulFirst, hangulFirst + hangulCount - 1})
	_, pairs := active()
	for pair := range pairs {
		ranges = append(ranges, Range{pair[1], pair[1]})
	}
	return NewSet(ranges)
})

// quiet reports whether no normal form changes s.
func quiet(s string) bool {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf {
		i++
	}
	if i == len(s) {
		return true
	}
	set := noisy()
	for _, r := range s[i:] {
		if set.Has(r) {
			return false
		}
	}
	return true
}

func order(marks []classed) {
	if len(marks) > 1 {
		slices.SortStableFunc(marks, func(a, b classed) int { return int(a.class) - int(b.class) })
	}
}

// decompose gives what a noisy character becomes, or nil for itself.
func (f Form) decompose(letters map[rune]letter, r rune) []rune {
	if s := r - hangulFirst; 0 <= s && s < hangulCount {
		l := []rune{jamoL + s/(21*hangulTs), jamoV + s%(21*hangulTs)/hangulTs, jamoT + s%hangulTs}
		if s%hangulTs == 0 {
			l = l[:2]
		}
		return l
	}
	if f.compat {
		return letters[r].compat
	}
	return letters[r].canonical
}

// pair gives the character that a and b are composed to, or 0.
func pair(pairs map[[2]rune]rune, a, b rune) rune {
	if l, v := a-jamoL, b-jamoV; 0 <= l && l < 19 && 0 <= v && v < 21 {
		return hangulFirst + (l*21+v)*hangulTs
	}
	if s, t := a-hangulFirst, b-jamoT; 0 <= s && s < hangulCount && s%hangulTs == 0 && 0 < t && t < hangulTs {
		return a + t
	}
	return pairs[[2]rune{a, b}]
}

// compose joins letters with the marks after them and appends the result to out.
func compose(out []Change, in []classed, pairs map[[2]rune]rune) []Change {
	base := -1       // where the last starter is in out
	last := uint8(0) // the class of the last mark that was kept behind it
	marks := false   // whether there is one
	for _, c := range in {
		if base >= 0 && (!marks || last < c.class) && c.Rune >= utf8.RuneSelf {
			if r := pair(pairs, out[base].Rune, c.Rune); r != 0 {
				out[base] = Change{r, out[base].By + c.By - 1}
				continue
			}
		}
		out = append(out, c.Change)
		switch {
		case c.class == 0:
			base, marks = len(out)-1, false
		case base >= 0:
			last, marks = c.class, true
		}
	}
	return out
}
