package chars

import (
	"sync"
	"unicode/utf8"
)

// A cluster is what a character does at the borders of grapheme clusters.
type cluster uint8

const (
	other cluster = iota
	cr
	lf
	control
	extend
	zwj
	regional
	prepend
	spacing
	hangulL
	hangulV
	hangulT
	hangulLV
	hangulLVT
)

// clusterNames holds the names of the kinds from cr to hangulT in unicode.txt.
var clusterNames = []string{"CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark", "L", "V", "T"}

// clusters holds the kind of each character that has one, apart from Hangul syllables.
var clusters = sync.OnceValue(func() values {
	names := make([]string, len(clusterNames))
	for i, name := range clusterNames {
		names[i] = "cluster/" + name
	}
	return tableOf(names...)
})

var (
	isPictographic = lazily("cluster/pictographic")
	isLinker       = lazily("cluster/linker")
	isConsonant    = lazily("cluster/consonant")
	isConjunct     = lazily("cluster/extend")
)

func clusterOf(r rune) cluster {
	switch {
	case ' ' <= r && r < 127:
		return other
	case hangulFirst <= r && r < hangulFirst+hangulCount:
		if (r-hangulFirst)%hangulTs == 0 {
			return hangulLV
		}
		return hangulLVT
	}
	return cluster(clusters().of(r))
}

// A joiner finds where clusters end, by the rules GB3 to GB13 of Unicode's annex 29.
type joiner struct {
	last       cluster
	regionals  int  // regional indicators just before
	picture    bool // a picture, and characters that extend it, just before
	joined     bool // the same, and then a zero width joiner
	consonant  bool // a consonant, and characters that extend it, just before
	linked     bool // the same, with a linker among them
	hasStarted bool
}

// joins reports whether there is no border before r, the next character.
func (j *joiner) joins(r rune) bool {
	kind := clusterOf(r)
	is := j.hasStarted && j.pair(kind, r)
	j.hasStarted, j.last = true, kind
	if kind == regional {
		j.regionals++
	} else {
		j.regionals = 0
	}
	j.joined = j.picture && kind == zwj
	j.picture = kind != zwj && isPictographic(r) || j.picture && kind == extend
	switch {
	case isConsonant(r):
		j.consonant, j.linked = true, false
	case j.consonant && isLinker(r):
		j.linked = true
	case !isConjunct(r):
		j.consonant, j.linked = false, false
	}
	return is
}

func (j *joiner) pair(next cluster, r rune) bool {
	last := j.last
	switch {
	case last == cr && next == lf:
		return true
	case last == control || last == cr || last == lf || next == control || next == cr || next == lf:
		return false
	case last == hangulL && (next == hangulL || next == hangulV || next == hangulLV || next == hangulLVT),
		(last == hangulLV || last == hangulV) && (next == hangulV || next == hangulT),
		(last == hangulLVT || last == hangulT) && next == hangulT,
		next == extend || next == zwj || next == spacing || last == prepend:
		return true
	case j.linked && isConsonant(r), j.joined && isPictographic(r):
		return true
	}
	return last == regional && next == regional && j.regionals%2 == 1
}

// Graphemes calls f with each extended grapheme cluster of s, which must be valid UTF-8.
func Graphemes(s string, f func(cluster string)) {
	var j joiner
	start := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !j.joins(r) && i > start {
			f(s[start:i])
			start = i
		}
		i += size
	}
	if start < len(s) {
		f(s[start:])
	}
}
