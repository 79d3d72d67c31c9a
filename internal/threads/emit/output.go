package emit

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/emulate/cformat"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// assert looks at each element.
func (e *emitter) assert(op *tileir.Op) {
	v := op.Operands[0]
	message, _ := op.Attr("message").(tileir.String)
	seen := map[ir.Value]bool{}
	for _, x := range e.get(v, e.current(v)) {
		if !seen[x] {
			seen[x] = true
			e.Assert(x, fmt.Sprintf("assertion failed: %s", message))
		}
	}
}

// maxPrinted is the greatest number of elements that one operation prints; a thread has maxTogether of them in registers, and maxAtOnce go
// into one call of printf, which takes few.
const (
	maxPrinted  = 1 << 14
	maxTogether = 1 << 10
	maxAtOnce   = 24
)

// printer collects what the first thread prints.
type printer struct {
	*emitter
	format strings.Builder
	args   []ir.Value
	calls  []call
	value  *tileir.Value
	elems  []ir.Value // a part of the value
}

// call is one of printf.
type call struct {
	format string
	args   []ir.Value
}

// print lets the first thread print, which gets tiles through shared memory. A tile is printed in brackets.
func (e *emitter) print(op *tileir.Op) {
	format, _ := op.Attr("str").(tileir.String)
	pieces, err := cformat.Parse(string(format))
	if err != nil {
		e.refuse("the format %q: %v", format, err)
	}
	values := op.Group(0)
	if len(values) != len(pieces)-1 {
		e.refuse("the format %q has %d conversions for %d values", format, len(pieces)-1, len(values))
	}
	total := 0
	for _, v := range values {
		if total += typeOf(v).Size(); total > maxPrinted {
			e.refuse("it prints %d elements or more: at most %d", total, maxPrinted)
		}
	}
	p := &printer{emitter: e}
	for i, piece := range pieces {
		p.text(piece.Text)
		if piece.Verb != 0 {
			p.value = values[i]
			p.tile(&piece, typeOf(values[i]), 0, 0)
		}
	}
	p.flush()
	p.write()
}

// gather gives each thread the elements of a tile from the first one on: all, or so many as a thread may have.
func (p *printer) gather(first int) {
	t := typeOf(p.value)
	n := min(t.Size(), maxTogether)
	l := p.p.Block.Uniform()
	l.Reg = linear.Identity(linear.Log2(n))
	if n == t.Size() {
		p.elems = p.get(p.value, l)
		return
	}
	p.write() // what was gathered before needs its registers no more
	s := p.stagePart("print", p.value, (t.Size()-1)&^(n-1), first)
	p.elems = make([]ir.Value, n)
	p.read(s, p.elems, l, all)
	for i, x := range p.elems {
		p.elems[i] = p.fromMemory(t, x)
	}
}

// write lets the first thread print what was collected.
func (p *printer) write() {
	if len(p.calls) > 0 {
		p.If(p.Compare(vec.I32, vec.EQ, p.thread(), p.Int(0)), false, func() {
			for _, c := range p.calls {
				p.Print(c.format, c.args...)
			}
		}, nil)
	}
	p.calls = nil
}

// text adds text that printf would read as a format.
func (p *printer) text(s string) { p.format.WriteString(strings.ReplaceAll(s, "%", "%%")) }

func (p *printer) flush() {
	if p.format.Len() > 0 {
		p.calls = append(p.calls, call{p.format.String(), p.args})
	}
	p.format.Reset()
	p.args = nil
}

// tile adds the elements of a dimension.
func (p *printer) tile(piece *cformat.Piece, t *tileir.TileType, dim, first int) {
	if dim == t.Rank() {
		if len(p.args) == maxAtOnce {
			p.flush()
		}
		if first%maxTogether == 0 {
			p.gather(first)
		}
		p.element(piece, t, p.elems[first%maxTogether])
		return
	}
	step := 1
	for _, n := range t.Shape[dim+1:] {
		step *= n
	}
	p.text("[")
	for i := range t.Shape[dim] {
		if i > 0 {
			p.text(", ")
		}
		p.tile(piece, t, dim+1, first+i*step)
	}
	p.text("]")
}

// element adds a conversion, with its value in 64 bits.
func (p *printer) element(piece *cformat.Piece, t *tileir.TileType, x ir.Value) {
	spec := "%" + piece.Flags
	if piece.Width > 0 {
		spec += fmt.Sprint(piece.Width)
	}
	if piece.Prec >= 0 {
		spec += fmt.Sprintf(".%d", piece.Prec)
	}
	float := strings.IndexByte("eEfFgGaA", piece.Verb) >= 0
	unsigned := strings.IndexByte("uoxX", piece.Verb) >= 0
	x = p.wideValue(t, x, float, unsigned)
	switch {
	case float || piece.Verb == 'p':
		spec += string(piece.Verb)
	case piece.Verb == 'c':
		spec += "c"
		x = p.Convert(vec.Truncate, vec.I32, vec.I64, x)
	case piece.Verb == 's':
		p.refuse("a GPU does not print by %%s")
	default:
		spec += "ll" + string(piece.Verb)
	}
	p.format.WriteString(spec)
	p.args = append(p.args, x)
}

// wideValue is an element as a float64 or as an integer of 64 bits.
func (p *printer) wideValue(t *tileir.TileType, x ir.Value, float, unsigned bool) ir.Value {
	form := p.form(t)
	if t.Pointer || !t.Elem.IsFloat() {
		switch {
		case form == vec.NoType:
			x = p.Do(vec.Select, vec.I64, x, p.Const(vec.I64, 1), p.Const(vec.I64, 0))
		case form != vec.I64 && (unsigned || t.Elem.Bits() < 8):
			x = p.Convert(vec.ZeroExtend, vec.I64, form, x)
		case form != vec.I64:
			x = p.Convert(vec.SignExtend, vec.I64, form, x)
		}
		if float {
			x = p.Convert(vec.FromInt, vec.F64, vec.I64, x)
		}
		return x
	}
	x = p.converted(x, t.Elem, tileir.F64, 0)
	if !float {
		x = p.Convert(vec.ToInt, vec.I64, vec.F64, x)
	}
	return x
}
