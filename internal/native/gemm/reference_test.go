package gemm

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// A matrix is an operand of a test.
type matrix struct {
	memory []byte
	at     unsafe.Pointer
	layout Layout
	origin int  // where the first element lies
	right  bool // is B
}

// A problem is a product with its operands.
type problem struct {
	kind    Kind
	m, n, k int
	a, b    matrix
}

func newProblem(r *rand.Rand, kind Kind, m, n, k int, la, lb Layout) *problem {
	p := &problem{kind: kind, m: m, n: n, k: k}
	p.a, p.b = newMatrix(r, kind, m, k, la), newMatrix(r, kind, k, n, lb)
	p.b.right = true
	return p
}

// newMatrix makes a matrix with exactly as many bytes as its elements span.
func newMatrix(r *rand.Rand, kind Kind, rows, cols int, l Layout) matrix {
	down, right := (rows-1)*l.Row, (cols-1)*l.Col
	m := matrix{layout: l, origin: max(0, -down) + max(0, -right)}
	m.memory = make([]byte, m.origin+max(0, down)+max(0, right)+kind.Elem())
	m.fill(r, kind)
	m.at = unsafe.Pointer(&m.memory[m.origin])
	return m
}

// fill writes elements of all sorts: mostly of moderate size, with some that are not finite, zero or subnormal.
func (m *matrix) fill(r *rand.Rand, kind Kind) {
	elem := kind.Elem()
	special := r.IntN(4) == 0
	for i := 0; i+elem <= len(m.memory); i += elem {
		x := r.NormFloat64() * math.Exp2(float64(r.IntN(9)-4))
		wild := special && r.IntN(50) == 0
		switch kind {
		case F64:
			bits := math.Float64bits(x)
			if wild {
				bits = r.Uint64()>>1&^(0x3FF<<52) | bits&(1<<63)
			}
			binary.LittleEndian.PutUint64(m.memory[i:], bits)
		case F32:
			bits := math.Float32bits(float32(x))
			if wild {
				bits = []uint32{0x7F800000, 0xFF800000, 0x7FC00000, 1, 0x80000000, 0x00012345, 0x7F7FFFFF}[r.IntN(7)]
			}
			binary.LittleEndian.PutUint32(m.memory[i:], bits)
		case F16:
			bits := uint16(r.IntN(0x8000)&^0x7C00 | (12+r.IntN(5))<<10 | r.IntN(2)<<15)
			if wild {
				bits = uint16(r.Uint32())
			}
			binary.LittleEndian.PutUint16(m.memory[i:], bits)
		case BF16, BF16Pairs:
			bits := uint16(math.Float32bits(float32(x)) >> 16)
			if wild && kind == BF16 {
				bits = uint16(r.Uint32())
			}
			binary.LittleEndian.PutUint16(m.memory[i:], bits)
		default:
			m.memory[i] = byte(r.Uint32())
			if !special && (kind == E4M3 || kind == E5M2) {
				m.memory[i] &^= 0x04 | 0x40
			}
		}
	}
}

// number gives an element as a float.
func (m *matrix) number(kind Kind, i, j int) float64 {
	b := m.memory[m.origin+i*m.layout.Row+j*m.layout.Col:]
	switch kind {
	case F64:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case F32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case F16:
		return small(uint32(binary.LittleEndian.Uint16(b)), 5, 10, true)
	case BF16, BF16Pairs:
		return float64(math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16))
	case E5M2:
		return small(uint32(b[0]), 5, 2, true)
	case E4M3:
		return small(uint32(b[0]), 4, 3, false)
	}
	panic("no float")
}

// small decodes a float by its definition.
func small(x uint32, expBits, fracBits int, infinities bool) float64 {
	sign := 1.0
	if x>>(expBits+fracBits) == 1 {
		sign = -1
	}
	exp, frac := int(x>>fracBits)&(1<<expBits-1), float64(x&(1<<fracBits-1))
	bias, top := 1<<(expBits-1)-1, 1<<expBits-1
	switch {
	case exp == top && infinities && frac == 0:
		return math.Inf(int(sign))
	case exp == top && (infinities || frac == float64(int(1)<<fracBits-1)):
		return math.NaN()
	case exp == 0:
		return sign * math.Ldexp(frac, 1-bias-fracBits)
	}
	return sign * math.Ldexp(1+math.Ldexp(frac, -fracBits), exp-bias)
}

func (m *matrix) integer(kind Kind, i, j int) int32 {
	b := m.memory[m.origin+i*m.layout.Row+j*m.layout.Col]
	if kind == S8S8 || m.right && kind == U8S8 || !m.right && kind == S8U8 {
		return int32(int8(b))
	}
	return int32(b)
}

// newC makes a C whose rows lie cRow bytes apart, with the gaps between them.
func (p *problem) newC(cRow int) []byte {
	c := make([]byte, (p.m-1)*cRow+p.n*p.kind.Acc())
	for i := range c {
		c[i] = byte(i * 7)
	}
	for i := range p.m {
		for j := range p.n {
			at := c[i*cRow+j*p.kind.Acc():]
			switch {
			case p.kind == F64:
				binary.LittleEndian.PutUint64(at, math.Float64bits(float64(i-j)+0.1))
			case p.kind.integers():
				binary.LittleEndian.PutUint32(at, uint32(i*1000000007-j))
			default:
				binary.LittleEndian.PutUint32(at, math.Float32bits(float32(i-j)+0.1))
			}
		}
	}
	return c
}

func (k Kind) integers() bool { return k >= S8S8 && k <= U8U8 }

// reference gives what C shall be: products added one after another in the order of k.
func (p *problem) reference(c []byte, cRow int, keep bool) []byte {
	want := append([]byte(nil), c...)
	element := p.elements()
	for i := range p.m {
		for j := range p.n {
			at := want[i*cRow+j*p.kind.Acc():]
			if !keep {
				clear(at[:p.kind.Acc()])
			}
			element(at, i, j)
		}
	}
	return want
}

// elements gives a function for one element of C.
func (p *problem) elements() func(at []byte, i, j int) {
	switch {
	case p.kind == F64:
		a, b := decode(p, p.a.number, p.b.number)
		return func(at []byte, i, j int) {
			s := math.Float64frombits(binary.LittleEndian.Uint64(at))
			for k := range p.k {
				s = math.FMA(a[i*p.k+k], b[j*p.k+k], s)
			}
			binary.LittleEndian.PutUint64(at, math.Float64bits(s))
		}
	case p.kind.integers():
		a, b := decode(p, p.a.integer, p.b.integer)
		return func(at []byte, i, j int) {
			s := int32(binary.LittleEndian.Uint32(at))
			for k := range p.k {
				s += a[i*p.k+k] * b[j*p.k+k]
			}
			binary.LittleEndian.PutUint32(at, uint32(s))
		}
	}
	a, b := decode(p, p.a.number, p.b.number)
	return func(at []byte, i, j int) {
		s := math.Float32frombits(binary.LittleEndian.Uint32(at))
		for k := range p.k {
			s = vec.FMA32(float32(a[i*p.k+k]), float32(b[j*p.k+k]), s)
		}
		binary.LittleEndian.PutUint32(at, math.Float32bits(s))
	}
}

// decode gives the elements of A row by row and those of B column by column.
func decode[T any](p *problem, a, b func(kind Kind, i, j int) T) (x, y []T) {
	for i := range p.m {
		for k := range p.k {
			x = append(x, a(p.kind, i, k))
		}
	}
	for j := range p.n {
		for k := range p.k {
			y = append(y, b(p.kind, k, j))
		}
	}
	return x, y
}

// differ says where C is not as it shall be, gaps included. All NaNs count as equal.
func (p *problem) differ(got, want []byte) string {
	acc := p.kind.Acc()
	for i := 0; i+acc <= len(want); i += acc {
		g, w := got[i:i+acc], want[i:i+acc]
		if string(g) == string(w) {
			continue
		}
		if p.kind == F64 {
			x, y := math.Float64frombits(binary.LittleEndian.Uint64(g)), math.Float64frombits(binary.LittleEndian.Uint64(w))
			if x != x && y != y {
				continue
			}
			return fmt.Sprintf("at byte %d: %v, expected %v", i, x, y)
		}
		x, y := math.Float32frombits(binary.LittleEndian.Uint32(g)), math.Float32frombits(binary.LittleEndian.Uint32(w))
		if !p.kind.integers() && x != x && y != y || p.kind == BF16Pairs && math.Abs(float64(x-y)) <= 1e-3*(1+math.Abs(float64(y))) {
			continue
		}
		return fmt.Sprintf("at byte %d: % x (%v), expected % x (%v)", i, g, x, w, y)
	}
	return ""
}
