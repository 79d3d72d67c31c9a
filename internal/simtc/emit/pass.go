package emit

import (
	"fmt"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// passing turns the arguments of a kernel into what they are inside the kernel. Each dynamic number
// becomes a parameter, one for each register of the host function. The variable that a pointer or
// slice leads to becomes a variable of the kernel's own, as the two functions share no registers.
type passing struct {
	*Emitter
	params map[simt.Reg]*Num
	cells  map[*Cell]*Cell
	args   []simt.Operand // of the host function, by parameter
	name   string         // what the source calls the value that is passed
}

// argument gives the value that a parameter with that name has in the kernel.
func (p *passing) argument(name string, v Value) Value {
	p.name = name
	return p.value(v)
}

// value gives an argument as the kernel has it.
func (p *passing) value(v Value) Value {
	switch v := v.(type) {
	case *Pointer:
		return &Pointer{p.cell(v.Cell), v.Path}
	case *Slice:
		s := *v
		s.Array = &Pointer{p.cell(v.Array.Cell), v.Array.Path}
		return &s
	case *Struct:
		return &Struct{v.Type, p.all(v.Fields, func(i int) string { return "." + v.Type.Field(i).Name() })}
	case *Array:
		return &Array{p.all(v.Elems, func(i int) string { return fmt.Sprintf("[%d]", i) })}
	case *StandIn:
		return &StandIn{v.Type, p.all(v.Elems, func(i int) string { return fmt.Sprintf("[%d]", i) })}
	case *Iface:
		return &Iface{v.Type, p.value(v.V)}
	case *Tensor:
		out := p.MapLeaves(v, p.number).(*Tensor)
		p.points(v)
		return out
	}
	return p.MapLeaves(v, p.number)
}

// all gives the parts of an argument as the kernel has them. part gives what follows the name of
// the whole in the name of a part.
func (p *passing) all(vs []Value, part func(i int) string) []Value {
	out, name := make([]Value, len(vs)), p.name
	for i, v := range vs {
		out[i] = p.argument(name+part(i), v)
	}
	p.name = name
	return out
}

// points notes which tensor begins at an address, for messages about accesses outside of it.
func (p *passing) points(t *Tensor) {
	n, ok := t.Base.(*Num)
	if !ok || t.Space != Global || t.Elem == nil {
		return
	}
	i := slices.IndexFunc(p.args, func(a simt.Operand) bool { return a.Kind == simt.Register && a.Reg == n.Reg })
	if i >= 0 && p.B.Params[i].Tensor == "" {
		// A checked launch names the tensor when an address is outside of its memory.
		p.B.Params[i].Tensor, p.B.Params[i].ElemBits = p.name, max(8, t.Elem.Bits)
	}
}

// cell gives the kernel's variable for a variable of the host function. Two pointers to one
// variable point to one variable in the kernel, too.
func (p *passing) cell(c *Cell) *Cell {
	if p.cells[c] == nil {
		p.cells[c] = p.NewCell(c.Name, c.Type, nil)
		if c.v != nil {
			p.cells[c].v = p.value(c.v)
		}
	}
	return p.cells[c]
}

// number gives a leaf of an argument in the kernel: a parameter if it is dynamic, itself if it is
// static.
func (p *passing) number(leaf Value) Value {
	n, ok := leaf.(*Num)
	if !ok {
		return leaf
	}
	param := p.params[n.Reg]
	if param == nil {
		// Tensors of one memory share its address: one parameter is enough for a register.
		param = p.Param(Span{n.Elem, n.in}, n.Div)
		p.params[n.Reg] = param
		p.args = append(p.args, n.Op())
	}
	r := *param
	// Two arguments may share a register and still know different things of its number.
	r.Elem, r.in, r.Div = n.Elem, n.in, max(n.Div, 1)
	return &r
}

// StandIn holds the values that an argument of a kernel stands for.
type StandIn struct {
	Type  types.Type
	Elems []Value
}

// MapLeaves implements [Mapper].
func (s *StandIn) MapLeaves(em *Emitter, f func(Value) Value) Value {
	return &StandIn{s.Type, em.mapAll(s.Elems, f)}
}
