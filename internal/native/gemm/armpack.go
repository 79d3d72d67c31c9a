package gemm

import "github.com/cutile-go/cutile/internal/native/arm64"

// armLoads has what becomes of the elements of each loader: widen may change v30 and v31, and part v31. Where there is nothing,
// the bytes are the lanes or the parts.
var armLoads = [...]struct{ widen, part func(m *arm, r int) }{
	loadF16:          {widen: armWidenF16},
	loadBF16:         {widen: armWidenBF16},
	loadE4M3:         {widen: armWidenE4M3},
	loadE5M2:         {widen: armWidenE5M2},
	loadS8:           {widen: armExtend(arm64.SXTL)},
	loadU8:           {widen: armExtend(arm64.UXTL)},
	loadQuadInverted: {armInvert, armInvert},
	numLoaders:       {},
}

func (m *arm) widen(loader uint8, r int) {
	if f := armLoads[loader].widen; f != nil {
		f(m, r)
	}
}

func (m *arm) part(loader uint8, r int) {
	if f := armLoads[loader].part; f != nil {
		f(m, r)
	}
}

// unary emits an operation that makes lanes of one size of those of another one.
func (m *arm) unary(op arm64.Op, r int, to, from arm64.View, imm ...arm64.Operand) {
	m.Emit(op, append([]arm64.Operand{arm64.V(r, to), arm64.V(r, from)}, imm...)...)
}

// armExtend makes 32 bits of bytes.
func armExtend(op arm64.Op) func(*arm, int) {
	return func(m *arm, r int) {
		m.unary(op, r, arm64.V8H, arm64.V8B)
		m.unary(op, r, arm64.V4S, arm64.V4H)
	}
}

// armInvert inverts the highest bit of each byte, which turns the smallest number with a sign into 0.
func armInvert(m *arm, r int) {
	const mask = 31
	m.Emit(arm64.MOVI, arm64.V(mask, arm64.V16B), arm64.Imm(0x80))
	m.three(arm64.EOR, 1, r, r, mask)
}

func armWidenF16(m *arm, r int)  { m.unary(arm64.FCVTL, r, arm64.V4S, arm64.V4H) }
func armWidenBF16(m *arm, r int) { m.unary(arm64.SHLL, r, arm64.V4S, arm64.V4H, arm64.Imm(16)) }

// armWidenE5M2 goes by way of f16, of which e5m2 is the upper half.
func armWidenE5M2(m *arm, r int) {
	m.unary(arm64.SHLL, r, arm64.V8H, arm64.V8B, arm64.Imm(8))
	armWidenF16(m, r)
}

// armWidenE4M3 puts exponent and fraction into an f32, which is then 2^120 times too small since the biases differ by 120. The
// pattern that is no number would become 480 and is replaced.
func armWidenE4M3(m *arm, r int) {
	const t, constant = 30, 31
	do := func(op arm64.Op, d, x, y int, view arm64.View) {
		m.Emit(op, arm64.V(d, view), arm64.V(x, view), arm64.V(y, view))
	}
	m.unary(arm64.UXTL, r, arm64.V8H, arm64.V8B)
	m.unary(arm64.UXTL, r, arm64.V4S, arm64.V4H)
	m.lanes32(constant, e4m3Number)
	do(arm64.AND, t, r, constant, arm64.V16B)
	do(arm64.EOR, r, r, t, arm64.V16B)
	m.unary(arm64.SHL, r, arm64.V4S, arm64.V4S, arm64.Imm(24)) // the sign
	m.unary(arm64.SHL, t, arm64.V4S, arm64.V4S, arm64.Imm(20))
	m.lanes32(constant, e4m3Scale)
	do(arm64.FMUL, t, t, constant, arm64.V4S)
	do(arm64.ORR, r, r, t, arm64.V16B)
	m.lanes32(constant, e4m3Above)
	do(arm64.FCMEQ, t, t, constant, arm64.V4S)
	m.lanes32(constant, e4m3NaN)
	do(arm64.AND, t, t, constant, arm64.V16B)
	do(arm64.ORR, r, r, t, arm64.V16B)
}

func (m *arm) bytes(r int, base reg, disp, n int) { m.pieces(arm64.LDR, arm64.LD1, r, base, disp, n) }

// put needs no spare register.
func (m *arm) put(base reg, disp, n, r, _ int) { m.pieces(arm64.STR, arm64.ST1, r, base, disp, n) }

// pieces loads or stores as many bytes as possible by one instruction, and the others as lanes by another, the larger ones first.
func (m *arm) pieces(first, lane arm64.Op, r int, base reg, disp, n int) {
	size := 16
	for size > n {
		size /= 2
	}
	m.Emit(first, armPart(r, size), m.at(armRegs[base], disp, size))
	for at := size; at < n; at += size {
		for size > n-at {
			size /= 2
		}
		m.sum(armSpare, armRegs[base], disp+at)
		m.Emit(lane, armPart(r, size).List(1).Lane(at/size), arm64.At(armSpare, 0))
	}
}

// three emits an operation of three vector registers with lanes of so many bytes.
func (m *arm) three(op arm64.Op, lane, d, x, y int) {
	view := armViews[lane].lanes
	m.Emit(op, arm64.V(d, view), arm64.V(x, view), arm64.V(y, view))
}

// zip joins neighbours until one register is left.
func (m *arm) zip(lane, parts, r int) {
	for size := lane / parts; size < lane; size *= 2 {
		for i := range lane / size / 2 {
			m.three(arm64.ZIP1, size, r+i, r+2*i, r+2*i+1)
		}
	}
}

// transpose transposes pairs of lanes and then, for lanes of 4 bytes, pairs of pairs.
func (m *arm) transpose(lane int) int {
	const to = 8
	if lane == 8 {
		m.three(arm64.TRN1, 8, to, 0, 1)
		m.three(arm64.TRN2, 8, to+1, 0, 1)
		return to
	}
	for i := 0; i < 4; i += 2 {
		m.three(arm64.TRN1, 4, 4+i, i, i+1)
		m.three(arm64.TRN2, 4, 5+i, i, i+1)
	}
	for i := range 2 {
		m.three(arm64.TRN1, 8, to+i, 4+i, 6+i)
		m.three(arm64.TRN2, 8, to+2+i, 4+i, 6+i)
	}
	return to
}
