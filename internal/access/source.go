package access

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Source says that elements of a tile are elements of another value: those for whose index all of When hold. Extents of tiles
// are powers of two: Bits has, for each bit of the index into Value, lowest first, where it comes from. Indices count elements
// in row-major order.
type Source struct {
	Value *tileir.Value
	Bits  []Bit
	When  []Bit // each with the bit that it must be, in Set
}

// Bit is one bit of an index: bit N of the index into the tile (Of is nil), bit N of a scalar Of, or a constant (N is -1).
type Bit struct {
	Of  *tileir.Value
	N   int
	Set bool // what the bit is, for a constant and in [Source.When]
}

// maxSources is the most values that a concatenation is followed to.
const maxSources = 8

// Source follows reshapes, broadcasts, permutations, extractions, concatenations and promises to the values whose elements a
// tile consists of. A value that nothing else explains is its own source.
func (in *Info) Source(v *tileir.Value) []Source {
	t, ok := v.Type.(*tileir.TileType)
	if !ok {
		return nil
	}
	self := Source{Value: v, Bits: make([]Bit, log2(t.Size()))}
	for i := range self.Bits {
		self.Bits[i].N = i
	}
	work, done := []Source{self}, []Source(nil)
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		more := s.follow()
		if more == nil || len(work)+len(done)+len(more) > maxSources {
			done = append(done, s)
			continue
		}
		slices.Reverse(more) // the first is taken first
		work = append(work, more...)
	}
	return done
}

// Direct reports whether a source has the same elements in the same order as a tile of so many elements.
func (s Source) Direct(size int) bool {
	if len(s.When) > 0 || len(s.Bits) != log2(size) {
		return false
	}
	for i, b := range s.Bits {
		if b.Of != nil || b.N != i {
			return false
		}
	}
	return true
}

// Strides gives how far an index along each dimension of a tile moves in the elements of the source, where each moves evenly.
func (s Source) Strides(shape []int) (strides []int, ok bool) {
	strides = make([]int, len(shape))
	place := 0 // of the dimension's lowest bit
	for d := len(shape) - 1; d >= 0; d-- {
		n := log2(shape[d])
		for k := range n {
			weight := s.weight(place + k)
			if k == 0 {
				strides[d] = weight
			} else if weight != strides[d]<<k {
				return nil, false
			}
		}
		place += n
	}
	return strides, true
}

// weight is what a bit of the tile's index adds to the source's.
func (s Source) weight(bit int) (sum int) {
	for i, b := range s.Bits {
		if b.Of == nil && b.N == bit {
			sum += 1 << i
		}
	}
	return sum
}

func log2(n int) int { return bits.Len(uint(n)) - 1 }

// follow goes one operation back; nil if there is none to follow.
func (s Source) follow() []Source {
	o := s.Value.Def
	if o == nil {
		return nil
	}
	step := steps[o.Info.Opcode]
	if step == nil {
		return nil
	}
	return step(s, o)
}

// steps are the operations that only move elements.
var steps = [128]func(s Source, o *tileir.Op) []Source{
	tileir.OpAssume: sameSource, tileir.OpReshape: sameSource,
	tileir.OpBroadcast: broadcastSource, tileir.OpPermute: permutedSource, tileir.OpExtract: extractedSource, tileir.OpCat: joinedSource,
}

func shapeOf(v *tileir.Value) []int { return v.Type.(*tileir.TileType).Shape }

// through gives the source with another value, each dimension of which takes its bits from the dimension from of s.Value.
func (s Source) through(v *tileir.Value, from func(dim int) int) Source {
	outer, inner := places(shapeOf(s.Value)), shapeOf(v)
	out := Source{Value: v, When: s.When, Bits: make([]Bit, 0, len(s.Bits))}
	for d := len(inner) - 1; d >= 0; d-- {
		first := outer[from(d)]
		out.Bits = append(out.Bits, s.Bits[first:first+log2(inner[d])]...)
	}
	return out
}

// places gives the lowest bit of each dimension.
func places(shape []int) []int {
	out, n := make([]int, len(shape)), 0
	for d := len(shape) - 1; d >= 0; d-- {
		out[d] = n
		n += log2(shape[d])
	}
	return out
}

func straight(dim int) int { return dim }

func sameSource(s Source, o *tileir.Op) []Source {
	s.Value = o.Operands[0]
	if _, ok := s.Value.Type.(*tileir.TileType); !ok {
		return nil
	}
	return []Source{s}
}

func broadcastSource(s Source, o *tileir.Op) []Source {
	return []Source{s.through(o.Operands[0], straight)}
}

func permutedSource(s Source, o *tileir.Op) []Source {
	p := o.Attr("permutation").(tileir.Ints)
	return []Source{s.through(o.Operands[0], func(dim int) int { return slices.Index(p, dim) })}
}

// extractedSource: the low bits of a dimension are those of the result, and the others are the number of the part.
func extractedSource(s Source, o *tileir.Op) []Source {
	big, small := shapeOf(o.Operands[0]), shapeOf(o.Results[0])
	first := places(small)
	out := Source{Value: o.Operands[0], When: s.When}
	for d := len(big) - 1; d >= 0; d-- {
		n := log2(small[d])
		out.Bits = append(out.Bits, s.Bits[first[d]:first[d]+n]...)
		for k := range log2(big[d]) - n {
			out.Bits = append(out.Bits, bitOf(o.Operands[1+d], k))
		}
	}
	return []Source{out}
}

// bitOf is a bit of a scalar.
func bitOf(v *tileir.Value, n int) Bit {
	if v.Def != nil && v.Def.Info.Opcode == tileir.OpConstant {
		bits, _ := v.Def.Attr("value").(*tileir.Constant).Splat()
		return Bit{N: -1, Set: bits>>n&1 != 0}
	}
	return Bit{Of: v, N: n}
}

// joinedSource: the two tiles have the same extent, so that the highest bit of the dimension says which one it is.
func joinedSource(s Source, o *tileir.Op) []Source {
	dim, shape := int(o.Int("dim")), shapeOf(o.Results[0])
	top := s.Bits[places(shape)[dim]+log2(shape[dim])-1]
	var out []Source
	for i, v := range o.Operands {
		part := s.through(v, straight)
		switch second := i == 1; {
		case top.Of == nil && top.N < 0:
			if top.Set == second {
				return []Source{part}
			}
			continue
		default:
			want := Bit{top.Of, top.N, second}
			if other := (Bit{top.Of, top.N, !second}); slices.Contains(s.When, other) {
				continue
			}
			if !slices.Contains(part.When, want) {
				part.When = append(slices.Clone(part.When), want)
			}
		}
		out = append(out, part)
	}
	return out
}
