package gemm

import "github.com/cutile-go/cutile/internal/native/amd64"

// x86Loads has what becomes of the elements of each loader, in ymm registers: widen may change ymm14. Where there is nothing,
// the bytes are the lanes or the parts.
var x86Loads = [...]struct{ widen, part func(m *x86, r int) }{
	loadF16:          {widen: x86WidenF16},
	loadBF16:         {widen: x86WidenBF16},
	loadE4M3:         {widen: x86WidenE4M3},
	loadE5M2:         {widen: x86WidenE5M2},
	loadS8Pair:       {x86Extend(amd64.VPMOVSXBW, amd64.Y), x86Extend(amd64.VPMOVSXBW, amd64.X)},
	loadU8Pair:       {x86Extend(amd64.VPMOVZXBW, amd64.Y), x86Extend(amd64.VPMOVZXBW, amd64.X)},
	loadQuadInverted: {x86Invert, x86Invert},
	numLoaders:       {},
}

func (m *x86) widen(loader uint8, r int) {
	if f := x86Loads[loader].widen; f != nil {
		f(m, r)
	}
}

func (m *x86) part(loader uint8, r int) {
	if f := x86Loads[loader].part; f != nil {
		f(m, r)
	}
}

func x86Extend(op amd64.Op, to func(int) amd64.Operand) func(*x86, int) {
	return func(m *x86, r int) { m.Emit(op, to(r), amd64.X(r)) }
}

// x86Invert inverts the highest bit of each byte, which turns the smallest number with a sign into 0.
func x86Invert(m *x86, r int) {
	m.Emit(amd64.VPXOR, amd64.Y(r), amd64.Y(r), m.lanes32(0x80808080))
}

func x86WidenF16(m *x86, r int) { m.Emit(amd64.VCVTPH2PS, amd64.Y(r), amd64.X(r)) }

func x86WidenBF16(m *x86, r int) {
	m.Emit(amd64.VPMOVZXWD, amd64.Y(r), amd64.X(r))
	m.Emit(amd64.VPSLLD, amd64.Y(r), amd64.Y(r), amd64.Imm(16))
}

// x86WidenE5M2 goes by way of f16, of which e5m2 is the upper half.
func x86WidenE5M2(m *x86, r int) {
	m.Emit(amd64.VPMOVZXBW, amd64.X(r), amd64.X(r))
	m.Emit(amd64.VPSLLW, amd64.X(r), amd64.X(r), amd64.Imm(8))
	x86WidenF16(m, r)
}

// x86WidenE4M3 puts exponent and fraction into an f32, which is then 2^120 times too small since the biases differ by 120. The
// pattern that is no number would become 480 and is replaced.
func x86WidenE4M3(m *x86, r int) {
	const other = 14
	y, t := amd64.Y(r), amd64.Y(other)
	m.Emit(amd64.VPMOVZXBD, y, amd64.X(r))
	m.Emit(amd64.VPAND, t, y, m.lanes32(e4m3Number))
	m.Emit(amd64.VPXOR, y, y, t)
	m.Emit(amd64.VPSLLD, y, y, amd64.Imm(24)) // the sign
	m.Emit(amd64.VPSLLD, t, t, amd64.Imm(20))
	m.Emit(amd64.VMULPS, t, t, m.lanes32(e4m3Scale))
	m.Emit(amd64.VORPS, y, y, t)
	m.Emit(amd64.VCMPPS, t, t, m.lanes32(e4m3Above), amd64.Imm(amd64.EQ_OQ))
	m.Emit(amd64.VANDPS, t, t, m.lanes32(e4m3NaN))
	m.Emit(amd64.VORPS, y, y, t)
}

// bytes takes xmm15, too.
func (m *x86) bytes(r int, base reg, disp, n int) {
	switch {
	case n == 32:
		m.Emit(amd64.VMOVUPS, amd64.Y(r), at64(base, disp))
	case n > 16:
		m.Emit(amd64.VMOVUPS, amd64.X(r), at64(base, disp))
		m.pieces(15, base, disp+16, n-16)
		m.Emit(amd64.VINSERTF128, amd64.Y(r), amd64.Y(r), amd64.X(15), amd64.Imm(1))
	case n == 16:
		m.Emit(amd64.VMOVUPS, amd64.X(r), at64(base, disp))
	default:
		m.pieces(r, base, disp, n)
	}
}

var x86Inserts = [...]struct {
	size int
	op   amd64.Op
}{{8, amd64.VPINSRQ}, {4, amd64.VPINSRD}, {2, amd64.VPINSRW}, {1, amd64.VPINSRB}}

// pieces loads at most 16 bytes into xmm r.
func (m *x86) pieces(r int, base reg, disp, n int) {
	x := amd64.X(r)
	at := 0
	switch {
	case n >= 8:
		m.Emit(amd64.VMOVQ, x, at64(base, disp))
		at = 8
	case n >= 4:
		m.Emit(amd64.VMOVD, x, at64(base, disp))
		at = 4
	default:
		m.zero(r)
	}
	for _, p := range x86Inserts {
		if n-at >= p.size {
			m.Emit(p.op, x, x, at64(base, disp+at), amd64.Imm(int64(at/p.size)))
			at += p.size
		}
	}
}

func (m *x86) put(base reg, disp, n, r, spare int) {
	if n == 32 {
		m.Emit(amd64.VMOVUPS, at64(base, disp), amd64.Y(r))
		return
	}
	if n >= 16 {
		m.Emit(amd64.VMOVUPS, at64(base, disp), amd64.X(r))
		if n == 16 {
			return
		}
		m.Emit(amd64.VEXTRACTF128, amd64.X(spare), amd64.Y(r), amd64.Imm(1))
		r, disp, n = spare, disp+16, n-16
	}
	if n >= 8 {
		m.Emit(amd64.VMOVQ, at64(base, disp), amd64.X(r))
		if n == 8 {
			return
		}
		m.Emit(amd64.VMOVHLPS, amd64.X(spare), amd64.X(r), amd64.X(r))
		r, disp = spare, disp+8
	}
	m.Emit(amd64.VMOVD, at64(base, disp), amd64.X(r))
}

// zip takes the parts, 2 or 4 of lanes of 4 bytes, from xmm registers and makes a ymm of them.
func (m *x86) zip(_, parts, r int) {
	if parts == 4 {
		m.Emit(amd64.VPUNPCKLBW, amd64.X(r), amd64.X(r), amd64.X(r+1))
		m.Emit(amd64.VPUNPCKLBW, amd64.X(r+1), amd64.X(r+2), amd64.X(r+3))
	}
	m.Emit(amd64.VPUNPCKHWD, amd64.X(r+2), amd64.X(r), amd64.X(r+1))
	m.Emit(amd64.VPUNPCKLWD, amd64.X(r), amd64.X(r), amd64.X(r+1))
	m.Emit(amd64.VINSERTF128, amd64.Y(r), amd64.Y(r), amd64.X(r+2), amd64.Imm(1))
}

func (m *x86) transpose(lane int) int {
	if lane == 8 {
		m.transpose4()
	} else {
		m.transpose8()
	}
	return 8
}

// three emits an operation of three ymm registers, and perhaps an immediate.
func (m *x86) three(op amd64.Op, d, x, y int, imm ...int64) {
	args := []amd64.Operand{amd64.Y(d), amd64.Y(x), amd64.Y(y)}
	for _, i := range imm {
		args = append(args, amd64.Imm(i))
	}
	m.Emit(op, args...)
}

const (
	lowHalves  = 0x20 // of VPERM2F128
	highHalves = 0x31
	lowPairs   = 0x44 // of VSHUFPS
	highPairs  = 0xEE
)

// transpose8 transposes 8 times 8 lanes of 4 bytes from ymm0-7 to ymm8-15.
func (m *x86) transpose8() {
	for i := 0; i < 8; i += 2 {
		m.three(amd64.VUNPCKLPS, 8+i, i, i+1)
		m.three(amd64.VUNPCKHPS, 9+i, i, i+1)
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			m.three(amd64.VSHUFPS, i+2*j, 8+i+j, 10+i+j, lowPairs)
			m.three(amd64.VSHUFPS, i+2*j+1, 8+i+j, 10+i+j, highPairs)
		}
	}
	for i := range 4 {
		m.three(amd64.VPERM2F128, 8+i, i, i+4, lowHalves)
		m.three(amd64.VPERM2F128, 12+i, i, i+4, highHalves)
	}
}

// transpose4 transposes 4 times 4 lanes of 8 bytes from ymm0-3 to ymm8-11.
func (m *x86) transpose4() {
	for i := 0; i < 4; i += 2 {
		m.three(amd64.VUNPCKLPD, 4+i, i, i+1)
		m.three(amd64.VUNPCKHPD, 5+i, i, i+1)
	}
	for i := range 2 {
		m.three(amd64.VPERM2F128, 8+i, 4+i, 6+i, lowHalves)
		m.three(amd64.VPERM2F128, 10+i, 4+i, 6+i, highHalves)
	}
}
