package bytecode_test

import (
	"math/rand/v2"
	"slices"

	. "github.com/cutile-go/cutile/tileir"
)

// elemNear is another element type, often one of the same width.
func elemNear(rnd *rand.Rand, e Elem) Elem {
	for {
		x := I1 + Elem(rnd.IntN(int(FNV8E5M3FNU)))
		if x != e && (rnd.IntN(3) > 0 || x.Bits() == e.Bits()) {
			return x
		}
	}
}

// typeNear changes one thing about a type.
func typeNear(rnd *rand.Rand, t Type) Type {
	if rnd.IntN(12) == 0 {
		return pick(rnd, typesOf(Newest))
	}
	switch t := t.(type) {
	case *TileType:
		return tileNear(rnd, t)
	case *TensorViewType:
		return tensorNear(rnd, t)
	case ViewType:
		return viewNear(rnd, t)
	}
	return pick(rnd, typesOf(Newest))
}

func tileNear(rnd *rand.Rand, t *TileType) Type {
	u := *t
	switch rnd.IntN(8) {
	case 0:
		u.Pointer = !t.Pointer
		u.PtrAttr = u.PtrAttr && u.Pointer
	case 1:
		if u.PtrAttr = !t.PtrAttr; rnd.IntN(4) > 0 {
			u.Pointer = true
		}
	case 2:
		if t.Rank() == 0 {
			return ScalarType{Elem: t.Elem, Pointer: t.Pointer, PtrAttr: t.PtrAttr}
		}
		u.Shape = extentsNear(rnd, t.Shape)
	case 3, 4:
		u.Shape = extentsNear(rnd, t.Shape)
	default:
		u.Elem = elemNear(rnd, t.Elem)
	}
	return &u
}

// extentsNear changes one extent, the rank or the order.
func extentsNear(rnd *rand.Rand, shape []int) []int {
	out := slices.Clone(shape)
	if len(out) == 0 || rnd.IntN(5) == 0 {
		return slices.Insert(out, rnd.IntN(len(out)+1), pick(rnd, []int{1, 1, 2, 4, 3}))
	}
	i := rnd.IntN(len(out))
	switch rnd.IntN(8) {
	case 0:
		return slices.Delete(out, i, i+1)
	case 1:
		out[i] = pick(rnd, []int{0, -1, 3, 1 << 24, 1 << 25, 1 << 40})
	case 2, 3:
		out[i] = max(1, out[i]/2)
	case 4:
		j := rnd.IntN(len(out))
		out[i], out[j] = out[j], out[i]
	default:
		out[i] *= 2
	}
	return out
}

func tensorNear(rnd *rand.Rand, t *TensorViewType) Type {
	u := *t
	u.Shape, u.Strides = slices.Clone(t.Shape), slices.Clone(t.Strides)
	extent := func(xs []int64) {
		if len(xs) > 0 {
			xs[rnd.IntN(len(xs))] = pick(rnd, []int64{Dynamic, 1, 2, 7, 64, 1 << 33, 0, -1})
		}
	}
	switch rnd.IntN(8) {
	case 0:
		u.PtrAttr = !t.PtrAttr
	case 1, 2:
		extent(u.Shape)
	case 3, 4:
		extent(u.Strides)
	case 5:
		u.Shape = append(u.Shape, 4)
		if rnd.IntN(4) > 0 {
			u.Strides = append(u.Strides, 1)
		}
	case 6:
		if n := len(u.Shape); n > 0 {
			u.Shape, u.Strides = u.Shape[:n-1], u.Strides[:n-1]
		}
	default:
		u.Elem = elemNear(rnd, t.Elem)
	}
	return &u
}

// parts are what views consist of.
type parts struct {
	tile, traversal, dims []int
	tensor                *TensorViewType
	padding               Padding
	sparse                int
}

func partsOf(v ViewType) parts {
	switch v := v.(type) {
	case *PartitionViewType:
		return parts{v.Tile, v.Tile, v.DimMap, v.Tensor, v.Padding, 0}
	case *StridedViewType:
		return parts{v.Tile, v.Traversal, v.DimMap, v.Tensor, v.Padding, 0}
	}
	g := v.(*GatherScatterViewType)
	dims := make([]int, len(g.Tile))
	for i := range dims {
		dims[i] = i
	}
	return parts{g.Tile, g.Tile, dims, g.Tensor, g.Padding, g.SparseDim}
}

// view makes a view of the kind of another.
func (p parts) view(like ViewType) ViewType {
	switch like.(type) {
	case *PartitionViewType:
		return &PartitionViewType{Tile: p.tile, Tensor: p.tensor, DimMap: p.dims, Padding: p.padding}
	case *StridedViewType:
		return &StridedViewType{Tile: p.tile, Traversal: p.traversal, Tensor: p.tensor, DimMap: p.dims, Padding: p.padding}
	}
	return &GatherScatterViewType{Tile: p.tile, Tensor: p.tensor, SparseDim: p.sparse, Padding: p.padding}
}

func viewNear(rnd *rand.Rand, v ViewType) Type {
	p := partsOf(v)
	like := v
	switch rnd.IntN(9) {
	case 0:
		p.tile = extentsNear(rnd, p.tile)
	case 1:
		p.traversal = slices.Clone(p.traversal)
		if len(p.traversal) > 0 {
			p.traversal[rnd.IntN(len(p.traversal))] = pick(rnd, []int{1, 3, 64, 0, -1})
		}
	case 2, 3:
		p.dims = dimsNear(rnd, p.dims)
	case 4, 5:
		p.padding = pick(rnd, []Padding{NoPadding, PadZero, PadNegZero, PadNaN, PadPosInf, PadNegInf, 5})
	case 6:
		if t, ok := tensorNear(rnd, p.tensor).(*TensorViewType); ok {
			p.tensor = t
		}
	case 7:
		p.sparse = pick(rnd, []int{0, 1, 2, -1})
	default:
		like = pick(rnd, []ViewType{part, stride, gather})
	}
	return p.view(like)
}

// dimsNear changes a list of dimensions.
func dimsNear(rnd *rand.Rand, dims []int) []int {
	out := slices.Clone(dims)
	if len(out) == 0 {
		return []int{0}
	}
	i, j := rnd.IntN(len(out)), rnd.IntN(len(out))
	switch rnd.IntN(5) {
	case 0:
		return out[:len(out)-1]
	case 1:
		return append(out, len(out))
	case 2:
		out[i] = pick(rnd, []int{0, 1, len(out), -1})
	default:
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// mapTypes gives each value and constant of the module the type that change makes of its own.
func (u *mutant) mapTypes(change func(Type) Type) {
	for _, v := range u.values() {
		v.Type = change(v.Type)
	}
	for _, s := range u.sites {
		for i, a := range s.op.Attrs {
			if c, ok := a.(*Constant); ok {
				if t, ok := change(c.Type).(*TileType); ok && !Identical(t, c.Type) {
					s.op.Attrs[i] = refit(c, t)
				}
			}
			if ns, ok := a.(Numbers); ok {
				s.op.Attrs[i] = mapNumbers(ns, change)
			}
		}
	}
}

// refit gives a constant another type: the data stays where it fits, else one element of zero bits fills the tile.
func refit(c *Constant, t *TileType) *Constant {
	if t.Elem == c.Type.Elem && len(c.Data) == (c.Type.Elem.Bits()+7)/8 {
		return &Constant{Type: t, Data: c.Data}
	}
	return &Constant{Type: t, Data: make([]byte, (t.Elem.Bits()+7)/8)}
}

func mapNumbers(ns Numbers, change func(Type) Type) Attr {
	out := slices.Clone(ns)
	for i, n := range ns {
		if t, ok := change(Tile(n.Elem)).(*TileType); ok && t.Elem != n.Elem {
			out[i] = Number{Elem: t.Elem, Bits: n.Bits & (1<<t.Elem.Bits() - 1)}
		}
	}
	return out
}

// withElem changes the element type wherever it stands in a type.
func withElem(t Type, from, to Elem) Type {
	switch t := t.(type) {
	case *TileType:
		if t.Elem == from {
			u := *t
			u.Elem = to
			return &u
		}
	case *TensorViewType:
		if t.Elem == from {
			u := *t
			u.Elem = to
			return &u
		}
	case ViewType:
		if p := partsOf(t); p.tensor.Elem == from {
			p.tensor = withElem(p.tensor, from, to).(*TensorViewType)
			return p.view(t)
		}
	}
	return t
}

// withExtent changes an extent wherever it stands in the shape of a tile.
func withExtent(t Type, from, to int) Type {
	swap := func(shape []int) []int {
		out := slices.Clone(shape)
		for i, d := range out {
			if d == from {
				out[i] = to
			}
		}
		return out
	}
	switch t := t.(type) {
	case *TileType:
		u := *t
		u.Shape = swap(t.Shape)
		return &u
	case *TensorViewType:
	case ViewType:
		p := partsOf(t)
		p.tile = swap(p.tile)
		return p.view(t)
	}
	return t
}
