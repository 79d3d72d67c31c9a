package cformat

import (
	"errors"
	"strconv"
	"strings"
)

// Verbs are the conversions that there are.
const Verbs = "diuoxXeEfFgGaAcsp"

// Piece is a part of a format: a text, and the conversion that follows it.
type Piece struct {
	Text   string
	Flags  string // of "-+ #0", as written
	Width  int
	Prec   int    // -1 where none is given
	Length string // of hlLqjzt, as written
	Verb   byte   // one of Verbs; 0 for the text at the end
}

// ErrVerb is the mistake of a format whose conversion is none of Verbs.
var ErrVerb = errors.New("a conversion is not one of " + Verbs)

// Parse takes a format apart. The last piece is the text at the end, which may be empty. A width or precision that no int
// holds is the greatest one.
func Parse(format string) ([]Piece, error) {
	var out []Piece
	var text strings.Builder
	for rest := format; rest != ""; {
		before, after, found := strings.Cut(rest, "%")
		text.WriteString(before)
		if rest = after; !found {
			break
		}
		if strings.HasPrefix(rest, "%") {
			text.WriteByte('%')
			rest = rest[1:]
			continue
		}
		p := Piece{Text: text.String(), Prec: -1}
		text.Reset()
		p.Flags, rest = leading(rest, "-+ #0")
		p.Width, rest = number(rest)
		if strings.HasPrefix(rest, ".") {
			p.Prec, rest = number(rest[1:])
		}
		p.Length, rest = leading(rest, "hlLqjzt")
		if rest == "" || strings.IndexByte(Verbs, rest[0]) < 0 {
			return nil, ErrVerb
		}
		p.Verb, rest = rest[0], rest[1:]
		out = append(out, p)
	}
	return append(out, Piece{Text: text.String(), Prec: -1}), nil
}

// leading cuts what has only bytes of a set off the front.
func leading(s, set string) (front, rest string) {
	rest = strings.TrimLeft(s, set)
	return s[:len(s)-len(rest)], rest
}

func number(s string) (n int, rest string) {
	digits, rest := leading(s, "0123456789")
	n, _ = strconv.Atoi(digits) // the greatest int where it is too large
	return n, rest
}

func (p *Piece) has(flag byte) bool { return strings.IndexByte(p.Flags, flag) >= 0 }
