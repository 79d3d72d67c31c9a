package tileir

import "slices"

func checkMakeTensor(c *checker, o *Op) {
	t, base := o.Results[0].Type.(*TensorViewType), tileOf(o, "base")
	if base.Elem != t.Elem {
		c.fail("operand base: expected a pointer to %v, but found %v", t.Elem, base)
	}
	if base.PtrAttr != t.PtrAttr {
		c.fail("result: expected the pointer attribute of the base, %v, but found %v", base, t)
	}
	shape, strides := o.Named("dynamicShape"), o.Named("dynamicStrides")
	if n := dynamicCount(t.Shape); n != len(shape) {
		c.fail("operand dynamicShape: %v has %d dynamic extents, but found %d values", t, n, len(shape))
	}
	if n := dynamicCount(t.Strides); n != len(strides) {
		c.fail("operand dynamicStrides: %v has %d dynamic strides, but found %d values", t, n, len(strides))
	}
	all := slices.Concat(shape, strides)
	for _, v := range all {
		if !Identical(v.Type, all[0].Type) {
			c.fail("expected extents and strides of one type, but found %v and %v", all[0].Type, v.Type)
			return
		}
	}
}

func dynamicCount(xs []int64) int {
	n := 0
	for _, x := range xs {
		if x == Dynamic {
			n++
		}
	}
	return n
}

func checkMakeView(c *checker, o *Op) {
	if want, got := o.Results[0].Type.(ViewType).TensorView(), o.Operands[0].Type; !Identical(want, got) {
		c.fail("operand tensor_view: expected %v, but found %v", want, got)
	}
}

func checkIndexSpace(c *checker, o *Op) {
	c.countResults(o, len(o.Operands[0].Type.(ViewType).TensorView().Shape))
}

func checkTensorShape(c *checker, o *Op) {
	c.countResults(o, len(o.Operands[0].Type.(*TensorViewType).Shape))
}

func (c *checker) countResults(o *Op, rank int) {
	if len(o.Results) != rank {
		c.fail("expected %d results, one a dimension, but found %d", rank, len(o.Results))
	}
}

// checkViewAccess checks a load or store of one tile of a view.
func checkViewAccess(c *checker, o *Op) {
	view := o.Operand("view").Type.(ViewType)
	t := o.Named("tile")[0].Type
	if !Identical(t, view.TileType()) {
		c.fail("tile: expected the tile of the view, %v, but found %v", view.TileType(), t)
	}
	c.index(o, view)
	if b, ok := o.Attr("inbounds").(Bools); ok && c.version >= V13_4 && len(b) != len(o.Named("index")) {
		c.fail("attribute inbounds: expected %d truth values, but found %d", len(o.Named("index")), len(b))
	}
}

// index checks the indices of a tile of a view: scalars of one type, and along the sparse dimension of a
// gather-scatter view one index for each of the tile's elements.
func (c *checker) index(o *Op, view ViewType) {
	index := o.Named("index")
	if rank := len(view.TensorView().Shape); len(index) != rank {
		c.fail("operand index: expected %d values, one a dimension, but found %d", rank, len(index))
		return
	}
	sparse := -1
	if g, ok := view.(*GatherScatterViewType); ok {
		sparse = g.SparseDim
		if t := index[sparse].Type.(*TileType); t.Rank() != 1 || t.Shape[0] != g.Tile[sparse] {
			c.fail("operand index: expected %d indices along the sparse dimension %d, but found %v", g.Tile[sparse], sparse, t)
		}
	}
	var first Type
	for i, v := range index {
		if i == sparse {
			continue
		}
		if first == nil {
			first = v.Type
		}
		if t := v.Type.(*TileType); t.Rank() != 0 || !Identical(t, first) {
			c.fail("operand index: expected scalars of one integer type, but value %d is %v", i, t)
		}
	}
}
