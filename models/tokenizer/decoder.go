package tokenizer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// A decoder turns tokens into parts of the text, which are then joined.
type decoder func(d *decoding, tokens []string) ([]string, error)

// A decoding is what decoders share: the steps that patterns may still take, and how many bytes there may be.
type decoding struct{ steps, most int }

// newDecoding allows tokens to grow as the pieces of a text may.
func newDecoding(tokens []string) *decoding {
	n := size(tokens)
	return &decoding{pattern.Steps(n), growthMore + growth*n}
}

func size(tokens []string) int {
	n := 0
	for _, t := range tokens {
		n += len(t)
	}
	return n
}

// grows fails when n bytes are too many.
func (d *decoding) grows(n int) error {
	if n <= d.most {
		return nil
	}
	return fmt.Errorf("tokenizer: the decoder makes the text more than %d times as long", growth)
}

// decoders are the kinds that a file may name.
var decoders map[string]func(*object) decoder

func init() {
	decoders = map[string]func(*object) decoder{
		"BPEDecoder":   func(o *object) decoder { return decodeSuffix(get[string](o, "suffix")) },
		"ByteFallback": func(*object) decoder { return decodeBytes },
		"ByteLevel":    func(*object) decoder { return decodeByteLevel },
		"CTC":          newCTC,
		"Fuse":         func(*object) decoder { return decodeFuse },
		"Metaspace":    func(o *object) decoder { return newMetaspace(o).decode },
		"Replace":      newReplaceDecoder,
		"Sequence": func(o *object) decoder {
			return decodeAll(buildAll(o, "decoders", "decoder", decoders))
		},
		"Strip": func(o *object) decoder {
			c := o.char("content")
			start, stop := get[int](o, "start"), get[int](o, "stop")
			return eachToken(func(t string) string { return stripRunes(t, c, start, stop) })
		},
		"WordPiece": func(o *object) decoder {
			return decodeWords(get[string](o, "prefix"), get[bool](o, "cleanup"))
		},
	}
}

func decodeAll(all []decoder) decoder {
	return func(d *decoding, tokens []string) ([]string, error) {
		var err error
		for _, decode := range all {
			if tokens, err = decode(d, tokens); err != nil {
				return nil, err
			}
			if err := d.grows(size(tokens)); err != nil {
				return nil, err
			}
		}
		return tokens, nil
	}
}

func eachToken(f func(string) string) decoder {
	return func(_ *decoding, tokens []string) ([]string, error) {
		for i, t := range tokens {
			tokens[i] = f(t)
		}
		return tokens, nil
	}
}

// decodeSuffix puts a space in the place of the suffix that ends words, except in the last token.
func decodeSuffix(suffix string) decoder {
	return func(_ *decoding, tokens []string) ([]string, error) {
		for i, t := range tokens {
			space := " "
			if i == len(tokens)-1 {
				space = ""
			}
			tokens[i] = strings.ReplaceAll(t, suffix, space)
		}
		return tokens, nil
	}
}

func decodeFuse(_ *decoding, tokens []string) ([]string, error) {
	return []string{strings.Join(tokens, "")}, nil
}

func decodeByteLevel(_ *decoding, tokens []string) ([]string, error) {
	var out []byte
	for _, t := range tokens {
		out = byteLevelDecode(out, t)
	}
	return []string{lossy(out)}, nil
}

// decodeBytes turns runs of tokens such as <0xE2> into text; a run that is no text becomes a U+FFFD for each token.
func decodeBytes(_ *decoding, tokens []string) ([]string, error) {
	var out []string
	var run []byte
	flush := func() {
		if utf8.Valid(run) && len(run) > 0 {
			out = append(out, string(run))
		} else {
			out = append(out, slices.Repeat([]string{"\uFFFD"}, len(run))...)
		}
		run = run[:0]
	}
	for _, t := range tokens {
		if b, ok := byteToken(t); ok {
			run = append(run, b)
			continue
		}
		flush()
		out = append(out, t)
	}
	flush()
	return out, nil
}

// byteToken reads <0xHH>. The first digit may be a plus sign, as in Rust.
func byteToken(t string) (byte, bool) {
	if len(t) != 6 || t[:3] != "<0x" || t[5] != '>' {
		return 0, false
	}
	b, err := strconv.ParseUint(strings.TrimPrefix(t[3:5], "+"), 16, 8)
	return byte(b), err == nil
}

// decode turns marks into spaces; those of the first token are taken for the one that was put before the text.
func (m *metaspace) decode(_ *decoding, tokens []string) ([]string, error) {
	for i, t := range tokens {
		space := " "
		if i == 0 && m.scheme != never {
			space = ""
		}
		tokens[i] = strings.ReplaceAll(t, m.text, space)
	}
	return tokens, nil
}

// cleaner takes out spaces that English does not have. The order matters.
var cleaner = [][2]string{
	{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"},
	{" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
}

func clean(s string) string {
	for _, c := range cleaner {
		s = strings.ReplaceAll(s, c[0], c[1])
	}
	return s
}

// decodeWords joins tokens that have the prefix with the one before, and puts a space before the others.
func decodeWords(prefix string, cleanup bool) decoder {
	return func(_ *decoding, tokens []string) ([]string, error) {
		for i, t := range tokens {
			if i > 0 {
				rest, ok := strings.CutPrefix(t, prefix)
				if t = rest; !ok {
					t = " " + t
				}
			}
			if cleanup {
				t = clean(t)
			}
			tokens[i] = t
		}
		return tokens, nil
	}
}

// newCTC drops tokens that repeat the one before, and padding.
func newCTC(o *object) decoder {
	pad, delimiter := get[string](o, "pad_token"), get[string](o, "word_delimiter_token")
	cleanup := get[bool](o, "cleanup")
	return func(_ *decoding, tokens []string) ([]string, error) {
		var out []string
		for _, t := range slices.Compact(tokens) {
			t = strings.ReplaceAll(t, pad, "")
			if cleanup {
				t = strings.ReplaceAll(clean(t), delimiter, " ")
			}
			if t != "" {
				out = append(out, t)
			}
		}
		return out, nil
	}
}

func newReplaceDecoder(o *object) decoder {
	p, content := o.pattern("pattern"), get[string](o, "content")
	return func(d *decoding, tokens []string) ([]string, error) {
		done := 0
		for i, t := range tokens {
			var s strings.Builder
			at, most := 0, d.most-done
			err := p.Each(t, &d.steps, func(start, end int) {
				if s.Len() <= most && t != "" {
					s.WriteString(t[at:start])
					s.WriteString(content)
				}
				at = end
			})
			if err != nil {
				return nil, fmt.Errorf("tokenizer: %w", err)
			}
			s.WriteString(t[at:])
			if done += s.Len(); done > d.most {
				return nil, d.grows(done)
			}
			tokens[i] = s.String()
		}
		return tokens, nil
	}
}

// stripRunes drops up to start characters c at the beginning and up to stop at the end.
func stripRunes(s string, c rune, start, stop int) string {
	text := string(c)
	for ; start > 0 && strings.HasPrefix(s, text); start-- {
		s = s[len(text):]
	}
	for ; stop > 0 && strings.HasSuffix(s, text); stop-- {
		s = s[:len(s)-len(text)]
	}
	return s
}

// lossy turns bytes into text, with one U+FFFD for each start of a character that is not completed, and for each byte that
// starts none, as Rust does.
func lossy(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = unfinished(b)
		}
		s.WriteRune(r)
		b = b[size:]
	}
	return s.String()
}

// unfinished gives how many bytes of an invalid character could have started a valid one; at least 1.
func unfinished(b []byte) int {
	n := 1
	for n < len(b) && n < utf8.UTFMax-1 && startsRune(b[:n+1]) {
		n++
	}
	return n
}

// startsRune reports whether some character starts with the bytes: one continuation byte is put in after the other.
func startsRune(b []byte) bool {
	for _, fill := range []byte{0x80, 0x90, 0xBF} {
		full := append(slices.Clone(b), fill, fill, fill)
		if r, size := utf8.DecodeRune(full); r != utf8.RuneError && size > len(b) || size == 3 && r == utf8.RuneError {
			return true
		}
	}
	return false
}
