package plan

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

const (
	mostBox  = 256 // elements of a box along a dimension
	mostDims = 5   // of a tensor
	mostMaps = 16  // of a kernel, whose parameters have 4352 bytes before PTX 8.1; a map has 128
)

// tensors describes the tensors that the feeds of a loop come from, but for those by pointers, and reports whether all of these can be copied as
// boxes.
func (p *Plan) tensors(loop *tileir.Op) bool {
	if contains(loop, func(o *tileir.Op) bool { return o.Info.Opcode == tileir.OpReturn }) { // which would leave copies under way
		return p.unboxed(loop, Returns, nil)
	}
	if p.maps()+len(p.Loops[loop]) > mostMaps {
		return p.unboxed(loop, ManyMaps, nil)
	}
	for _, f := range p.Loops[loop] {
		if f.Load.Info.Opcode == tileir.OpLoadPtrTko {
			continue // the threads copy that one
		}
		t, why := p.tensor(f.Load)
		if t == nil {
			return p.unboxed(loop, why, f.Load)
		}
		f.Tensor = t
	}
	return p.Boxed(loop)
}

// contains reports whether such an operation lies in another one.
func contains(op *tileir.Op, such func(*tileir.Op) bool) bool {
	for b := range op.Blocks() {
		if slices.ContainsFunc(b.Ops, func(o *tileir.Op) bool { return such(o) || contains(o, such) }) {
			return true
		}
	}
	return false
}

// tensor describes the tensor of an access, for boxes that lie in shared memory as [Place] says: its address, extents and strides are parameters
// or known, and rows begin at multiples of 16 bytes. What the hardware further demands of numbers, the launch finds out. It is nil if there is
// a reason why not.
func (p *Plan) tensor(op *tileir.Op) (*ir.Tensor, Why) {
	view := op.Operand("view")
	if view.Def == nil || view.Def.Info.Opcode != tileir.OpMakePartitionView {
		return nil, NoPartition
	}
	tensor, a, vec := view.Def.Operands[0].Def, p.Info.Access(op), p.Vector(op)
	if tensor == nil || tensor.Info.Opcode != tileir.OpMakeTensorView || a.Base == nil || vec.Dim < 0 {
		return nil, NoPartition
	}
	base, ok := p.param(tensor.Operand("base"))
	vt, tt := view.Type.(tileir.ViewType), tensor.Results[0].Type.(*tileir.TensorViewType)
	size := tt.Elem.Bytes()
	switch {
	case !ok:
		return nil, NoBase
	case len(a.Dims) > mostDims || len(a.Dims) != len(tt.Shape) || tt.Elem.PerByte() > 1 || size > 8:
		return nil, NoMap
	case low(a.Align) < Widest:
		return nil, Unaligned
	}
	t := &ir.Tensor{Base: base, Bytes: size, Width: min(lineBytes, a.Dims[vec.Dim].Size*size)}
	if t.Width < 2*Widest {
		return nil, ShortRows
	}
	for _, d := range Order(len(a.Dims), vec.Dim) {
		dim, axis := &a.Dims[d], vt.Axes()[d].Dim
		extent, ok1 := p.given(tensor, tt.Shape, 1, axis)
		stride, ok2 := p.given(tensor, tt.Strides, 2, axis)
		box := dim.Size
		if d == vec.Dim {
			box = t.Width / size
			ok2 = ok2 && dim.Step == access.Contiguous
		} else if s := p.Info.Divisor(dim.Stride) * int64(size); s%Widest != 0 || s == 0 {
			return nil, Unaligned
		}
		switch {
		case !ok1:
			return nil, NoExtent
		case !ok2:
			return nil, NoStride
		case box > mostBox:
			return nil, LongBox
		}
		t.Dims = append(t.Dims, ir.TensorDim{Extent: extent, Stride: stride, Box: box})
	}
	if row := a.Dims[vec.Dim].Size; row > t.Dims[0].Box && vt.TileType().Size()/row < lineBytes/Widest {
		return nil, FewRows // how pieces lie in lines, addresses decide, so that the second part of the rows would not begin anew
	}
	return t, 0
}

// Order lists the dimensions of a tile in the order of those of its tensor: the contiguous one, and the others from the last one on.
func Order(rank, contiguous int) []int {
	order := []int{contiguous}
	for d := rank - 1; d >= 0; d-- {
		if d != contiguous {
			order = append(order, d)
		}
	}
	return order
}

// param finds the parameter that a value is, whatever is promised of it.
func (p *Plan) param(v *tileir.Value) (n int, ok bool) {
	for v.Def != nil && v.Def.Info.Opcode == tileir.OpAssume {
		v = v.Def.Operands[0]
	}
	n = slices.Index(p.Entry.Params, v)
	return n, n >= 0
}

// given is an extent or a stride of a tensor view, of which those that are not known are a group of operands.
func (p *Plan) given(tensor *tileir.Op, list []int64, group, axis int) (n ir.Number, ok bool) {
	if list[axis] != tileir.Dynamic {
		return ir.Number{Value: list[axis]}, true
	}
	at := 0
	for _, x := range list[:axis] {
		if x == tileir.Dynamic {
			at++
		}
	}
	v := tensor.Group(group)[at]
	t := v.Type.(*tileir.TileType)
	n.Param, ok = p.param(v)
	n.Bits = t.Elem.Bits()
	return n, ok && n.Bits >= 8
}
