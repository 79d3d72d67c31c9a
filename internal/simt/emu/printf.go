package emu

import (
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// piece is a part of a format: a text, or a verb of Go's with how its value is read.
type piece struct {
	text string
	arg  func(x uint64) any // nil for a text
	bits int
}

// printf decodes the pseudo-instruction: one line for each lane.
func printf(d *decoder) exec {
	pieces := d.format(d.in.Text)
	var args []int
	for i, n := 0, 0; i < len(pieces); i++ {
		if pieces[i].arg == nil {
			continue
		}
		bits := pieces[i].bits
		if o := d.op(n); o.Kind == simt.Register {
			bits = d.width(o)
		}
		if bits != pieces[i].bits {
			d.fail("%s wants %d bits, but the value has %d", pieces[i].text, pieces[i].bits, bits)
		}
		args = append(args, d.src(n, pieces[i].bits))
		n++
	}
	if len(args) != len(d.ops) {
		d.fail("the format %q has %d values, not %d", d.in.Text, len(args), len(d.ops))
	}
	return func(w *warp, m uint32) {
		var out strings.Builder
		w.each(m, func(lane int) {
			n := 0
			for _, p := range pieces {
				if p.arg == nil {
					out.WriteString(p.text)
					continue
				}
				fmt.Fprintf(&out, p.text, p.arg(w.v[args[n]][lane]))
				n++
			}
		})
		r := w.block.cluster.run
		r.print.Lock()
		defer r.print.Unlock()
		if r.Stdout != nil {
			if _, err := io.WriteString(r.Stdout, out.String()); err != nil {
				w.fault(first(m), "printf: %v", err)
			}
		}
	}
}

// verbs says how each of C's conversions reads 32 and 64 bits, and what Go's verb is.
var verbs = map[byte]struct {
	verb string
	wide func(x uint64) any
	word func(x uint64) any
}{
	'd': {"d", func(x uint64) any { return int64(x) }, func(x uint64) any { return int32(x) }},
	'i': {"d", func(x uint64) any { return int64(x) }, func(x uint64) any { return int32(x) }},
	'u': {"d", func(x uint64) any { return x }, func(x uint64) any { return uint32(x) }},
	'x': {"x", func(x uint64) any { return x }, func(x uint64) any { return uint32(x) }},
	'X': {"X", func(x uint64) any { return x }, func(x uint64) any { return uint32(x) }},
	'o': {"o", func(x uint64) any { return x }, func(x uint64) any { return uint32(x) }},
	'c': {"s", nil, func(x uint64) any { return string([]byte{byte(x)}) }},
	'p': {"s", func(x uint64) any { return fmt.Sprintf("0x%x", x) }, nil},
	'f': {"s", nil, nil}, 'F': {"s", nil, nil}, 'e': {"s", nil, nil}, 'E': {"s", nil, nil}, 'g': {"s", nil, nil}, 'G': {"s", nil, nil},
	'a': {"s", nil, nil}, 'A': {"s", nil, nil},
}

// format takes C's format apart.
func (d *decoder) format(s string) (pieces []piece) {
	for s != "" {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			return append(pieces, piece{text: s})
		}
		if i > 0 {
			pieces = append(pieces, piece{text: s[:i]})
		}
		s = s[i+1:]
		if strings.HasPrefix(s, "%") {
			pieces, s = append(pieces, piece{text: "%"}), s[1:]
			continue
		}
		end := strings.IndexAny(s, "diuxXocpfFeEgGaA")
		if end < 0 {
			d.fail("the format %q has an unknown conversion", d.in.Text)
			return nil
		}
		pieces = append(pieces, d.conversion(s[:end], s[end]))
		s = s[end+1:]
	}
	return pieces
}

// conversion is one conversion of a format: flags, width, precision and length, and the letter.
func (d *decoder) conversion(flags string, letter byte) piece {
	for _, n := range strings.FieldsFunc(flags, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(strings.TrimLeft(n, "0")) > len("4096") {
			d.fail("the format %q has a width or precision of more than 4 digits", d.in.Text)
		}
	}
	length := strings.TrimLeft(flags, "-+ #0123456789.")
	flags = strings.TrimSuffix(flags, length)
	v := verbs[letter]
	long := length == "l" || length == "ll" || length == "z" || length == "j" || length == "t"
	if length != "" && !long && strings.Trim(length, "h") != "" {
		d.fail("the format %q has an unknown conversion", d.in.Text)
	}
	switch {
	case strings.IndexByte("fFeEgGaA", letter) >= 0:
		return piece{"%s", func(x uint64) any { return cFloat(flags, letter, f64(x)) }, 64}
	case letter == 'p', long && v.wide != nil:
		return piece{"%" + flags + v.verb, v.wide, 64}
	}
	return piece{"%" + flags + v.verb, v.word, 32}
}

var exponents = strings.NewReplacer("p+0", "p+", "p-0", "p-", "P+0", "P+", "P-0", "P-")

// cFloat writes a float as C does.
func cFloat(flags string, letter byte, x float64) string {
	if x != x || x-x != 0 {
		s := map[bool]string{true: "inf", false: "nan"}[x == x]
		if x < 0 {
			s = "-" + s
		}
		if letter < 'a' {
			s = strings.ToUpper(s)
		}
		width, _, _ := strings.Cut(strings.ReplaceAll(flags, "0", ""), ".")
		return fmt.Sprintf("%"+width+"s", s)
	}
	if letter == 'a' || letter == 'A' { // C's exponent has no zero in front
		return exponents.Replace(fmt.Sprintf("%"+flags+string(letter+'x'-'a'), x))
	}
	if !strings.Contains(flags, ".") {
		flags += ".6" // Go's g writes as many digits as are needed
	}
	return fmt.Sprintf("%"+flags+string(letter), x)
}
