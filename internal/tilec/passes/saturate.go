package passes

import (
	"math"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// saturate guards the conversions of floats to integers whose results the assembler may compute itself. The instructions of
// GPUs saturate, but the assembler takes a conversion of a number that it knows, or of an integer that became a float, for
// undefined where the integer type cannot hold it: it stores an integer's low bits, or nothing at all. Selections take the
// greatest, the least, and zero for NaN. Tile IR's own saturation does the same with as many instructions, but only from
// version 13.4 on.
func saturate(e *tileir.Entry) {
	if !has(e, tileir.OpFToI) {
		return
	}
	k := &knowing{joined: joins(e.Body), ranges: ranges.New(e), known: map[*tileir.Value]bool{}, seen: map[*tileir.Value]bool{}}
	var w rewriter
	w.block(e.Body, func(o *tileir.Op) {
		w.keep(o)
		if o.Info.Opcode == tileir.OpFToI && o.Int("saturating") == 0 && k.unsafe(o) {
			w.guard(o, k.signed)
		}
	})
}

// unsafe reports whether a conversion needs the guard.
func (k *knowing) unsafe(ftoi *tileir.Op) bool {
	clear(k.seen)
	k.to, k.signed = ftoi.Results[0].Type.(*tileir.TileType).Elem.Bits(), ftoi.Int("signedness") == int64(tileir.Signed)
	return k.mayFold(ftoi.Operands[0])
}

// guard emits the operations after a conversion that make it saturate. The last of them has its result.
func (w *rewriter) guard(ftoi *tileir.Op, signed bool) {
	x, res := ftoi.Operands[0], ftoi.Results[0]
	from, to := x.Type.(*tileir.TileType), res.Type.(*tileir.TileType)
	emit := func(code int, operands []*tileir.Value, t *tileir.TileType, attrs ...tileir.Attr) *tileir.Value {
		return w.emit(tileir.LookupOpcode(code), operands, attrs, t, ftoi.Loc)
	}
	if _, ok := formats[from.Elem]; !ok { // the others cannot be compared
		from = tileir.Tile(tileir.F32, from.Shape...)
		x = emit(tileir.OpFToF, []*tileir.Value{x}, from, tileir.RoundingNearestEven)
	}
	bits := to.Elem.Bits()
	past, under, greatest, least := math.Ldexp(1, bits), 0.0, int64(-1), int64(0)
	if signed {
		past, under, greatest, least = math.Ldexp(1, bits-1), math.Ldexp(-1, bits-1), 1<<(bits-1)-1, -1<<(bits-1)
	}
	converted := &tileir.Value{Type: to, Def: ftoi}
	ftoi.Results, res.Def = []*tileir.Value{converted}, nil
	for _, c := range []struct {
		predicate tileir.Int
		border    *tileir.Constant
		result    int64
	}{
		{tileir.CompareGreaterThanOrEqual, tileir.FloatConstant(from, past), greatest},
		{tileir.CompareLessThanOrEqual, tileir.FloatConstant(from, under), least},
		{tileir.CompareNotEqual, nil, 0}, // x is not x: NaN
	} {
		with, ordering := x, tileir.CompareUnordered
		if c.border != nil {
			with, ordering = w.constant(c.border, ftoi.Loc), tileir.CompareOrdered
		}
		is := emit(tileir.OpCmpF, []*tileir.Value{x, with}, tileir.Tile(tileir.I1, from.Shape...), c.predicate, ordering)
		instead := w.constant(tileir.IntConstant(to, c.result), ftoi.Loc)
		converted = emit(tileir.OpSelect, []*tileir.Value{is, instead, converted}, to)
	}
	last := w.out[len(w.out)-1]
	last.Results, res.Def = []*tileir.Value{res}, last
}

// knowing finds what the assembler knows of floats.
type knowing struct {
	joined map[*tileir.Value][]*tileir.Value
	ranges *ranges.Ranges
	known  map[*tileir.Value]bool
	seen   map[*tileir.Value]bool // values that mayFold has asked about

	to     int // the integers' bits
	signed bool
}

// moves are the operations whose results are elements of their float operands.
var moves = ranges.OpSet(tileir.OpReshape, tileir.OpBroadcast, tileir.OpPermute, tileir.OpExtract, tileir.OpCat, tileir.OpSelect, tileir.OpAssume)

// mayFold reports whether the assembler may find an element of v that the integers cannot hold.
func (k *knowing) mayFold(v *tileir.Value) bool {
	if !isFloat(v) || k.seen[v] {
		return false
	}
	k.seen[v] = true
	from := k.joined[v]
	if v.Def != nil && moves[v.Def.Info.Opcode] {
		from = v.Def.Operands
	}
	for _, w := range from {
		if k.mayFold(w) {
			return true
		}
	}
	switch {
	case len(from) > 0 || v.Def == nil:
		return false
	case v.Def.Info.Opcode == tileir.OpConstant:
		return !k.holds(v.Def.Attr("value").(*tileir.Constant))
	case v.Def.Info.Opcode == tileir.OpIToF:
		return !k.holdsInts(v.Def)
	}
	return k.knows(v)
}

// knows reports whether v comes from nothing but constants and integers.
func (k *knowing) knows(v *tileir.Value) bool {
	if got, ok := k.known[v]; ok || !isFloat(v) {
		return got || !ok
	}
	k.known[v] = true // a loop's value may come to itself
	from := k.joined[v]
	if from == nil && v.Def != nil {
		from = v.Def.Operands
	}
	all := from != nil || v.Def != nil && v.Def.Info.Opcode == tileir.OpConstant
	if v.Def != nil && v.Def.Info.Opcode != tileir.OpIToF {
		all = all && v.Def.Info.Pure
	}
	for _, w := range from {
		all = all && k.knows(w)
	}
	k.known[v] = all
	return all
}

// holds reports whether the integers hold every element of a constant: its magnitude is below a power of two.
func (k *knowing) holds(c *tileir.Constant) bool {
	f, ok := formats[c.Type.Elem]
	if !ok {
		return false
	}
	limit := k.to
	if k.signed {
		limit--
	}
	for i := range c.Type.Size() {
		bits := c.Element(i)
		magnitude := bits &^ (1 << (f.Man + f.Exp))
		exponent := int(magnitude>>f.Man) - (1<<(f.Exp-1) - 1)
		if exponent >= limit || !k.signed && bits != magnitude && magnitude != 0 {
			return false
		}
	}
	return true
}

// holdsInts reports whether the integers hold those that become floats.
func (k *knowing) holdsInts(itof *tileir.Op) bool {
	s := k.ranges.Span(itof.Operands[0])
	if itof.Int("signedness") != int64(tileir.Signed) && !s.NonNegative() {
		return false // its upper half is read as negative numbers here
	}
	return s.Within(interval.Type{Bits: k.to, Signed: k.signed}.Range())
}

func isFloat(v *tileir.Value) bool {
	t, ok := v.Type.(*tileir.TileType)
	return ok && !t.Pointer && t.Elem.IsFloat()
}

// joins gives the values that the results of branches and loops, and the arguments of a loop's body, may be.
func joins(b *tileir.Block) map[*tileir.Value][]*tileir.Value {
	m := map[*tileir.Value][]*tileir.Value{}
	meet := func(to, from []*tileir.Value) {
		for i, v := range to {
			m[v] = append(m[v], from[i])
		}
	}
	b.Walk(func(o *tileir.Op, around []*tileir.Op) bool {
		switch o.Info.Opcode {
		case tileir.OpFor:
			carried := o.Regions[0].Args[1:]
			meet(carried, o.Operands[3:])
			meet(o.Results, carried)
		case tileir.OpLoop:
			meet(o.Regions[0].Args, o.Operands)
		case tileir.OpYield:
			if in := around[len(around)-1]; in.Info.Opcode == tileir.OpIf {
				meet(in.Results, o.Operands)
			}
		case tileir.OpContinue:
			args := loopOf(around).Regions[0].Args
			meet(args[len(args)-len(o.Operands):], o.Operands)
		case tileir.OpBreak:
			meet(loopOf(around).Results, o.Operands)
		}
		return true
	})
	return m
}

// loopOf is the innermost loop of those around an operation.
func loopOf(around []*tileir.Op) *tileir.Op {
	last := len(around) - 1
	for around[last].Info.Opcode != tileir.OpFor && around[last].Info.Opcode != tileir.OpLoop {
		last--
	}
	return around[last]
}
