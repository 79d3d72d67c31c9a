package eval

import "github.com/cutile-go/cutile/internal/simt"

// passing makes arguments of a kernel what they are in the kernel: a dynamic number is a parameter, one for each register
// of the host function, and what a pointer or slice leads to is a variable of the kernel's own.
type passing struct {
	*evaluator
	params map[simt.Reg]*num
	cells  map[*cell]*cell
	args   []simt.Operand // of the host function, by parameter
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
		return &structVal{v.typ, p.all(v.fields)}
	case *arrayVal:
		return &arrayVal{p.all(v.elems)}
	case *iface:
		return &iface{v.typ, p.value(v.v)}
	}
	return p.mapLeaves(v, p.number)
}

func (p *passing) all(vs []value) []value {
	out := make([]value, len(vs))
	for i, v := range vs {
		out[i] = p.value(v)
	}
	return out
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
