package passes

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// span is the range of the elements of an integer value, both ends included, read as signed numbers.
type span struct{ lo, hi int64 }

const (
	maxGridX  = 1<<31 - 1 // limits of a launch, CUDA C Programming Guide, compute capabilities
	maxGridYZ = 1<<16 - 1
)

// full is what an integer type can hold.
func full(t *tileir.TileType) span {
	n := t.Elem.Bits()
	return span{-1 << (n - 1), 1<<(n-1) - 1}
}

func (s span) in(t span) bool { return s.lo >= t.lo && s.hi <= t.hi }

// int32s is the range of 32-bit integers.
var int32s = span{math.MinInt32, math.MaxInt32}

// ranges finds spans from the operations that make values.
type ranges struct {
	of map[*tileir.Value]span
	iv map[*tileir.Value]*tileir.Op // induction variables and their loops

	grid *[3]uint32 // of a launch, where it is known
}

func newRanges(e *tileir.Entry) *ranges {
	r := &ranges{of: map[*tileir.Value]span{}, iv: map[*tileir.Value]*tileir.Op{}}
	for o := range e.All() {
		if o.Info.Opcode == tileir.OpFor {
			r.iv[o.Regions[0].Args[0]] = o
		}
	}
	return r
}

// span gives the range of a value; that of its type where nothing more is known.
func (r *ranges) span(v *tileir.Value) span {
	if s, ok := r.of[v]; ok {
		return s
	}
	t, ok := v.Type.(*tileir.TileType)
	if !ok || t.Pointer || !t.Elem.IsInt() {
		return span{math.MinInt64, math.MaxInt64}
	}
	s := full(t)
	r.of[v] = s // a loop's value may come to itself
	if got, ok := r.find(v, t); ok && got.in(s) && got.lo <= got.hi {
		s = got
	}
	r.of[v] = s
	return s
}

func (r *ranges) find(v *tileir.Value, t *tileir.TileType) (span, bool) {
	if loop := r.iv[v]; loop != nil {
		lo, hi, step := r.span(loop.Operands[0]), r.span(loop.Operands[1]), r.span(loop.Operands[2])
		if step.lo < 1 || hi.hi == math.MinInt64 || loop.Int("unsignedCmp") != 0 {
			return span{}, false
		}
		return span{lo.lo, max(hi.hi-1, lo.lo)}, true
	}
	if v.Def == nil {
		return span{}, false
	}
	f, ok := transfer[v.Def.Info.Opcode]
	if !ok || t.Elem == tileir.I1 && !truths[v.Def.Info.Opcode] {
		return span{}, false
	}
	return f(r, v, v.Def, t)
}

type transferFunc func(r *ranges, v *tileir.Value, o *tileir.Op, t *tileir.TileType) (span, bool)

// transfer gives the range of a result from those of the operands.
var transfer map[int]transferFunc

func init() { // a literal would refer to itself
	transfer = map[int]transferFunc{
		tileir.OpConstant: constantSpan,
		tileir.OpIota: func(_ *ranges, _ *tileir.Value, _ *tileir.Op, t *tileir.TileType) (span, bool) {
			return span{0, int64(t.Size()) - 1}, true
		},
		tileir.OpGetTileBlockId: func(r *ranges, v *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
			return span{0, r.blocks(v, o).hi - 1}, true
		},
		tileir.OpGetNumTileBlocks: func(r *ranges, v *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
			return r.blocks(v, o), true
		},
		tileir.OpGetIndexSpaceShape: (*ranges).tiles,
		tileir.OpGetTensorShape:     (*ranges).shape,
		tileir.OpAssume:             assumeSpan,
		tileir.OpExtI:               extendSpan,
		tileir.OpTruncI:             sameSpan,
		tileir.OpReshape:            sameSpan,
		tileir.OpBroadcast:          sameSpan,
		tileir.OpPermute:            sameSpan,
		tileir.OpIf:                 joinedSpan,
		tileir.OpSelect:             chosenSpan,
		tileir.OpCmpI:               compareSpan,
		tileir.OpAndI:               bitwise(func(x, y int64) int64 { return x & y }, never),
		tileir.OpOrI:                bitwise(func(x, y int64) int64 { return x | y }, always),
		tileir.OpXOrI:               bitwise(func(x, y int64) int64 { return x ^ y }),

		tileir.OpAddI: binary64(func(x, y span) (span, bool) { return corners(x, y, addOverflows) }),
		tileir.OpSubI: binary64(func(x, y span) (span, bool) { return corners(x, y, subOverflows) }),
		tileir.OpMulI: binary64(func(x, y span) (span, bool) { return corners(x, y, mulOverflows) }),
		tileir.OpDivI: divideSpan,
		tileir.OpRemI: remainderSpan,
		tileir.OpMaxI: signed(func(x, y span) (span, bool) { return span{max(x.lo, y.lo), max(x.hi, y.hi)}, true }),
		tileir.OpMinI: signed(func(x, y span) (span, bool) { return span{min(x.lo, y.lo), min(x.hi, y.hi)}, true }),
	}
}

func union(a, b span) span { return span{min(a.lo, b.lo), max(a.hi, b.hi)} }

// blocks is the size of the grid along the axis that a result of an operation stands for.
func (r *ranges) blocks(v *tileir.Value, o *tileir.Op) span {
	axis := slices.Index(o.Results, v)
	if r.grid != nil {
		n := int64(r.grid[axis])
		return span{n, n}
	}
	if axis == 0 {
		return span{1, maxGridX}
	}
	return span{1, maxGridYZ}
}

// tiles is the number of tiles of a view along an axis, which is never negative.
func (r *ranges) tiles(v *tileir.Value, o *tileir.Op, t *tileir.TileType) (span, bool) {
	s := span{0, full(t).hi}
	part := o.Operands[0].Def
	if part == nil || part.Info.Opcode != tileir.OpMakePartitionView || part.Operands[0].Def == nil || part.Operands[0].Def.Info.Opcode != tileir.OpMakeTensorView {
		return s, true
	}
	tile, axis, _ := geometry(part.Results[0].Type, slices.Index(o.Results, v))
	if n, ok := r.extent(part.Operands[0].Def, axis); ok && n >= 0 {
		n = (n + tile - 1) / tile
		s = span{n, n}
	}
	return s, true
}

// shape is the extent of a tensor along an axis.
func (r *ranges) shape(v *tileir.Value, o *tileir.Op, t *tileir.TileType) (span, bool) {
	if d := o.Operands[0].Def; d != nil && d.Info.Opcode == tileir.OpMakeTensorView {
		if n, ok := r.extent(d, slices.Index(o.Results, v)); ok {
			return span{n, n}, true
		}
	}
	return span{0, full(t).hi}, true
}

func sameSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	return r.span(o.Operands[0]), true
}

func constantSpan(_ *ranges, _ *tileir.Value, o *tileir.Op, t *tileir.TileType) (span, bool) {
	c, ok := o.Attr("value").(*tileir.Constant)
	if ok && t.Elem == tileir.I1 {
		bits, all := c.Splat()
		return truth(bits != 0), all
	}
	if !ok || len(c.Data) != t.Elem.Bytes() {
		return span{}, false
	}
	n := signExtend(c.Data)
	return span{n, n}, true
}

// signExtend reads a little-endian integer.
func signExtend(data []byte) int64 {
	var b [8]byte
	if data[len(data)-1]&0x80 != 0 {
		b = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
	}
	copy(b[:], data)
	return int64(binary.LittleEndian.Uint64(b[:]))
}

func assumeSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	s := r.span(o.Operands[0])
	if b, ok := o.Attr("predicate").(tileir.Bounded); ok {
		if b.Lower != nil {
			s.lo = max(s.lo, *b.Lower)
		}
		if b.Upper != nil {
			s.hi = min(s.hi, *b.Upper)
		}
	}
	return s, true
}

func extendSpan(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
	s := r.span(o.Operands[0])
	if o.Int("signedness") == int64(tileir.Signed) || s.lo >= 0 {
		return s, true
	}
	from := o.Operands[0].Type.(*tileir.TileType)
	return span{0, 1<<from.Elem.Bits() - 1}, true
}

func binary64(f func(x, y span) (span, bool)) transferFunc {
	return func(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
		return f(r.span(o.Operands[0]), r.span(o.Operands[1]))
	}
}

// signed is for operations that have a signedness: nothing is known of the unsigned ones.
func signed(f func(x, y span) (span, bool)) transferFunc {
	return func(r *ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (span, bool) {
		if o.Int("signedness") != int64(tileir.Signed) {
			return span{}, false
		}
		return f(r.span(o.Operands[0]), r.span(o.Operands[1]))
	}
}
