package eval

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// passing makes arguments of a kernel what they are in the kernel: a dynamic number is a parameter, one for each register
// of the host function, and what a pointer or slice leads to is a variable of the kernel's own.
type passing struct {
	*emitter
	params map[simt.Reg]*num
	cells  map[*cell]*cell
	args   []simt.Operand // of the host function, by parameter
	name   string         // what the source calls the value that is passed
}

// argument is the value of a parameter of that name in the kernel.
func (p *passing) argument(name string, v value) value {
	p.name = name
	return p.value(v)
}

// value is an argument in the kernel.
func (p *passing) value(v value) value {
	switch v := v.(type) {
	case *pointer:
		return &pointer{p.cell(v.cell), v.path}
	case *sliceVal:
		s := *v
		s.arr = &pointer{p.cell(v.arr.cell), v.arr.path}
		return &s
	case *structVal:
		return &structVal{v.typ, p.all(v.fields, func(i int) string { return "." + v.typ.Field(i).Name() })}
	case *arrayVal:
		return &arrayVal{p.all(v.elems, func(i int) string { return fmt.Sprintf("[%d]", i) })}
	case *standIn:
		return &standIn{v.typ, p.all(v.elems, func(i int) string { return fmt.Sprintf("[%d]", i) })}
	case *iface:
		return &iface{v.typ, p.value(v.v)}
	case *tensor:
		out := p.mapLeaves(v, p.number).(*tensor)
		p.points(v)
		return out
	}
	return p.mapLeaves(v, p.number)
}

func (p *passing) all(vs []value, part func(i int) string) []value {
	out, name := make([]value, len(vs)), p.name
	for i, v := range vs {
		out[i] = p.argument(name+part(i), v)
	}
	p.name = name
	return out
}

// points notes which tensor begins at an address.
func (p *passing) points(t *tensor) {
	n, ok := t.base.(*num)
	if !ok || t.space != global || t.elem == nil {
		return
	}
	i := slices.IndexFunc(p.args, func(a simt.Operand) bool { return a.Kind == simt.Register && a.Reg == n.reg })
	if i >= 0 && p.b.Params[i].Tensor == "" {
		p.b.Params[i].Tensor, p.b.Params[i].ElemBits = p.name, max(8, t.elem.Bits)
	}
}

// cell is a variable of the host function as one of the kernel: the same one for the same.
func (p *passing) cell(c *cell) *cell {
	if p.cells[c] == nil {
		p.cells[c] = p.newCell(c.name, c.typ, nil)
		if c.v != nil {
			p.cells[c].v = p.value(c.v)
		}
	}
	return p.cells[c]
}

// number is a leaf as a parameter: what is static stays as it is.
func (p *passing) number(leaf value) value {
	n, ok := leaf.(*num)
	if !ok {
		return leaf
	}
	param := p.params[n.reg]
	if param == nil {
		param = p.param(span{n.elem, n.in}, n.div)
		p.params[n.reg] = param
		p.args = append(p.args, n.op())
	}
	r := *param
	r.elem, r.in, r.div = n.elem, n.in, max(n.div, 1)
	return &r
}

// standIn is the values that an argument of a kernel stands for.
type standIn struct {
	typ   types.Type
	elems []value
}

func (s *standIn) mapLeaves(em *emitter, f func(value) value) value {
	return &standIn{s.typ, em.mapAll(s.elems, f)}
}
