package cost

import (
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// memory counts an access; it reports false if that differs within a range.
func (e *evaluator) memory(op *tileir.Op) bool {
	n, elem, ok := int64(0), tileir.NoElem, false
	switch t := op.Address().Type.(type) {
	case tileir.ViewType:
		elem = t.TensorView().Elem
		n, ok = e.inside(op)
	case *tileir.TileType:
		elem = t.Elem
		n, ok = e.masked(op, t.Size())
	}
	if !ok {
		return false
	}
	per := int64(elem.PerByte())
	bytes := mul((n+per-1)/per, int64(elem.Bytes()))
	if op.Info.Reads {
		e.counts.Loaded = add(e.counts.Loaded, bytes)
	}
	if op.Info.Writes {
		e.counts.Stored = add(e.counts.Stored, bytes)
	}
	if op.Info.AttrIndex("mode") >= 0 && tileir.Int(op.Int("mode")) == tileir.AtomicAddF {
		e.count(Arithmetic, elem, n)
	}
	return true
}

// masked is how many elements of a tile of pointers are used.
func (e *evaluator) masked(op *tileir.Op, size int) (int64, bool) {
	mask := op.Operand("mask")
	if mask == nil {
		return int64(size), true
	}
	switch m := e.nums[mask]; {
	case m.exact():
		return m.lo * int64(size), true
	case m.elems != nil:
		n := int64(0)
		for _, v := range m.elems {
			n += v
		}
		return n, true
	case e.split(m.deps):
		return 0, false
	case m.known:
		e.note(op, manyCases)
	default:
		e.note(op, "the mask is not known: every element is counted")
	}
	return int64(size), true
}

// inside is how many elements of a tile lie in the tensor.
func (e *evaluator) inside(op *tileir.Op) (int64, bool) {
	view := op.Operand("view")
	index := op.Group(op.Info.OperandIndex("index"))
	extents := e.views[view]
	total := int64(1)
	for i, w := range view.Type.(tileir.ViewType).Axes() {
		if total == 0 {
			break
		}
		k, extent := e.nums[index[i]], extents[w.Dim]
		if w.Sparse {
			total *= e.picked(op, k, extent, w)
			continue
		}
		n, deps, known := inside(w, k, extent)
		if !known {
			if e.split(deps) {
				return 0, false
			}
			n = w.Extent
			if deps != 0 {
				e.note(op, manyCases)
			} else {
				e.note(op, "an index is not known: the whole tile is counted")
			}
		}
		total *= n
	}
	return total, true
}

// inside is how much of a tile lies in the tensor along one dimension.
func inside(w tileir.ViewAxis, k, extent number) (n int64, deps uint64, known bool) {
	const far = 1 << 40 // beyond it products with a step might not fit
	deps = k.deps | extent.deps
	if !k.known || !extent.known {
		return 0, 0, false
	}
	first, last := max(-far, min(far, k.lo))*w.Step, max(-far, min(far, k.hi))*w.Step
	switch {
	case first >= 0 && last+w.Extent <= extent.lo:
		return w.Extent, 0, true
	case last+w.Extent <= 0 || first >= extent.hi:
		return 0, 0, true
	case k.exact() && extent.exact():
		return min(w.Extent, extent.lo-first) - max(0, -first), 0, true
	}
	return 0, deps, false
}

// picked is how many of a list of indices lie in the tensor.
func (e *evaluator) picked(op *tileir.Op, k, extent number, w tileir.ViewAxis) int64 {
	if !k.listed() || !extent.exact() {
		if !k.known || k.lo < 0 || !extent.known || k.hi >= extent.lo {
			e.note(op, "the indices along the sparse dimension are not known: each is counted as inside")
		}
		return w.Extent
	}
	n := int64(0)
	for i := range int(w.Extent) {
		if v := k.at(i); v >= 0 && v < extent.lo {
			n++
		}
	}
	return n
}

// makeTensor notes the extents of a tensor.
func (e *evaluator) makeTensor(op *tileir.Op) {
	t := op.Results[0].Type.(*tileir.TensorViewType)
	dynamic := op.Group(op.Info.OperandIndex("dynamicShape"))
	extents := make([]number, len(t.Shape))
	for i, d := range t.Shape {
		if d != tileir.Dynamic {
			extents[i] = exactly(d)
			continue
		}
		extents[i], dynamic = e.nums[dynamic[0]], dynamic[1:]
	}
	e.views[op.Results[0]] = extents
}

func (e *evaluator) makeView(op *tileir.Op) { e.views[op.Results[0]] = e.views[op.Operands[0]] }

// shapes gives the results of get_tensor_shape and get_index_space_shape.
func (e *evaluator) shapes(op *tileir.Op) {
	extents := e.views[op.Operands[0]]
	if _, isTensor := op.Operands[0].Type.(*tileir.TensorViewType); isTensor {
		for i, r := range op.Results {
			e.nums[r] = extents[i]
		}
		return
	}
	axes := op.Operands[0].Type.(tileir.ViewType).Axes()
	for i, r := range op.Results {
		extent := compute(interval.Greatest, extents[axes[i].Dim], exactly(0))
		e.nums[r] = compute(interval.QuoUp, extent, exactly(axes[i].Step))
	}
}
