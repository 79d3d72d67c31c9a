package access

import (
	"slices"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// roots is a set of the memory that pointers point to, by number.
type roots uint64

// unknownRoot is memory of which nothing is known.
const unknownRoot roots = 1 << 63

// root is memory that pointers come from: one field is set.
type root struct {
	param  int // 1 + the number of a parameter
	global string
	alloca *tileir.Op
}

func (in *Info) rootSet(r root) roots {
	n, ok := in.rootOf[r]
	if !ok {
		if n = len(in.kinds); n == 63 {
			return unknownRoot
		}
		in.rootOf[r], in.kinds = n, append(in.kinds, r)
	}
	return 1 << n
}

// rootsOf is the memory that pointers of a tile may point to.
func (in *Info) rootsOf(v *tileir.Value) roots {
	r, ok := in.roots[v]
	if !ok {
		r = in.collect(v, map[*tileir.Value]bool{})
		in.roots[v] = r
	}
	return r
}

// collect follows pointers to where they begin; a loop's value may come to itself.
func (in *Info) collect(v *tileir.Value, seen map[*tileir.Value]bool) (r roots) {
	if seen[v] {
		return 0
	}
	seen[v] = true
	from := in.pointersFrom(v)
	if len(from) == 0 {
		return in.origin(v)
	}
	for _, w := range from {
		r |= in.collect(w, seen)
	}
	return r
}

func (in *Info) origin(v *tileir.Value) roots {
	switch n := in.values[v]; {
	case n.param >= 0:
		return in.rootSet(root{param: int(n.param) + 1})
	case v.Def == nil:
	case v.Def.Info.Opcode == tileir.OpGetGlobal:
		return in.rootSet(root{global: string(v.Def.Attr("name").(tileir.String))})
	case v.Def.Info.Opcode == tileir.OpAlloca:
		return in.rootSet(root{alloca: v.Def})
	}
	return unknownRoot
}

// pointersFrom gives the pointers that those of a value are or are made of, by arithmetic that leaves them in the same memory. It
// gives none for values that pointers begin with.
func (in *Info) pointersFrom(v *tileir.Value) (from []*tileir.Value) {
	switch {
	case v.Def == nil:
		return in.incoming(v)
	case v.Def.Info.Opcode == tileir.OpIf:
		return in.yields(v)
	case v.Def.Info.Opcode == tileir.OpFor || v.Def.Info.Opcode == tileir.OpLoop:
		return in.outgoing(v)
	case !v.Def.Info.Pure || len(v.Def.Regions) > 0:
		return nil
	}
	for _, w := range v.Def.Operands {
		if t, ok := w.Type.(*tileir.TileType); ok && t.Pointer {
			from = append(from, w)
		}
	}
	return from
}

// yields are the values that a result of an if may be.
func (in *Info) yields(v *tileir.Value) (out []*tileir.Value) {
	i := slices.Index(v.Def.Results, v)
	for b := range v.Def.Blocks() {
		if last := b.Ops[len(b.Ops)-1]; last.Info.Opcode == tileir.OpYield {
			out = append(out, last.Operands[i])
		}
	}
	return out
}

// MayTouch reports whether two accesses may touch the same byte, each of them in any block and any iteration. Pointers that are
// made by arithmetic stay in the memory of those that they are made of.
func (in *Info) MayTouch(a, b *Access) bool {
	if !in.mayShare(a.roots, b.roots) {
		return false
	}
	return a.Base == nil || a.Base != b.Base || !in.fixed(a.Base) || in.meet(a, b)
}

// Scratch reports whether an access may touch memory that an alloca of the entry made.
func (in *Info) Scratch(a *Access) bool {
	for i, k := range in.kinds {
		if k.alloca != nil && (a.roots&unknownRoot != 0 || a.roots>>i&1 != 0) {
			return true
		}
	}
	return false
}

// Memory says whose memory an access may touch: that of parameters, by their numbers, what an alloca of the entry made, or others.
func (in *Info) Memory(a *Access) (params []int, scratch, others bool) {
	others = a.roots&unknownRoot != 0
	for i, k := range in.kinds {
		switch {
		case a.roots>>i&1 == 0:
		case k.param > 0:
			params = append(params, k.param-1)
		case k.alloca != nil:
			scratch = true
		default:
			others = true
		}
	}
	return params, scratch, others
}

// fixed reports whether a pointer is the same in all blocks and iterations.
func (in *Info) fixed(base *tileir.Value) bool {
	return in.values[base].param >= 0 || base.Def != nil && base.Def.Info.Opcode == tileir.OpGetGlobal
}

// ReadOnly reports whether nothing that the entry does may write the memory that an access touches.
func (in *Info) ReadOnly(a *Access) bool {
	for _, b := range in.accesses {
		if b.Writes && in.MayTouch(a, b) {
			return false
		}
	}
	return true
}

// mayShare reports whether two sets have memory that may overlap.
func (in *Info) mayShare(a, b roots) bool {
	if (a|b)&unknownRoot != 0 {
		return true
	}
	for i := range in.kinds {
		for j := range in.kinds {
			if a>>i&1 != 0 && b>>j&1 != 0 && (i == j || !in.apart(in.kinds[i], in.kinds[j])) {
				return true
			}
		}
	}
	return false
}

// apart reports whether two kinds of memory surely do not overlap.
func (in *Info) apart(a, b root) bool {
	switch {
	case a.alloca != nil || b.alloca != nil, a.global != "" && b.global != "":
		return true
	}
	return in.facts.Apart != nil && in.facts.Apart(a.number(), b.number())
}

func (r root) number() int {
	if r.param == 0 {
		return Globals
	}
	return r.param - 1
}

// meet reports whether two accesses from the same pointer may touch the same byte: the ranges of their bytes overlap.
func (in *Info) meet(a, b *Access) bool {
	s, ok1 := in.bytes(a)
	t, ok2 := in.bytes(b)
	_, common := s.Common(t)
	return !ok1 || !ok2 || common
}

// bytes is the range of the bytes that an access touches, from its base on.
func (in *Info) bytes(a *Access) (interval.Range, bool) {
	f, ok := a.Start.plus(a.Gathered)
	for d, dim := range a.Dims {
		if dim.Step == Same || !ok {
			continue
		}
		var along Form
		if along, ok = dim.Stride.times(in.index(d, dim.Size)); ok {
			f, ok = f.plus(along)
		}
	}
	s, fits := in.spanOf(f)
	size := int64(a.Elem.Bytes())
	first, ok1 := interval.Mul.Range(ranges.Int64s, s, interval.Ints(size, size))
	last, ok2 := interval.Add.Range(ranges.Int64s, interval.One(first.Hi), interval.Ints(size-1, size-1))
	return interval.Range{Lo: first.Lo, Hi: last.Hi}, ok && fits && ok1 && ok2 && a.Elem.PerByte() == 1
}
