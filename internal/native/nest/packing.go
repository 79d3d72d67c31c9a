package nest

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Packing says what a function does with elements of a few bits, which have a byte each in a tile: it joins them in bytes, from the low
// bits up, or takes bytes apart.
type Packing struct {
	Bits int // of an element: 1 or 4
	Pack bool
}

// PackingOf gives what a pack or unpack does to how many bytes; ok is false where elements of whole bytes keep them.
func PackingOf(op *tileir.Op) (p Packing, bytes int, ok bool) {
	p.Pack = op.Info.Opcode == tileir.OpPack
	elems, packed := lane.TileOf(op.Results[0]), lane.TileOf(op.Operands[0])
	if p.Pack {
		elems, packed = packed, elems
	}
	p.Bits = elems.Elem.Bits()
	return p, packed.Size(), p.Bits < 8
}

// packings are, by bits of an element, the steps in which the bits of a byte are spread over a word with a byte for each element: in each, the upper half of
// the bits that are together moves up.
var packings = map[int]struct {
	word  vec.Type
	steps []packingStep
}{
	1: {vec.I64, []packingStep{{28, 0x0000000f0000000f}, {14, 0x0003000300030003}, {7, 0x0101010101010101}}},
	4: {vec.I16, []packingStep{{4, 0x0f0f}}},
}

// packingStep moves bits by shift; mask are those that then count.
type packingStep struct {
	shift int64
	mask  uint64
}

// The words of the frame of a function that packs.
const (
	FirstPacked = iota // the first byte that is packed, a multiple of 16,
	LastPacked         // and the one behind the last
	PackedBytes        // where the bytes are
	PackedElems        // where the elements are
	PackingWords
)

// Build makes the function.
func (p Packing) Build(name string) (*vec.Func, error) {
	b := vec.NewBuilder(name)
	p.Emit(b, b.Arg(PackedBytes), b.Arg(PackedElems), b.Arg(FirstPacked), b.Arg(LastPacked))
	if err := b.Verify(); err != nil {
		return nil, err
	}
	return b.Finish().Tidy(), nil
}

// Emit writes a loop over the bytes from up to to, sixteen at a time.
func (p Packing) Emit(b *vec.Builder, bytes, elems, from, to vec.Reg) {
	row := packings[p.Bits]
	i := b.For(from, to, vec.Lanes)
	mask := b.Do(vec.MFirst, vec.NoType, b.Do(vec.SSub, vec.NoType, to, i))
	packed, words := vec.Mem{Base: bytes, Index: i, Scale: 1}, vec.Mem{Base: elems, Index: i, Scale: int8(row.word.Bytes())}
	if p.Pack {
		b.Store(vec.I8, packed, p.join(b, b.Load(row.word, words, mask)), mask)
	} else {
		b.Store(row.word, words, p.split(b, b.Load(vec.I8, packed, mask)), mask)
	}
	b.End()
}

func (p Packing) split(b *vec.Builder, x vec.Reg) vec.Reg {
	row := packings[p.Bits]
	x = b.Convert(vec.ZeroExtend, row.word, vec.I8, x)
	for _, s := range row.steps {
		x = b.Do(vec.Or, row.word, x, b.DoImm(vec.ShlImm, row.word, s.shift, x))
		x = b.Do(vec.And, row.word, x, b.Bits(row.word, s.mask))
	}
	return x
}

func (p Packing) join(b *vec.Builder, x vec.Reg) vec.Reg {
	row := packings[p.Bits]
	for _, s := range slices.Backward(row.steps) {
		x = b.Do(vec.And, row.word, x, b.Bits(row.word, s.mask))
		x = b.Do(vec.Or, row.word, x, b.DoImm(vec.ShrUImm, row.word, s.shift, x))
	}
	return b.Convert(vec.Truncate, vec.I8, row.word, x)
}
