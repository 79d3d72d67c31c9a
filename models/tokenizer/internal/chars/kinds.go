package chars

import (
	"strconv"
	"sync"
)

// lazily makes a question about characters whose set is made when it is first asked.
func lazily(name string) func(rune) bool {
	set := sync.OnceValue(func() *Set { return Named(name) })
	return func(r rune) bool { return set().Has(r) }
}

// orASCII is like lazily, with a table for ASCII.
func orASCII(name string, ascii func(rune) bool) func(rune) bool {
	var table [128]bool
	for r := range rune(128) {
		table[r] = ascii(r)
	}
	rest := lazily(name)
	return func(r rune) bool {
		if uint32(r) < 128 {
			return table[r]
		}
		return rest(r)
	}
}

var (
	// IsSpace reports whether r is white space.
	IsSpace = orASCII("rust/whitespace", func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' })
	// IsNumeric reports whether r is a digit, a letter that stands for a number, or another number.
	IsNumeric = orASCII("rust/numeric", func(r rune) bool { return '0' <= r && r <= '9' })
	// IsWord reports whether r is part of a word, as \w of Rust's regular expressions has it.
	IsWord = orASCII("rust/word", func(r rune) bool {
		return '0' <= r && r <= '9' || 'a' <= r|32 && r|32 <= 'z' || r == '_'
	})
	// IsPunctuation reports whether BERT takes r for punctuation: among them all of ASCII that is no letter or digit.
	IsPunctuation = orASCII("bert/punctuation", func(r rune) bool {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	})
	// IsRemoved reports whether BERT's clean_text drops r: NUL, U+FFFD, and control, format and private characters.
	IsRemoved = orASCII("bert/removed", func(r rune) bool {
		return r < 32 && r != '\t' && r != '\n' && r != '\r' || r == 127
	})
	// IsNonspacing reports whether BERT's strip_accents drops r.
	IsNonspacing = orASCII("bert/nonspacing", func(rune) bool { return false })
	// IsMark reports whether StripAccents drops r.
	IsMark = orASCII("norm/mark", func(rune) bool { return false })
)

// lower holds what to add to the characters beyond ASCII that have a small letter.
var lower = sync.OnceValue(func() values { return tableOf("rust/lower") })

// hasLower reports whether a character has a small letter.
var hasLower = orASCII("rust/lower", func(r rune) bool { return 'A' <= r && r <= 'Z' })

// Lower gives the small letter of r, or r. İ, which becomes i and a dot above, is the caller's business.
func Lower(r rune) rune {
	if !hasLower(r) {
		return r
	}
	if r < 128 {
		return r + 'a' - 'A'
	}
	return (r + lower().of(r)) % 0x110000
}

// scripts holds the sets of characters that UnicodeScripts never splits, numbered from 1.
var scripts = sync.OnceValue(func() values {
	var names []string
	for i := 0; Ranges("scripts/"+strconv.Itoa(i)) != nil; i++ {
		names = append(names, "scripts/"+strconv.Itoa(i))
	}
	return tableOf(names...)
})

// Script gives a number for the script of r, as UnicodeScripts sees it: Han, Hiragana and Katakana are one script, and
// 0 is what belongs to every script: a space and characters that have none.
func Script(r rune) int { return int(scripts().of(r)) }
