// Package ranges finds the ranges of integers in Tile IR from the operations that make them, in every launch of an entry or
// in one whose numbers are known.
package ranges

import (
	"encoding/binary"
	"slices"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

const (
	maxGridX  = 1<<31 - 1 // limits of a launch, CUDA C Programming Guide, compute capabilities
	maxGridYZ = 1<<16 - 1
)

// Int64s is the type that has all integers of Tile IR.
var Int64s = interval.Type{Bits: 64, Signed: true}

// Signed is the type of a tile's integers, whose elements are read as signed numbers.
func Signed(t *tileir.TileType) interval.Type {
	return interval.Type{Bits: t.Elem.Bits(), Signed: true}
}

// number is the range of one number.
func number(n int64) interval.Range { return interval.Ints(n, n) }

// Ranges finds the ranges of integers from the operations that make them. They are those of all elements, read as signed
// numbers.
type Ranges struct {
	of map[*tileir.Value]interval.Range
	iv map[*tileir.Value]*tileir.Op // induction variables and their loops

	grid [3]interval.Range // of the numbers of blocks along each axis
}

// New finds the ranges that hold in every launch.
func New(e *tileir.Entry) *Ranges {
	r := &Ranges{of: map[*tileir.Value]interval.Range{}, iv: map[*tileir.Value]*tileir.Op{}}
	r.grid = [3]interval.Range{interval.Ints(1, maxGridX), interval.Ints(1, maxGridYZ), interval.Ints(1, maxGridYZ)}
	for o := range e.All() {
		if o.Info.Opcode == tileir.OpFor {
			r.iv[o.Regions[0].Args[0]] = o
		}
	}
	return r
}

// Span gives the range of a value; that of its type where nothing more is known.
func (r *Ranges) Span(v *tileir.Value) interval.Range {
	if s, ok := r.of[v]; ok {
		return s
	}
	t, ok := v.Type.(*tileir.TileType)
	if !ok || t.Pointer || !t.Elem.IsInt() {
		return Int64s.Range()
	}
	s := Signed(t).Range()
	r.of[v] = s // a loop's value may come to itself
	if got, ok := r.find(v, t); ok {
		s, _ = interval.Convert(Signed(t), got)
	}
	r.of[v] = s
	return s
}

func (r *Ranges) find(v *tileir.Value, t *tileir.TileType) (interval.Range, bool) {
	if loop := r.iv[v]; loop != nil {
		return r.counter(loop)
	}
	if v.Def == nil {
		return interval.Range{}, false
	}
	f, ok := transfer[v.Def.Info.Opcode]
	if !ok || t.Elem == tileir.I1 && !truths[v.Def.Info.Opcode] {
		return interval.Range{}, false
	}
	return f(r, v, v.Def, t)
}

// counter is the range of a loop's counter.
func (r *Ranges) counter(loop *tileir.Op) (interval.Range, bool) {
	first := interval.One(r.Span(loop.Operands[0]).Lo)
	last, ok := interval.Sub.Range(Int64s, interval.One(r.Span(loop.Operands[1]).Hi), number(1))
	if !ok || r.Span(loop.Operands[2]).Lo.Cmp(interval.Of(1)) < 0 || loop.Int("unsignedCmp") != 0 {
		return interval.Range{}, false
	}
	return first.Union(interval.Max(first, last)), true
}

type transferFunc func(r *Ranges, v *tileir.Value, o *tileir.Op, t *tileir.TileType) (interval.Range, bool)

// transfer gives the range of a result from those of the operands.
var transfer map[int]transferFunc

func init() { // a literal would refer to itself
	transfer = map[int]transferFunc{
		tileir.OpConstant: constantSpan,
		tileir.OpIota: func(_ *Ranges, _ *tileir.Value, _ *tileir.Op, t *tileir.TileType) (interval.Range, bool) {
			return interval.Ints(0, int64(t.Size())-1), true
		},
		tileir.OpGetTileBlockId: func(r *Ranges, v *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
			last, ok := interval.Sub.Range(Int64s, r.blocks(v, o), number(1))
			return interval.Range{Hi: last.Hi}, ok
		},
		tileir.OpGetNumTileBlocks: func(r *Ranges, v *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
			return r.blocks(v, o), true
		},
		tileir.OpGetIndexSpaceShape: (*Ranges).tiles,
		tileir.OpGetTensorShape:     (*Ranges).shape,
		tileir.OpAssume:             assumeSpan,
		tileir.OpExtI:               extendSpan,
		tileir.OpTruncI:             sameSpan,
		tileir.OpReshape:            sameSpan,
		tileir.OpBroadcast:          sameSpan,
		tileir.OpPermute:            sameSpan,
		tileir.OpIf:                 joinedSpan,
		tileir.OpSelect:             chosenSpan,
		tileir.OpCmpI:               compareSpan,
	}
	for code := range arithmetic {
		transfer[code] = arithmeticSpan
	}
}

// blocks is the size of the grid along the axis that a result of an operation stands for.
func (r *Ranges) blocks(v *tileir.Value, o *tileir.Op) interval.Range {
	return r.grid[slices.Index(o.Results, v)]
}

// tiles is the number of tiles of a view along an axis, which is never negative.
func (r *Ranges) tiles(v *tileir.Value, o *tileir.Op, t *tileir.TileType) (interval.Range, bool) {
	s := interval.Range{Hi: Signed(t).Range().Hi}
	part := o.Operands[0].Def
	if part == nil || part.Info.Opcode != tileir.OpMakePartitionView || part.Operands[0].Def == nil || part.Operands[0].Def.Info.Opcode != tileir.OpMakeTensorView {
		return s, true
	}
	axis := AxisOf(part, slices.Index(o.Results, v))
	if n, ok := r.Extent(part.Operands[0].Def, axis.Dim); ok && n >= 0 {
		s = number((n + axis.Extent - 1) / axis.Extent)
	}
	return s, true
}

// shape is the extent of a tensor along an axis.
func (r *Ranges) shape(v *tileir.Value, o *tileir.Op, t *tileir.TileType) (interval.Range, bool) {
	if d := o.Operands[0].Def; d != nil && d.Info.Opcode == tileir.OpMakeTensorView {
		if n, ok := r.Extent(d, slices.Index(o.Results, v)); ok {
			return number(n), true
		}
	}
	return interval.Range{Hi: Signed(t).Range().Hi}, true
}

// sameSpan is for operations that move integers, and for truncations, whose results are the operand's in their own type.
func sameSpan(r *Ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
	return r.Span(o.Operands[0]), true
}

func constantSpan(_ *Ranges, _ *tileir.Value, o *tileir.Op, t *tileir.TileType) (interval.Range, bool) {
	c, ok := o.Attr("value").(*tileir.Constant)
	if ok && t.Elem == tileir.I1 {
		bits, all := c.Splat()
		return truth(bits != 0), all
	}
	if !ok || len(c.Data) != t.Elem.Bytes() {
		return interval.Range{}, false
	}
	return number(SignExtend(c.Data)), true
}

// SignExtend reads a little-endian integer.
func SignExtend(data []byte) int64 {
	var b [8]byte
	if data[len(data)-1]&0x80 != 0 {
		b = [8]byte{255, 255, 255, 255, 255, 255, 255, 255}
	}
	copy(b[:], data)
	return int64(binary.LittleEndian.Uint64(b[:]))
}

func assumeSpan(r *Ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
	s := r.Span(o.Operands[0])
	b, ok := o.Attr("predicate").(tileir.Bounded)
	if !ok {
		return s, true
	}
	promise := Int64s.Range()
	if b.Lower != nil {
		promise.Lo = interval.Of(*b.Lower)
	}
	if b.Upper != nil {
		promise.Hi = interval.Of(*b.Upper)
	}
	return s.Common(promise)
}

func extendSpan(r *Ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
	s, _ := interval.Convert(Reads(o), r.Span(o.Operands[0]))
	return s, true
}

func arithmeticSpan(r *Ranges, _ *tileir.Value, o *tileir.Op, _ *tileir.TileType) (interval.Range, bool) {
	a, _ := ArithmeticOf(o)
	x, y := r.Span(o.Operands[0]), r.Span(o.Operands[1])
	if a.Op == interval.Shl && !y.Within(interval.Ints(0, int64(a.Type.Bits)-1)) {
		return interval.Range{}, false // machines differ
	}
	return a.Range(x, y)
}
