package cpu

import (
	"math"
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

// mma describes one matrix multiplication: batches of m by k times k by n.
type mma struct {
	batch, m, n, k int
	a, b, acc, d   slot
	aSize, bSize   int    // bytes of an element of the operands
	aWide, bWide   kernel // to the type of the sums, nil if they have it
	accWide        kernel // of the accumulator and back, nil if it has the type of the sums
	accNarrow      kernel
	accSize        int
	scales         *scales      // of mmaf_scaled
	exact          bool         // products of factors need no rounding
	factors        *tileProduct // machine code for the factors as they are, or nil
	wide           *tileProduct // machine code for the factors in the type of the sums, or nil
}

// generateMmaF compiles mmaf. Sums are float32, for f64 float64. With an f16 accumulator the sum is rounded once more, at
// the end.
func generateMmaF(c *compiler, op *tileir.Op) (step, error) {
	m := c.newMma(op, op.Operands[2])
	in, acc := tileType(op.Operands[0]).Elem, tileType(op.Operands[2]).Elem
	m.exact = exactProducts[in]
	m.factors = c.newProduct(op, m, factors{elem: in}, m.m*m.n*4)
	if in == tileir.F64 {
		return mmaStep[float64](c, m), nil
	}
	if in != tileir.F32 && in != tileir.TF32 {
		m.aWide, m.bWide = widening[in], widening[in]
		if m.aWide == nil {
			return nil, unsupported(op, op.Operands[0].Type, "it cannot multiply this element type")
		}
	}
	if acc == tileir.F16 {
		m.accWide, m.accNarrow = widening[acc], narrowing(acc, tileir.RoundingNearestEven)
	}
	return mmaStep[float32](c, m), nil
}

// exactProducts are the types whose products are all float32, which those of bf16 may be too small for.
var exactProducts = map[tileir.Elem]bool{tileir.F16: true, tileir.F8E4M3FN: true, tileir.F8E5M2: true}

// generateMmaI compiles mmai.
func generateMmaI(c *compiler, op *tileir.Op) (step, error) {
	m := c.newMma(op, op.Operands[2])
	m.exact = true
	m.factors = c.newProduct(op, m, factorsOf(op), 0)
	m.aWide = extension(tileir.I8, tileir.I32, op.Int("signedness_lhs") != 0)
	m.bWide = extension(tileir.I8, tileir.I32, op.Int("signedness_rhs") != 0)
	return mmaStep[int32](c, m), nil
}

func (c *compiler) newMma(op *tileir.Op, acc *tileir.Value) *mma {
	a, b := op.Operands[0], op.Operands[1]
	as, bs := tileType(a).Shape, tileType(b).Shape
	m := &mma{batch: 1, a: c.need(a), b: c.need(b), acc: c.need(acc), d: c.off(op.Results[0]),
		aSize: elemBytes(tileType(a)), bSize: elemBytes(tileType(b)), accSize: elemBytes(tileType(acc))}
	if len(as) == 3 {
		m.batch, as, bs = as[0], as[1:], bs[1:]
	}
	m.m, m.k, m.n = as[0], as[1], bs[1]
	return m
}

// mmaStep makes the step. Scratch holds converted operands and, for f16, the sums.
func mmaStep[T multiplied](c *compiler, m *mma) step {
	size := int(unsafe.Sizeof(T(0)))
	aAt, bAt, sumAt := 0, m.m*m.k*size, (m.m*m.k+m.k*m.n)*size
	c.reserve(sumAt + m.m*m.n*size)
	if m.factors != nil {
		return m.runProducts
	}
	return func(f *frame) signal {
		for i := range m.batch {
			a := wideOperand[T](f, unsafe.Add(f.mem, int(m.a)+i*m.m*m.k*m.aSize), aAt, m.m*m.k, m.aWide, m.aSize)
			b := wideOperand[T](f, unsafe.Add(f.mem, int(m.b)+i*m.k*m.n*m.bSize), bAt, m.k*m.n, m.bWide, m.bSize)
			acc, d := unsafe.Add(f.mem, int(m.acc)+i*m.m*m.n*m.accSize), unsafe.Add(f.mem, int(m.d)+i*m.m*m.n*m.accSize)
			if m.accWide == nil {
				if acc != d {
					f.copyInParts(d, acc, m.m*m.n*size)
				}
				if m.scales != nil && !m.scales.apply(f, i, ptr(&a[0]), ptr(&b[0])) {
					m.scales.multiply(f, i, m, slice[float32](d, m.m*m.n))
					continue
				}
				if m.wide != nil {
					m.wide.run(f, m, d, d, ptr(&a[0]), ptr(&b[0]), size, size)
					continue
				}
				addProduct(f, slice[T](d, m.m*m.n), a, b, m.m, m.n, m.k, m.exact)
				continue
			}
			sums := wideOperand[T](f, acc, sumAt, m.m*m.n, m.accWide, m.accSize)
			addProduct(f, sums, a, b, m.m, m.n, m.k, m.exact)
			f.convert(m.accNarrow, d, ptr(&sums[0]), m.m*m.n, m.accSize, size)
		}
		return sigNext
	}
}

// runProducts multiplies by machine code. For an accumulator of another type than the sums, scratch begins with the sums.
func (m *mma) runProducts(f *frame) signal {
	for i := range m.batch {
		a, b := unsafe.Add(f.mem, int(m.a)+i*m.m*m.k*m.aSize), unsafe.Add(f.mem, int(m.b)+i*m.k*m.n*m.bSize)
		acc, d := unsafe.Add(f.mem, int(m.acc)+i*m.m*m.n*m.accSize), unsafe.Add(f.mem, int(m.d)+i*m.m*m.n*m.accSize)
		if m.accWide == nil {
			m.factors.run(f, m, d, acc, a, b, m.aSize, m.accSize)
			continue
		}
		f.convert(m.accWide, f.scratch, acc, m.m*m.n, 4, m.accSize)
		m.factors.run(f, m, f.scratch, f.scratch, a, b, m.aSize, 4)
		f.convert(m.accNarrow, d, f.scratch, m.m*m.n, m.accSize, 4)
	}
	return sigNext
}

// wideOperand gives the elements at p, of the given size, in the type of the sums, converted to scratch where needed.
func wideOperand[T multiplied](f *frame, p ptr, scratch, n int, widen kernel, from int) []T {
	if widen == nil {
		return slice[T](p, n)
	}
	wide := unsafe.Add(f.scratch, scratch)
	f.convert(widen, wide, p, n, int(unsafe.Sizeof(T(0))), from)
	return slice[T](wide, n)
}

// scales are the factors of mmaf_scaled: one for each block of elements along k.
type scales struct {
	a, b            slot
	widen           kernel
	scratch         int // where they are brought to float32
	m, n, k         int
	blocks          int // along k
	values, factors *[256]float64
}

// generateMmaFScaled compiles mmaf_scaled: a product of two elements and their two scales is rounded to float32 once.
func generateMmaFScaled(c *compiler, op *tileir.Op) (step, error) {
	m := c.newMma(op, op.Operands[2])
	in, by := tileType(op.Operands[0]).Elem, tileType(op.Operands[3])
	m.aWide, m.bWide = widening[in], widening[in]
	if m.aWide == nil || widening[by.Elem] == nil {
		return nil, unsupported(op, op.Operands[0].Type, "it cannot multiply this element type")
	}
	m.scales = &scales{a: c.need(op.Operands[3]), b: c.need(op.Operands[4]), widen: widening[by.Elem],
		m: m.m, n: m.n, k: m.k, blocks: by.Shape[by.Rank()-1], values: smallFloats[in].Values(), factors: smallFloats[by.Elem].Values()}
	s := mmaStep[float32](c, m)
	m.scales.scratch = c.scratch
	c.reserve(c.scratch + 4*max(m.m, m.n)*m.scales.blocks)
	m.wide = c.newProduct(op, m, factors{elem: tileir.F32}, c.scratch)
	return s, nil
}

// apply multiplies the operands of a batch, m by k and k by n, by their scales in float32. It reports false if that
// is not exact: where an element leaves the range, although its product may lie inside.
func (s *scales) apply(f *frame, batch int, a, b ptr) bool {
	run := s.k / s.blocks
	count := s.m * s.blocks
	by := wideOperand[float32](f, unsafe.Add(f.mem, int(s.a)+batch*count), s.scratch, count, s.widen, 1)
	overflow := false
	x := slice[float32](a, s.m*s.k)
	for i, v := range x {
		if i%pollElems == 0 {
			f.poll()
		}
		x[i] = v * by[i/run]
		overflow = overflow || v-v == 0 && (x[i] > math.MaxFloat32 || x[i] < -math.MaxFloat32)
	}
	count = s.blocks * s.n
	by = wideOperand[float32](f, unsafe.Add(f.mem, int(s.b)+batch*count), s.scratch, count, s.widen, 1)
	x = slice[float32](b, s.k*s.n)
	for i, v := range x {
		if i%pollElems == 0 {
			f.poll()
		}
		x[i] = v * by[i/s.n/run*s.n+i%s.n]
		overflow = overflow || v-v == 0 && (x[i] > math.MaxFloat32 || x[i] < -math.MaxFloat32)
	}
	return !overflow
}

// multiply is the whole product in float64, which holds four factors, with the sums rounded as elsewhere: to odd first, so
// that rounding them to float32 is the only rounding.
func (s *scales) multiply(f *frame, batch int, m *mma, d []float32) {
	run := s.k / s.blocks
	a := slice[uint8](unsafe.Add(f.mem, int(m.a)+batch*s.m*s.k), s.m*s.k)
	b := slice[uint8](unsafe.Add(f.mem, int(m.b)+batch*s.k*s.n), s.k*s.n)
	aBy := slice[uint8](unsafe.Add(f.mem, int(s.a)+batch*s.m*s.blocks), s.m*s.blocks)
	bBy := slice[uint8](unsafe.Add(f.mem, int(s.b)+batch*s.blocks*s.n), s.blocks*s.n)
	for i := range s.m {
		for p := range s.k {
			f.poll()
			x := s.values[a[i*s.k+p]] * s.factors[aBy[i*s.blocks+p/run]]
			for j := range s.n {
				y := s.values[b[p*s.n+j]] * s.factors[bBy[p/run*s.n+j]]
				d[i*s.n+j] = float32(oddSum(x*y, float64(d[i*s.n+j])))
			}
		}
	}
}
