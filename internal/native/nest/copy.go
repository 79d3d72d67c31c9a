package nest

import "github.com/cutile-go/cutile/internal/native/vec"

// CopyKind says how the elements of a line of a copy lie. A line has adjacent elements in the source, in the result or in both.
type CopyKind uint8

// The kinds of copies.
const (
	Lines     CopyKind = iota // adjacent in both
	Fill                      // the source has one element for each line
	Gathered                  // apart in the source
	Wide                      // the same, and each element is read with what follows it, as 32 bits
	Scattered                 // apart in the result
	Turned                    // apart in the source, where neighbouring lines are adjacent; lines and their elements are multiples of sixteen
	CopyKinds                 // their number
)

// Copy says what a function copies: lines of elements.
type Copy struct {
	Kind CopyKind
	Size int // bytes of an element: 1, 2, 4 or 8; less than 4 for Wide
}

// The words of the frame of a function that copies. Distances are in bytes and may be negative.
const (
	FirstLine   = iota // the first line that is copied,
	LastLine           // and the one behind the last
	LineElems          // the elements of a line
	SourceBytes        // where the source is
	SourceLine         // from a line of it to the next
	SourceStep         // from an element of a line to the next, where they are apart; sixteen of them are less than 2 GiB
	ResultBytes        // where the result is
	ResultLine
	ResultStep
	CopyWords
)

// Build makes the function.
func (k Copy) Build(name string) (*vec.Func, error) {
	b := &copier{Builder: vec.NewBuilder(name), of: k, elem: [...]vec.Type{1: vec.I8, 2: vec.I16, 4: vec.I32, 8: vec.I64}[k.Size]}
	b.first, b.last, b.elems = b.Arg(FirstLine), b.Arg(LastLine), b.Arg(LineElems)
	b.whole = b.Do(vec.SAnd, vec.NoType, b.elems, b.Int(-vec.Lanes))
	b.rest = b.Do(vec.MFirst, vec.NoType, b.Do(vec.SSub, vec.NoType, b.elems, b.whole))
	b.from, b.fromLine = b.Arg(SourceBytes), b.Arg(SourceLine)
	b.to, b.toLine = b.Arg(ResultBytes), b.Arg(ResultLine)
	switch k.Kind {
	case Lines, Fill:
		b.along()
	case Turned:
		b.turn()
	default:
		b.across()
	}
	if err := b.Verify(); err != nil {
		return nil, err
	}
	return b.Finish().Tidy(), nil
}

// copier makes the function of [Copy].
type copier struct {
	*vec.Builder
	of                 Copy
	elem               vec.Type
	first, last, elems vec.Reg
	whole, rest        vec.Reg // the elements in whole vectors, and the mask of the others
	from, fromLine     vec.Reg
	to, toLine         vec.Reg
}

// line is the address of the first line.
func (b *copier) line(base, distance vec.Reg) vec.Reg {
	return b.Do(vec.SAdd, vec.NoType, base, b.Do(vec.SMul, vec.NoType, b.first, distance))
}

// next goes on to the next line.
func (b *copier) next(at, distance vec.Reg) {
	b.Emit(vec.Instr{Op: vec.SAdd, Dst: at, Src: [3]vec.Reg{at, distance}})
}

// parts calls part for each whole vector of a line, and for the rest.
func (b *copier) parts(part func(c, mask vec.Reg)) {
	c := b.For(b.Int(0), b.whole, vec.Lanes)
	part(c, 0)
	b.End()
	b.If(vec.NE, b.whole, b.elems)
	part(b.whole, b.rest)
	b.End()
}

// along copies line after line.
func (b *copier) along() {
	from, to := b.line(b.from, b.fromLine), b.line(b.to, b.toLine)
	size := int8(b.of.Size)
	b.For(b.first, b.last, 1)
	var one vec.Reg
	if b.of.Kind == Fill {
		one = b.Emit(vec.Instr{Op: vec.LoadFirst, Type: b.elem, Mem: vec.Mem{Base: from}})
	}
	b.parts(func(c, mask vec.Reg) {
		x := one
		if b.of.Kind == Lines {
			x = b.Load(b.elem, vec.Mem{Base: from, Index: c, Scale: size}, mask)
		}
		b.Store(b.elem, vec.Mem{Base: to, Index: c, Scale: size}, x, mask)
	})
	b.next(from, b.fromLine)
	b.next(to, b.toLine)
	b.End()
}

// across copies sixteen elements of all lines before the next sixteen: those of neighbouring lines are often in the same part
// of memory where those of a line are apart.
func (b *copier) across() {
	scatters := b.of.Kind == Scattered
	step := b.Arg(SourceStep)
	if scatters {
		step = b.Arg(ResultStep)
	}
	places := b.Do(vec.Mul, vec.I32, b.Do(vec.Iota, vec.I32), b.Do(vec.Splat, vec.I32, step))
	b.parts(func(c, mask vec.Reg) {
		adjacent := b.Do(vec.SMul, vec.NoType, c, b.Int(int64(b.of.Size)))
		apart := b.Do(vec.SMul, vec.NoType, c, step)
		from, to := b.line(b.from, b.fromLine), b.line(b.to, b.toLine)
		if scatters {
			from, to = b.Do(vec.SAdd, vec.NoType, from, adjacent), b.Do(vec.SAdd, vec.NoType, to, apart)
		} else {
			from, to = b.Do(vec.SAdd, vec.NoType, from, apart), b.Do(vec.SAdd, vec.NoType, to, adjacent)
		}
		b.For(b.first, b.last, 1)
		if scatters {
			x := b.Load(b.elem, vec.Mem{Base: from}, mask)
			b.Emit(vec.Instr{Op: vec.Scatter, Type: b.elem, From: vec.I32, Src: [3]vec.Reg{places, x}, Mem: vec.Mem{Base: to}, Mask: mask, Imm: 1})
		} else {
			b.Store(b.elem, vec.Mem{Base: to}, b.gather(places, from, mask), mask)
		}
		b.next(from, b.fromLine)
		b.next(to, b.toLine)
		b.End()
	})
}

// gather reads sixteen elements that are apart.
func (b *copier) gather(places, from, mask vec.Reg) vec.Reg {
	in := vec.Instr{Op: vec.Gather, Type: b.elem, From: vec.I32, Src: [3]vec.Reg{places}, Mem: vec.Mem{Base: from}, Mask: mask, Imm: 1}
	if b.of.Kind != Wide {
		return b.Emit(in)
	}
	in.Type = vec.I32
	return b.Convert(vec.Truncate, b.elem, vec.I32, b.Emit(in))
}

// turn copies squares of sixteen lines and elements: it reads sixteen lines at once, for each element, and writes a line at once.
func (b *copier) turn() {
	step, size := b.Arg(SourceStep), int64(b.of.Size)
	c := b.For(b.Int(0), b.elems, vec.Lanes)
	line := b.For(b.first, b.last, vec.Lanes)
	at := func(base, x, scale, y vec.Reg) vec.Reg {
		far := b.Do(vec.SAdd, vec.NoType, b.Do(vec.SMul, vec.NoType, x, scale), b.Do(vec.SMul, vec.NoType, y, b.Int(size)))
		place := b.New(vec.Scalar)
		b.Set(place, b.Do(vec.SAdd, vec.NoType, base, far))
		return place
	}
	from, to := at(b.from, c, step, line), at(b.to, line, b.toLine, c)
	square := make([]vec.Reg, vec.Lanes)
	for i := range square {
		square[i] = b.Load(b.elem, vec.Mem{Base: from}, 0)
		b.next(from, step)
	}
	for _, x := range b.transposed(square) {
		b.Store(b.elem, vec.Mem{Base: to}, x, 0)
		b.next(to, b.toLine)
	}
	b.End()
	b.End()
}

// transposed gives the columns of a square. Each step exchanges the upper right quarter of squares with the lower left one, and halves
// them.
func (b *copier) transposed(square []vec.Reg) []vec.Reg {
	for half := vec.Lanes / 2; half > 0; half /= 2 {
		var across, right int64 // lane i^half, in four bits each, and the lanes of right halves
		for i := range vec.Lanes {
			across |= int64(i^half) << (4 * i)
			right |= int64(i&half/half) << i
		}
		lanes := b.DoImm(vec.MBits, vec.NoType, right)
		out := make([]vec.Reg, vec.Lanes)
		for i := range square {
			if i&half != 0 {
				continue
			}
			x, y := square[i], square[i+half]
			out[i] = b.Pick(b.elem, lanes, b.DoImm(vec.Permute, b.elem, across, y), x)
			out[i+half] = b.Pick(b.elem, lanes, y, b.DoImm(vec.Permute, b.elem, across, x))
		}
		square = out
	}
	return square
}
