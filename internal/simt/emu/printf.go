package emu

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/emulate/cformat"
	"github.com/cutile-go/cutile/internal/simt"
)

// printed is a conversion of a format, with what it reads.
type printed struct {
	cformat.Piece
	bits int
	arg  func(x uint64) any
}

// printf decodes the pseudo-instruction: one line for each lane.
func printf(d *decoder) exec {
	pieces, end := d.format(d.in.Text)
	if len(pieces) != len(d.ops) {
		d.fail("the format %q has %d values, not %d", d.in.Text, len(pieces), len(d.ops))
	}
	var args []int
	for i, p := range pieces {
		bits := p.bits
		if o := d.op(i); o.Kind == simt.Register {
			bits = d.width(o)
		}
		if bits != p.bits {
			d.fail("%%%s%c wants %d bits, but the value has %d", p.Length, p.Verb, p.bits, bits)
		}
		args = append(args, d.src(i, p.bits))
	}
	return func(w *warp, m uint32) {
		var out []byte
		w.each(m, func(lane int) {
			for i, p := range pieces {
				out = p.Append(append(out, p.Text...), p.arg(w.v[args[i]][lane]))
			}
			out = append(out, end...)
		})
		w.print(first(m), out)
	}
}

// maxPrinted is the greatest width or precision.
const maxPrinted = 9999

// format takes C's format apart: the conversions, and the text behind them.
func (d *decoder) format(s string) (list []printed, end string) {
	list, end, err := conversions(s)
	if err != nil {
		d.fail("%v", err)
		return nil, ""
	}
	if slices.ContainsFunc(list, func(p printed) bool { return p.Verb == 's' }) {
		d.fail("the format %q has an unknown conversion", s)
	}
	return list, end
}

// reading says how a conversion reads its value: a float, or an integer of 32 bits, or 64 where the length is a long one.
func reading(p cformat.Piece) printed {
	signed := p.Verb == 'd' || p.Verb == 'i'
	switch {
	case strings.IndexByte("fFeEgGaA", p.Verb) >= 0:
		return printed{p, 64, func(x uint64) any { return f64(x) }}
	case p.Verb == 'p', p.Verb == 's', p.Verb != 'c' && strings.ContainsAny(p.Length, "ljzt"):
		if signed {
			return printed{p, 64, func(x uint64) any { return int64(x) }}
		}
		return printed{p, 64, func(x uint64) any { return x }}
	case signed:
		return printed{p, 32, func(x uint64) any { return int64(int32(x)) }}
	}
	return printed{p, 32, func(x uint64) any { return uint64(uint32(x)) }}
}
