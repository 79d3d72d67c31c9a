package reduce

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// symbols removes entries and globals.
func (r *reducer) symbols() (bool, error) {
	entries, err := r.halves(func() int { return len(r.best.module.Entries) }, func(t *tree, from, to int) bool {
		if to-from >= len(t.module.Entries) {
			return false
		}
		t.module.Entries = slices.Delete(t.module.Entries, from, to)
		return true
	})
	if err != nil {
		return entries, err
	}
	globals, err := r.halves(func() int { return len(r.best.module.Globals) }, func(t *tree, from, to int) bool {
		t.module.Globals = slices.Delete(t.module.Globals, from, to)
		return true
	})
	return entries || globals, err
}

// extras removes source positions, and hints of entries.
func (r *reducer) extras() (bool, error) {
	places, err := r.try(func(t *tree) bool {
		for _, g := range t.module.Globals {
			g.Loc = tileir.Loc{}
		}
		for _, e := range t.module.Entries {
			e.Loc = tileir.Loc{}
		}
		for op := range t.module.All() {
			op.Loc = tileir.Loc{}
		}
		return true
	})
	if err != nil {
		return places, err
	}
	hints, err := r.each(func() int { return len(r.best.module.Entries) }, 1, func(t *tree, i, _ int) bool {
		had := t.module.Entries[i].Hints != nil
		t.module.Entries[i].Hints = nil
		return had
	})
	return places || hints, err
}

// operands removes operands that are optional, or one of any number.
func (r *reducer) operands() (bool, error) {
	n := func() int { return len(r.best.spots()) }
	most := 0
	for _, s := range r.best.spots() {
		most = max(most, len(s.op.Operands))
	}
	return r.each(n, most, func(t *tree, i, way int) bool {
		op := t.spots()[i].op
		if way >= len(op.Operands) || op.Segments == nil {
			return false
		}
		for g, at := 0, 0; g < len(op.Segments); g++ {
			if at += op.Segments[g]; way < at {
				if op.Info.Operands[g].Single() {
					return false
				}
				dropOperand(op, way)
				return true
			}
		}
		return false
	})
}

// attributes removes attributes that are optional, sets others to their plain values, all of an operation or one, and makes constants of one
// number.
func (r *reducer) attributes() (bool, error) {
	n := func() int { return len(r.best.spots()) }
	most := 0
	for _, in := range tileir.Infos() {
		most = max(most, len(in.Attrs))
	}
	return r.each(n, (most+1)*len(plainer), func(t *tree, i, way int) (changed bool) {
		op := t.spots()[i].op
		k, f := way/len(plainer)-1, plainer[way%len(plainer)]
		for j, a := range op.Attrs {
			if a != nil && (k < 0 || k == j) {
				plain, ok := f(&op.Info.Attrs[j], a)
				if ok {
					op.Attrs[j], changed = plain, true
				}
			}
		}
		return changed
	})
}

// plainer gives attributes that say less; ok is false where there is none.
var plainer = []func(in *tileir.AttrInfo, a tileir.Attr) (plain tileir.Attr, ok bool){
	func(in *tileir.AttrInfo, a tileir.Attr) (tileir.Attr, bool) {
		if in.Optional || in.Coding == tileir.UnitAttr {
			return nil, true
		}
		return plainValue(in, a)
	},
	plainValue,
	func(in *tileir.AttrInfo, a tileir.Attr) (tileir.Attr, bool) {
		c, ok := a.(*tileir.Constant)
		if !ok || !c.Fits() {
			return a, false
		}
		_, splat := c.Splat()
		return tileir.SplatConstant(c.Type, c.Element(0)), !splat
	},
	func(in *tileir.AttrInfo, a tileir.Attr) (tileir.Attr, bool) { return number(a, 0) },
	func(in *tileir.AttrInfo, a tileir.Attr) (tileir.Attr, bool) { return number(a, 1) },
}

// plainValue is the value of an attribute that says the least: its default, the first of an enum, or false.
func plainValue(in *tileir.AttrInfo, a tileir.Attr) (tileir.Attr, bool) {
	switch a := a.(type) {
	case tileir.Bool:
		return tileir.Bool(false), bool(a)
	case tileir.Int:
		plain := tileir.Int(in.Default)
		switch {
		case in.HasDefault:
		case in.Allowed != nil:
			plain = tileir.Int(in.Allowed[0])
		case in.Enum == nil:
			return a, false
		}
		return plain, a != plain
	}
	return a, false
}

// number is a constant of one number in place of another.
func number(a tileir.Attr, x int64) (tileir.Attr, bool) {
	c, ok := a.(*tileir.Constant)
	if !ok || !c.Fits() {
		return a, false
	}
	if c.Type.Elem.IsFloat() {
		return tileir.FloatConstant(c.Type, float64(x)), true
	}
	return tileir.IntConstant(c.Type, x), true
}

// params removes parameters, in whose place there are other values of their types.
func (r *reducer) params() (bool, error) {
	if r.o.KeepParams {
		return false, nil
	}
	for e := range r.best.module.Entries {
		found, err := r.each(func() int { return len(r.best.module.Entries[e].Params) }, len(standIns), func(t *tree, i, way int) bool {
			entry := t.module.Entries[e]
			old := entry.Params[i]
			entry.Params = slices.Delete(slices.Clone(entry.Params), i, i+1)
			if !t.used()[old] {
				return way == 0
			}
			v, op := standIns[way](spot{entry, entry.Body, entry.Body.Ops[0], nil}, old.Type)
			if v == nil {
				return false
			}
			t.replace(old, v)
			if op != nil {
				entry.Body.Ops = slices.Insert(entry.Body.Ops, 0, op)
			}
			return true
		})
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// extents makes extents of tiles smaller: each wherever it is, to 1 or to its half.
func (r *reducer) extents() (found bool, err error) {
	for _, n := range r.best.extents() {
		for _, to := range []int{1, n / 2} {
			for taken := true; taken && to < n; found = found || taken {
				if taken, err = r.try(func(t *tree) bool { return t.resize(n, to) }); err != nil {
					return found, err
				}
				if to == 1 {
					break
				}
				n, to = to, to/2
			}
		}
	}
	return found, nil
}

// extents lists the extents of tiles, the greatest first.
func (t *tree) extents() (out []int) {
	for op := range t.module.All() {
		for _, v := range op.Results {
			out = append(out, extentsOf(v.Type)...)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	slices.Reverse(out)
	return slices.DeleteFunc(out, func(n int) bool { return n == 1 })
}

// resize changes an extent of all tiles.
func (t *tree) resize(n, to int) bool {
	for op := range t.module.All() {
		for _, v := range op.Results {
			v.Type = resized(v.Type, n, to)
		}
		for r := range op.Blocks() {
			for _, v := range r.Args {
				v.Type = resized(v.Type, n, to)
			}
		}
		for i, a := range op.Attrs {
			if c, ok := a.(*tileir.Constant); ok && c.Fits() {
				op.Attrs[i] = resizedConstant(c, n, to)
			}
		}
	}
	return true
}

// resized is a type with another extent.
func resized(of tileir.Type, n, to int) tileir.Type {
	list := func(list []int) []int {
		out := slices.Clone(list)
		for i, x := range out {
			if x == n {
				out[i] = to
			}
		}
		return out
	}
	switch t := of.(type) {
	case *tileir.TileType:
		u := *t
		u.Shape = list(t.Shape)
		return &u
	case *tileir.PartitionViewType:
		u := *t
		u.Tile = list(t.Tile)
		return &u
	case *tileir.StridedViewType:
		u := *t
		u.Tile = list(t.Tile)
		return &u
	case *tileir.GatherScatterViewType:
		u := *t
		u.Tile = list(t.Tile)
		return &u
	}
	return of
}

// resizedConstant has the first elements of a constant.
func resizedConstant(c *tileir.Constant, n, to int) *tileir.Constant {
	t := resized(c.Type, n, to).(*tileir.TileType)
	if bits, ok := c.Splat(); ok {
		return tileir.SplatConstant(t, bits)
	}
	bits := make([]uint64, min(t.Size(), c.Type.Size()))
	for i := range bits {
		bits[i] = c.Element(i)
	}
	return &tileir.Constant{Type: t, Data: tileir.ElementData(t.Elem, bits...)}
}
