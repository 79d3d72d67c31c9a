package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// columns reports whether a tile of all elements has the segment's rows.
func (f *finder) columns(t *tileir.TileType) bool {
	return t.Size() == f.Rows*f.Cols && (f.Rows == 1 || lastOf(t) == f.Cols)
}

// decide decides for an operation with a tile of its own.
func (f *finder) decide(op *tileir.Op, t *tileir.TileType) (Kind, class, bool) {
	switch op.Info.Opcode {
	case tileir.OpLoadViewTko:
		_, ok := lane.Form(t)
		return Load, full, ok && !f.stores && !f.gathers && !slices.ContainsFunc(op.Group(1), f.inside) && f.columns(t) && op.Int("memory_ordering_semantics") == int64(tileir.MemoryWeak)
	case tileir.OpLoadPtrTko:
		return Through, full, f.from != nil && f.through(op, t)
	case tileir.OpReduce:
		if n, inner := folded(op, t); inner > 1 {
			return Reduce, column, f.reducesColumns(op)
		} else {
			return Reduce, row, f.down == nil && n == f.Cols && f.reduces(op, n)
		}
	case tileir.OpScan:
		return Scan, full, f.scans(op)
	case tileir.OpBroadcast:
		return Spread, full, f.spreads(op)
	case tileir.OpExtract:
		return Spread, full, f.extracts(op)
	case tileir.OpCat:
		return Join, full, f.joins(op)
	case tileir.OpIota:
		_, ok := lane.Form(t)
		return Count, full, ok && f.columns(t) && t.Elem.IsInt() && t.Elem != tileir.I1
	}
	if f.known.renames(op) {
		return f.aliases(op, t)
	}
	if !lane.Elementwise(op.Info.Opcode) || !lane.Supports(op) {
		return 0, 0, false
	}
	c, ok := f.classOf(op, t)
	if c == full && f.known.Indexed != nil && f.known.Indexed(op) {
		return Index, c, ok
	}
	return Lanes, c, ok
}

// aliases takes a reshape of a value of the segment that does not mix rows and columns. What a load or store permutes keeps its
// elements where they are.
func (f *finder) aliases(op *tileir.Op, t *tileir.TileType) (Kind, class, bool) {
	x := f.values[op.Operands[0]]
	if x == nil {
		return 0, 0, false
	}
	if op.Info.Opcode == tileir.OpPermute {
		return Alias, x.class, x.class == full
	}
	return Alias, x.class, x.class != full || f.columns(t)
}

// classOf finds of what an elementwise operation has an element each. Its operands have one shape.
func (f *finder) classOf(op *tileir.Op, t *tileir.TileType) (class, bool) {
	found := map[class]bool{}
	for _, v := range op.Operands {
		if x := f.values[v]; x != nil {
			found[x.class] = true
		} else if _, ok := lane.Form(lane.TileOf(v)); !ok {
			return 0, false
		}
	}
	switch {
	case found[row] && found[full] || found[column]:
		return 0, false
	case found[row]:
		return row, t.Size() == f.Rows
	case found[part]:
		return 0, false
	}
	return full, f.columns(t)
}

// spreads reports whether the segment can do a broadcast: of a row's value along the columns, or of a value from before it.
func (f *finder) spreads(op *tileir.Op) bool {
	from, to := lane.TileOf(op.Operands[0]), lane.TileOf(op.Results[0])
	if _, ok := lane.Form(from); !ok || !f.columns(to) {
		return false
	}
	if x := f.values[op.Operands[0]]; x != nil {
		if x.class == part {
			return f.reaches(op.Operands[0], f.placeIn(op))
		}
		_, cols, all := f.bits()
		return x.class == row && spread(op).is(field{cols, 0, all - cols})
	}
	if from.Size() > 1 && !f.known.Splat(op.Operands[0]) {
		f.rowed = f.rowed || f.Rows > 1
	}
	return true
}

// extracts reports whether the segment can take a part of a value from before it.
func (f *finder) extracts(op *tileir.Op) bool {
	v := op.Operands[0]
	from, to := lane.TileOf(v), lane.TileOf(op.Results[0])
	if _, ok := lane.Form(from); !ok || f.inside(v) || !f.columns(to) {
		return false
	}
	if from.Size() > 1 && !f.known.Splat(v) {
		f.rowed = f.rowed || f.Rows > 1
	}
	_, ok := skipped(op)
	return ok
}

// joins reports whether the segment can join two tiles of one shape, from before it or parts.
func (f *finder) joins(op *tileir.Op) bool {
	a, c := op.Operands[0], op.Operands[1]
	t := lane.TileOf(a)
	form, ok := lane.Form(t)
	if !ok || lane.Class(form) == vec.Mask || !slices.Equal(t.Shape, lane.TileOf(c).Shape) || !f.columns(lane.TileOf(op.Results[0])) {
		return false
	}
	for _, v := range op.Operands[:2] {
		if f.inside(v) && (f.values[v].class != part || !f.reaches(v, f.placeIn(op))) {
			return false
		}
	}
	f.rowed = f.rowed || f.Rows > 1
	return true
}

// folded gives how many elements of a tile a reduction folds, and how many reductions go side by side, in the dimensions behind it.
func folded(op *tileir.Op, t *tileir.TileType) (n, inner int) {
	dim := int(op.Int("dim"))
	inner = 1
	for _, m := range t.Shape[dim+1:] {
		inner *= m
	}
	return t.Shape[dim], inner
}

// reduces reports whether the segment can do a reduction: of full tiles with rows of the segment's length.
func (f *finder) reduces(op *tileir.Op, n int) bool {
	fits := func(t *tileir.TileType) bool { return f.columns(t) && lastOf(t) == f.Cols }
	if n > longest || !f.operands(op, fits) || !f.body(op) || !f.turns(forward) {
		return false
	}
	f.rowed = true
	return true
}

// MostFolded is the most operands of a reduction or scan.
const MostFolded = 8

// operands reports whether the operands of a reduction or scan are full tiles that fit, with elements that lanes hold.
func (f *finder) operands(op *tileir.Op, fits func(t *tileir.TileType) bool) bool {
	if len(op.Operands) > MostFolded {
		return false
	}
	for _, v := range op.Operands {
		t := lane.TileOf(v)
		if _, ok := lane.Form(t); !ok || !fits(t) {
			return false
		}
		if x := f.values[v]; x != nil && x.class != full {
			return false
		}
	}
	return true
}

// body reports whether the body of a reduction or scan is elementwise operations on single elements.
func (f *finder) body(op *tileir.Op) bool {
	for _, o := range op.Regions[0].Ops {
		if !f.folds(o) {
			return false
		}
	}
	return true
}

// folds reports whether an operation may be part of a reduction's body.
func (f *finder) folds(o *tileir.Op) bool {
	for _, v := range slices.Concat(o.Operands, o.Results) {
		if t := lane.TileOf(v); t == nil || t.Rank() > 0 || f.inside(v) {
			return false
		}
	}
	return o.Info.Opcode == tileir.OpYield || o.Info.Opcode == tileir.OpConstant || lane.Elementwise(o.Info.Opcode) && lane.Supports(o)
}
