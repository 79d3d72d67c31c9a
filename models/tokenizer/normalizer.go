package tokenizer

import (
	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// A normalizer changes a text before it is split.
type normalizer interface {
	normalize(p *piece) error
}

// normalizeFunc is a normalizer that cannot fail.
type normalizeFunc func(p *piece)

func (f normalizeFunc) normalize(p *piece) error {
	f(p)
	return nil
}

// plain makes a normalizer that has no fields.
func plain(f func(p *piece)) func(*object) normalizer {
	return func(*object) normalizer { return normalizeFunc(f) }
}

func formOf(f chars.Form) func(*object) normalizer {
	return plain(func(p *piece) { p.form(f) })
}

// normalizers are the kinds that a file may name.
var normalizers map[string]func(*object) normalizer

func init() {
	normalizers = map[string]func(*object) normalizer{
		"BertNormalizer": newBert,
		"ByteLevel":      plain(func(p *piece) { byteLevelPieces([]piece{*p}, func(q piece) { *p = q }) }),
		"Lowercase":      plain((*piece).lowercase),
		"NFC":            formOf(chars.NFC),
		"NFD":            formOf(chars.NFD),
		"NFKC":           formOf(chars.NFKC),
		"NFKD":           formOf(chars.NFKD),
		"Nmt":            plain(nmt),
		"Precompiled":    newCharsmap,
		"Prepend": func(o *object) normalizer {
			text := get[string](o, "prepend")
			return normalizeFunc(func(p *piece) { p.prepend(text) })
		},
		"Replace": func(o *object) normalizer {
			return replaceNormalizer{o.pattern("pattern"), get[string](o, "content")}
		},
		"Sequence": func(o *object) normalizer {
			return normalizeAll(buildAll(o, "normalizers", "normalizer", normalizers))
		},
		"Strip": func(o *object) normalizer {
			left, right := get[bool](o, "strip_left"), get[bool](o, "strip_right")
			return normalizeFunc(func(p *piece) { p.strip(left, right) })
		},
		"StripAccents": plain(func(p *piece) { p.filter(func(r rune) bool { return !chars.IsMark(r) }) }),
	}
}

func (p *piece) form(f chars.Form) {
	if changes, changed := f.Apply(p.s); changed {
		p.transform(changes, 0)
	} else if !p.whole() {
		p.replaceEach(func(r rune) rune { return r })
	}
}

type normalizeAll []normalizer

func (all normalizeAll) normalize(p *piece) error {
	for _, n := range all {
		if err := n.normalize(p); err != nil {
			return err
		}
	}
	return nil
}

type replaceNormalizer struct {
	pattern *pattern.Pattern
	content string
}

func (n replaceNormalizer) normalize(p *piece) error {
	matches, err := find(n.pattern, p.s, &p.work.steps)
	if err == nil && (len(matches) != 1 || matches[0].is) {
		p.replace(matches, n.content)
	}
	return err
}

// newBert reads BERT's normalizer. Accents go by default where capitals do.
func newBert(o *object) normalizer {
	clean, chinese := get[bool](o, "clean_text"), get[bool](o, "handle_chinese_chars")
	lowercase := get[bool](o, "lowercase")
	accents := opt(o, "strip_accents", lowercase)
	return normalizeFunc(func(p *piece) {
		if clean {
			p.filter(func(r rune) bool { return !chars.IsRemoved(r) })
			p.replaceEach(func(r rune) rune {
				if chars.IsSpace(r) {
					return ' '
				}
				return r
			})
		}
		if chinese {
			spaceChinese(p)
		}
		if accents {
			p.form(chars.NFD)
			p.filter(func(r rune) bool { return !chars.IsNonspacing(r) })
		}
		if lowercase {
			p.lowercase()
		}
	})
}

// chinese holds what BERT takes for Chinese: blocks of ideographs, with a hole before U+2B920.
var chinese = chars.NewSet([]chars.Range{
	{Lo: 0x3400, Hi: 0x4DBF}, {Lo: 0x4E00, Hi: 0x9FFF}, {Lo: 0xF900, Hi: 0xFAFF}, {Lo: 0x20000, Hi: 0x2A6DF},
	{Lo: 0x2A700, Hi: 0x2B81F}, {Lo: 0x2B920, Hi: 0x2CEAF}, {Lo: 0x2F800, Hi: 0x2FA1F},
})

// spaceChinese puts spaces around Chinese characters.
func spaceChinese(p *piece) {
	changes := make([]chars.Change, 0, len(p.s))
	found := false
	for _, r := range p.s {
		if chinese.Has(r) {
			found = true
			changes = append(changes, chars.Change{Rune: ' '}, chars.Change{Rune: r, By: 1}, chars.Change{Rune: ' ', By: 1})
		} else {
			changes = append(changes, chars.Change{Rune: r})
		}
	}
	if found || !p.whole() {
		p.transform(changes, 0)
	}
}

// nmtRemoved holds the control characters that Nmt drops, nmtSpaces what it takes for a space.
var (
	nmtRemoved = chars.NewSet([]chars.Range{
		{Lo: 1, Hi: 8}, {Lo: 0xB, Hi: 0xB}, {Lo: 0xE, Hi: 0x1F}, {Lo: 0x7F, Hi: 0x7F}, {Lo: 0x8F, Hi: 0x8F}, {Lo: 0x9F, Hi: 0x9F},
	})
	nmtSpaces = chars.NewSet([]chars.Range{
		{Lo: 9, Hi: 0xA}, {Lo: 0xC, Hi: 0xD}, {Lo: 0x1680, Hi: 0x1680}, {Lo: 0x200B, Hi: 0x200F}, {Lo: 0x2028, Hi: 0x2029},
		{Lo: 0x2581, Hi: 0x2581}, {Lo: 0xFEFF, Hi: 0xFEFF}, {Lo: 0xFFFD, Hi: 0xFFFD},
	})
)

func nmt(p *piece) {
	p.filter(func(r rune) bool { return !nmtRemoved.Has(r) })
	p.replaceEach(func(r rune) rune {
		if nmtSpaces.Has(r) {
			return ' '
		}
		return r
	})
}
