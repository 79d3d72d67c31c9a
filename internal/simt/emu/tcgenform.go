package emu

import (
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/elem"
)

// tensorElement says how the elements of a matrix of tcgen05.mma lie in pieces of 16 bytes of shared memory and, of A, in
// words of tensor memory.
type tensorElement struct {
	name  string
	bits  int // in a piece
	per   int // in a piece
	holds int // bits that hold it in a word: 0 if nobody knows where
	value func(x uint64) float64
}

// minifloat reads floats that have neither infinities nor NaN.
func minifloat(exp, man int) func(x uint64) float64 {
	bias := 1<<(exp-1) - 1
	return func(x uint64) float64 {
		e, m := int(x>>man&(1<<exp-1)), float64(x&(1<<man-1))
		v := m * power2(1-bias-man)
		if e > 0 {
			v = (m + float64(uint64(1)<<man)) * power2(e-bias-man)
		}
		if x>>(exp+man)&1 == 1 {
			return -v
		}
		return v
	}
}

// power2 is a power of two that is a normal float64.
func power2(e int) float64 { return f64(uint64(e+1023) << 52) }

func elementIn(name string, per int) *tensorElement {
	e := elements[name]
	return &tensorElement{name, e.bits, per, e.bits, e.value}
}

// multiplicands are the types of A and B by the kind and the number that the instruction descriptor has for them. Elements of 4
// and 6 bits have 16 bytes for 16 of them, but where all have 4 bits.
var multiplicands = map[string]map[uint32]*tensorElement{
	"f16":    {0: elementIn("f16", 8), 1: elementIn("bf16", 8)},
	"tf32":   {2: elementIn("tf32", 4)},
	"i8":     {0: elementIn("u8", 16), 1: elementIn("s8", 16)},
	"f8f6f4": f8f6f4, "mxf8f6f4": f8f6f4,
	"mxf4": mxf4, "mxf4nvf4": mxf4,
}

var (
	f8f6f4 = map[uint32]*tensorElement{
		0: elementIn("e4m3", 16), 1: elementIn("e5m2", 16), 3: {"e2m3", 6, 16, 8, minifloat(2, 3)},
		4: {"e3m2", 6, 16, 8, minifloat(3, 2)}, 5: {"e2m1", 4, 16, 0, minifloat(2, 1)},
	}
	mxf4 = map[uint32]*tensorElement{1: {"e2m1", 4, 32, 4, minifloat(2, 1)}}
	e8m0 = elem.ByIR("f8E8M0FNU").Format
)

// tensorForm is a multiplication as its instruction descriptor has it.
type tensorForm struct {
	kind           string
	ws, pair       bool
	m, n, k        int
	a, b           *tensorElement
	d              string // "f16", "f32", "s32"
	finite         bool
	negative       bool // the signs of A and B differ
	transA, transB bool
	vec            int  // scale factors of a row
	exponents      bool // scale factors are powers of two, else e4m3 without a sign
	idA, idB       int  // the bytes where they begin
}

// newTensorForm reads an instruction descriptor of 32 bits.
func newTensorForm(kind string, vec int, ws, pair bool, desc uint32) (*tensorForm, error) {
	field := func(at, bits int) uint32 { return desc >> at & (1<<bits - 1) }
	f := &tensorForm{
		kind: kind, ws: ws, pair: pair, vec: vec, m: int(field(24, 5)) << 4, n: int(field(17, 6)) << 3, d: "f32",
		a: multiplicands[kind][field(7, 3)], b: multiplicands[kind][field(10, 3)],
		negative: field(13, 1) != field(14, 1), transA: field(15, 1) == 1, transB: field(16, 1) == 1,
	}
	var err error
	switch {
	case field(2, 1) == 1:
		err = errors.New("matrices of which half the elements are zeros (bit 2) are not known here")
	case f.a == nil || f.b == nil:
		err = fmt.Errorf("kind::%s has no types of the numbers %d (A) and %d (B)", kind, field(7, 3), field(10, 3))
	case field(6, 1) != 0 || field(0, 2) != 0:
		err = errors.New("bits 0, 1 and 6 are not zero")
	case vec > 0:
		err = f.scaled(field)
	default:
		err = f.unscaled(field)
	}
	if err == nil {
		f.k = 32 * 8 / max(f.a.bits, 8)
		if f.a.per == 32 {
			f.k = 64
		}
		err = f.shape()
	}
	if err != nil {
		return nil, fmt.Errorf("the instruction descriptor 0x%08x: %w", desc, err)
	}
	return f, nil
}

// unscaled reads what multiplications without scale factors have.
func (f *tensorForm) unscaled(field func(at, bits int) uint32) error {
	f.finite = field(3, 1) == 1
	f.d = [4]string{"f16", "f32", "s32", ""}[field(4, 2)]
	half := f.kind == "f8f6f4" || f.kind == "f16" && f.a.name == "f16" && f.b.name == "f16"
	switch {
	case f.d == "" || (f.d == "s32") != (f.kind == "i8") || f.d == "f16" && !half:
		return fmt.Errorf("D cannot have the type of the number %d: kind::%s with %s and %s", field(4, 2), f.kind, f.a.name, f.b.name)
	case f.finite && f.kind != "i8":
		return errors.New("bit 3 is set: only integers saturate")
	case f.kind == "i8" && field(13, 2) != 0:
		return errors.New("bits 13 and 14 are not zero: integers have no signs there")
	case field(23, 1) != 0 || field(29, 1) != 0:
		return errors.New("bits 23 and 29 are not zero")
	case !f.ws && field(30, 2) != 0:
		return errors.New("bits 30 and 31 are not zero: only mma.ws shifts columns")
	}
	return nil
}

// scaled reads what multiplications with scale factors have.
func (f *tensorForm) scaled(field func(at, bits int) uint32) error {
	f.exponents = field(23, 1) == 1
	f.idA, f.idB = int(field(29, 2)), int(field(4, 2))
	switch {
	case field(31, 1) == 1:
		return errors.New("K of 96 (bit 31) is not known here")
	case field(3, 1) != 0:
		return errors.New("bit 3 is not zero")
	case !f.exponents && (f.kind != "mxf4nvf4" || f.vec != 4):
		return fmt.Errorf("scale factors of kind::%s, %d of a row, are powers of two (bit 23)", f.kind, f.vec)
	case f.idA%f.vec != 0 || f.idB%f.vec != 0:
		return fmt.Errorf("the scale factors begin with the bytes %d (A) and %d (B): expected a multiple of %d", f.idA, f.idB, f.vec)
	}
	return nil
}

// shape looks at the extents and at what may be transposed.
func (f *tensorForm) shape() error {
	ms, step, low := []int{64, 128}, 8, 8
	switch {
	case f.ws:
		ms = []int{32, 64, 128}
	case f.pair:
		ms, step, low = []int{128, 256}, 16, 16
		if f.kind == "i8" {
			step, low = 32, 32
		}
	case f.vec > 0:
		ms = []int{128}
	}
	if f.transB && f.b.bits == 8 {
		step, low = max(step, 16), max(low, 16)
		if f.pair {
			step, low = 32, 32
		}
	}
	okM := false
	for _, m := range ms {
		okM = okM || m == f.m
	}
	okN := f.n >= low && f.n <= 256 && f.n%step == 0
	if f.kind == "i8" && !f.pair && f.n > 32 {
		okN = okN && f.n%16 == 0
	}
	if f.ws {
		okN = f.n == 64 || f.n == 128 || f.n == 256
	}
	narrow := f.transA && f.a.bits < 8 || f.transB && f.b.bits < 8
	switch {
	case !okM:
		return fmt.Errorf("M is %d: expected one of %v", f.m, ms)
	case !okN:
		return fmt.Errorf("N is %d, which kind::%s has not", f.n, f.kind)
	case narrow:
		return errors.New("a matrix of elements of less than 8 bits cannot be transposed")
	}
	return nil
}

// rows is the rows of A in one block.
func (f *tensorForm) rows() int {
	if f.pair {
		return f.m / 2
	}
	return f.m
}

// place gives where an element of a block's rows of D lies: lane and column, from those of the address on.
func (f *tensorForm) place(row, n int) (lane, col int) {
	switch rows := f.rows(); {
	case rows == 128:
		return row, n
	case f.ws || f.pair: // columns side by side in lanes
		per := f.n * rows / 128
		return row + n/per*rows, n % per
	}
	return row/16*32 + row%16, n // M of 64: half of the lanes
}

// lanesOf gives the lanes of D, the last of them, and its columns.
func (f *tensorForm) lanesOf() (s laneSet, last, cols int) {
	switch rows := f.rows(); {
	case rows == 128:
		return lanesFrom(0, 128), 127, f.n
	case f.ws || f.pair:
		return lanesFrom(0, 128), 127, f.n * rows / 128
	}
	for r := 0; r < 128; r += 32 {
		s = s.or(lanesFrom(r, 16))
	}
	return s, 111, f.n
}
