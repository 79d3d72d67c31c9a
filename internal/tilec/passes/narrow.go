package passes

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// narrow turns 64-bit integer arithmetic into 32-bit arithmetic where the ranges of its values prove that this makes no
// difference, and where only the low 32 bits of a result are used. Go's int has 64 bits; block ids, loop counters and
// view indices rarely need them.
func narrow(e *tileir.Entry) {
	n := &narrower{
		ranges: ranges.New(e), small: map[*tileir.Value]*tileir.Value{}, uses: uses(e.Body),
		subst: map[*tileir.Value]*tileir.Value{},
	}
	n.block(e.Body)
}

// int32s is the range of 32-bit integers.
var int32s = interval.Ints(math.MinInt32, math.MaxInt32)

type narrower struct {
	ranges *ranges.Ranges
	small  map[*tileir.Value]*tileir.Value // 64-bit values and their 32-bit twins
	subst  map[*tileir.Value]*tileir.Value // replaced results
	uses   map[*tileir.Value]int
	out    []*tileir.Op // the block being rewritten
	loc    tileir.Loc
}

// exact are the operations whose 32-bit form gives the same result where operands and results fit.
var exact = ranges.OpSet(tileir.OpAddI, tileir.OpSubI, tileir.OpMulI, tileir.OpDivI, tileir.OpRemI, tileir.OpMaxI, tileir.OpMinI,
	tileir.OpSelect, tileir.OpBroadcast, tileir.OpReshape, tileir.OpPermute, tileir.OpCmpI)

// modular are the operations whose low bits depend only on the low bits of the operands.
var modular = ranges.OpSet(tileir.OpAddI, tileir.OpSubI, tileir.OpMulI, tileir.OpAndI, tileir.OpOrI, tileir.OpXOrI, tileir.OpNegI,
	tileir.OpSelect, tileir.OpBroadcast, tileir.OpReshape, tileir.OpPermute)

func is64(v *tileir.Value) bool {
	t, ok := v.Type.(*tileir.TileType)
	return ok && t.Elem == tileir.I64 && !t.Pointer
}

func small(t tileir.Type) *tileir.TileType {
	return tileir.Tile(tileir.I32, t.(*tileir.TileType).Shape...)
}

func (n *narrower) block(b *tileir.Block) {
	outer := n.out
	n.out = make([]*tileir.Op, 0, len(b.Ops))
	for _, o := range b.Ops {
		n.op(o)
	}
	b.Ops, n.out = n.out, outer
}

func (n *narrower) op(o *tileir.Op) {
	n.loc = o.Loc
	for i, v := range o.Operands {
		if w, ok := n.subst[v]; ok {
			o.Operands[i] = w
		}
	}
	switch {
	case o.Info.Opcode == tileir.OpFor:
		n.loop(o)
	case o.Info.Opcode == tileir.OpLoadViewTko || o.Info.Opcode == tileir.OpStoreViewTko:
		n.index(o)
	case o.Info.Opcode == tileir.OpTruncI && is64(o.Operands[0]) && o.Results[0].Type.(*tileir.TileType).Elem == tileir.I32:
		if v := n.low(o.Operands[0]); v != nil {
			n.subst[o.Results[0]] = v
			return
		}
	case exact[o.Info.Opcode] && n.fits(o):
		n.shrink(o)
		return
	}
	for r := range o.Blocks() {
		n.block(r)
	}
	n.out = append(n.out, o)
}

// fits reports whether an operation on 64-bit integers can be done in 32 bits. A number that is read as unsigned divides as
// before only where it is not negative.
func (n *narrower) fits(o *tileir.Op) bool {
	operands := int32s
	if (o.Info.Opcode == tileir.OpDivI || o.Info.Opcode == tileir.OpRemI) && !ranges.Reads(o).Signed {
		operands.Lo = interval.Int{}
	}
	return slices.ContainsFunc(o.Operands, is64) && n.within(o.Operands, operands) && n.within(o.Results, int32s)
}

// within reports whether all 64-bit integers of some values are in a range.
func (n *narrower) within(vs []*tileir.Value, r interval.Range) bool {
	return !slices.ContainsFunc(vs, func(v *tileir.Value) bool { return is64(v) && !n.ranges.Span(v).Within(r) })
}

// shrink emits the 32-bit form and widens its result again; where nobody needs the wide one it is dropped later.
func (n *narrower) shrink(o *tileir.Op) {
	args := make([]*tileir.Value, len(o.Operands))
	for i, v := range o.Operands {
		args[i] = v
		if is64(v) {
			args[i] = n.twin(v)
		}
	}
	res := o.Results[0]
	if !is64(res) {
		o.Operands = args
		n.out = append(n.out, o)
		return
	}
	v := n.emit(o, args)
	n.ranges.Set(v, n.ranges.Span(res))
	wide := n.extend(v)
	n.ranges.Set(wide, n.ranges.Span(res))
	n.subst[res], n.small[wide] = wide, v
}

// emit emits an operation like o on 32-bit operands.
func (n *narrower) emit(o *tileir.Op, args []*tileir.Value) *tileir.Value {
	c := &tileir.Op{Info: o.Info, Operands: args, Segments: o.Segments, Attrs: o.Attrs, Loc: o.Loc}
	v := &tileir.Value{Type: small(o.Results[0].Type), Def: c}
	c.Results = []*tileir.Value{v}
	n.out = append(n.out, c)
	return v
}

func (n *narrower) extend(v *tileir.Value) *tileir.Value {
	in := tileir.LookupOpcode(tileir.OpExtI)
	attrs := tileir.Attrs(in, tileir.NamedAttr{Name: "signedness", Value: tileir.Signed})
	t := tileir.Tile(tileir.I64, v.Type.(*tileir.TileType).Shape...)
	o := tileir.NewOp(in, [][]*tileir.Value{{v}}, attrs, []tileir.Type{t}, nil, n.loc)
	n.out = append(n.out, o)
	return o.Results[0]
}

// twin is the 32-bit form of a value that fits.
func (n *narrower) twin(v *tileir.Value) *tileir.Value {
	if s, ok := n.small[v]; ok {
		return s
	}
	if s := n.cheap(v); s != nil {
		return s
	}
	return n.truncate(v)
}

func (n *narrower) truncate(v *tileir.Value) *tileir.Value {
	o := tileir.NewOp(tileir.LookupOpcode(tileir.OpTruncI), [][]*tileir.Value{{v}}, nil, []tileir.Type{small(v.Type)}, nil, n.loc)
	n.out = append(n.out, o)
	return o.Results[0]
}

// cheap finds a 32-bit form that costs nothing: what was extended, or a constant.
func (n *narrower) cheap(v *tileir.Value) *tileir.Value {
	if v.Def == nil {
		return nil
	}
	switch v.Def.Info.Opcode {
	case tileir.OpExtI:
		if from := v.Def.Operands[0]; from.Type.(*tileir.TileType).Elem == tileir.I32 {
			return from
		}
	case tileir.OpConstant:
		c, ok := v.Def.Attr("value").(*tileir.Constant)
		if !ok || len(c.Data) != 8 {
			return nil
		}
		t := small(v.Type)
		low := &tileir.Constant{Type: t, Data: binary.LittleEndian.AppendUint32(nil, uint32(ranges.SignExtend(c.Data)))}
		o := tileir.NewOp(v.Def.Info, nil, []tileir.Attr{low}, []tileir.Type{t}, nil, v.Def.Loc)
		n.out = append(n.out, o)
		return o.Results[0]
	}
	return nil
}

// low is the low half of a value, computed in 32 bits where nothing else needs the whole: nil if that does not pay.
func (n *narrower) low(v *tileir.Value) *tileir.Value {
	if s, ok := n.small[v]; ok {
		return s
	}
	if s := n.cheap(v); s != nil {
		return s
	}
	if v.Def == nil || !modular[v.Def.Info.Opcode] || n.uses[v] > 1 {
		return nil
	}
	args := make([]*tileir.Value, len(v.Def.Operands))
	for i, a := range v.Def.Operands {
		args[i] = a
		if !is64(a) {
			continue
		}
		if args[i] = n.low(a); args[i] == nil {
			args[i] = n.truncate(a)
		}
	}
	return n.emit(v.Def, args)
}

// loop narrows the counter of a loop whose bounds fit; one step past the upper bound must fit as well.
func (n *narrower) loop(o *tileir.Op) {
	if !is64(o.Operands[0]) || o.Int("unsignedCmp") != 0 {
		return
	}
	step := n.ranges.Span(o.Operands[2])
	past, _ := interval.Add.Range(ranges.Int64s, n.ranges.Span(o.Operands[1]), step)
	if !n.within(o.Operands[:3], int32s) || step.Lo.Cmp(interval.Of(1)) < 0 || past.Hi.Cmp(interval.Of(1<<31)) > 0 {
		return
	}
	for i := range 3 {
		o.Operands[i] = n.twin(o.Operands[i])
	}
	body := o.Regions[0]
	old := body.Args[0]
	iv := &tileir.Value{Type: tileir.Tile(tileir.I32)}
	body.Args[0] = iv
	n.ranges.Set(iv, n.ranges.Span(old))
	outer := n.out
	n.out = nil
	wide := n.extend(iv)
	n.ranges.Set(wide, n.ranges.Span(old))
	body.Ops = append(n.out, body.Ops...)
	n.out = outer
	n.subst[old], n.small[wide] = wide, iv
}

// index narrows the indices of a view, which are all of one type.
func (n *narrower) index(o *tileir.Op) {
	at := 1 // load: view, index, token; store: tile, view, index, token
	if o.Info.Opcode == tileir.OpStoreViewTko {
		at = 2
	}
	g := o.Group(at)
	if len(g) == 0 || !is64(g[0]) || !n.within(g, int32s) {
		return
	}
	for i, v := range g {
		g[i] = n.twin(v)
	}
}
