package nest

import "github.com/cutile-go/cutile/internal/native/vec"

// Transpose says what a function copies: a matrix, turned.
type Transpose struct {
	Size int // bytes of an element: 1, 2, 4 or 8
	Cols int // of the result, a power of two
}

// The words of the frame of a function that turns a matrix. Row i of the result is column i of the source.
const (
	FirstLine   = iota // the first row of the result that is written,
	LastLine           // and the one behind the last
	SourceBytes        // where the source is
	SourceRow          // bytes from a row of it to the next; sixteen of them are less than 2 GiB
	ResultBytes        // where the result is
	ResultRow          // bytes from a row of it to the next
)

// Build makes the function. Elements of less than 32 bits are read with what follows them, as 32 bits.
func (t Transpose) Build(name string) (*vec.Func, error) {
	b := vec.NewBuilder(name)
	elem := [...]vec.Type{1: vec.I8, 2: vec.I16, 4: vec.I32, 8: vec.I64}[t.Size]
	read, mask := elem, vec.Reg(0)
	if t.Size < 4 {
		read = vec.I32
	}
	if t.Cols < vec.Lanes {
		mask = b.Do(vec.MFirst, vec.NoType, b.Int(int64(t.Cols)))
	}
	first, last, source, row := b.Arg(FirstLine), b.Arg(LastLine), b.Arg(SourceBytes), b.Arg(SourceRow)
	result, line := b.Arg(ResultBytes), b.Arg(ResultRow)
	places := b.Do(vec.Mul, vec.I32, b.Do(vec.Iota, vec.I32), b.Do(vec.Splat, vec.I32, row))
	col := b.For(b.Int(0), b.Int(int64(t.Cols)), vec.Lanes)
	from := b.Do(vec.SAdd, vec.NoType, source, b.Do(vec.SMul, vec.NoType, col, row))
	to := b.Do(vec.SAdd, vec.NoType, result, b.Do(vec.SMul, vec.NoType, first, line))
	i := b.For(first, last, 1)
	at := b.Do(vec.SAdd, vec.NoType, from, b.Do(vec.SMul, vec.NoType, i, b.Int(int64(t.Size))))
	x := b.Emit(vec.Instr{Op: vec.Gather, Type: read, From: vec.I32, Src: [3]vec.Reg{places}, Mem: vec.Mem{Base: at}, Mask: mask, Imm: 1})
	if read != elem {
		x = b.Convert(vec.Truncate, elem, read, x)
	}
	b.Store(elem, vec.Mem{Base: to, Index: col, Scale: int8(t.Size)}, x, mask)
	b.Emit(vec.Instr{Op: vec.SAdd, Dst: to, Src: [3]vec.Reg{to, line}})
	b.End()
	b.End()
	if err := b.Verify(); err != nil {
		return nil, err
	}
	return b.Finish().Tidy(), nil
}
