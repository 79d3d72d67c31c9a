package gemm

import "github.com/cutile-go/cutile/internal/native/amd64"

// A loader turns elements of an operand, as memory has them, into the lanes that are multiplied. A lane holds group elements
// which follow each other in k.
type loader struct {
	elem, group, lane int // bytes of an element, elements of a lane, bytes of a lane

	// widen turns the elements in the low bytes of ymm r into lanes. It may change ymm14. It is nil where the bytes are the
	// lanes.
	widen func(e *emitter, r int)
	// half widens each element in the low bytes of xmm r to its part of a lane. It is nil where the bytes are the parts.
	half func(e *emitter, r int)
}

// The loaders.
const (
	loadF32 = iota
	loadF64
	loadF16
	loadBF16
	loadE4M3
	loadE5M2
	loadS8Pair
	loadU8Pair
	loadQuad
	loadQuadInverted
	loadBF16Pair
)

var loaders = [...]loader{
	loadF32:          {elem: 4, group: 1, lane: 4},
	loadF64:          {elem: 8, group: 1, lane: 8},
	loadF16:          {elem: 2, group: 1, lane: 4, widen: widenF16},
	loadBF16:         {elem: 2, group: 1, lane: 4, widen: widenBF16},
	loadE4M3:         {elem: 1, group: 1, lane: 4, widen: widenE4M3},
	loadE5M2:         {elem: 1, group: 1, lane: 4, widen: widenE5M2},
	loadS8Pair:       {elem: 1, group: 2, lane: 4, widen: extend(amd64.VPMOVSXBW, amd64.Y), half: extend(amd64.VPMOVSXBW, amd64.X)},
	loadU8Pair:       {elem: 1, group: 2, lane: 4, widen: extend(amd64.VPMOVZXBW, amd64.Y), half: extend(amd64.VPMOVZXBW, amd64.X)},
	loadQuad:         {elem: 1, group: 4, lane: 4},
	loadQuadInverted: {elem: 1, group: 4, lane: 4, widen: invert, half: invert},
	loadBF16Pair:     {elem: 2, group: 2, lane: 4},
}

// direct says whether the kernel can take the operand from memory as it is.
func (l *loader) direct() bool { return l.group == 1 && l.widen == nil }

// block is the number of lanes that a pack function handles at once: those of a ymm register.
func (l *loader) block() int { return 32 / l.lane }

func extend(op amd64.Op, to func(int) amd64.Operand) func(*emitter, int) {
	return func(e *emitter, r int) { e.Emit(op, to(r), amd64.X(r)) }
}

// invert inverts the highest bit of each byte, which turns the smallest number with a sign into 0.
func invert(e *emitter, r int) { e.Emit(amd64.VPXOR, amd64.Y(r), amd64.Y(r), e.lanes32(0x80808080)) }

func widenF16(e *emitter, r int) { e.Emit(amd64.VCVTPH2PS, amd64.Y(r), amd64.X(r)) }

func widenBF16(e *emitter, r int) {
	e.Emit(amd64.VPMOVZXWD, amd64.Y(r), amd64.X(r))
	e.Emit(amd64.VPSLLD, amd64.Y(r), amd64.Y(r), amd64.Imm(16))
}

// widenE5M2 goes by way of f16, of which e5m2 is the upper half.
func widenE5M2(e *emitter, r int) {
	e.Emit(amd64.VPMOVZXBW, amd64.X(r), amd64.X(r))
	e.Emit(amd64.VPSLLW, amd64.X(r), amd64.X(r), amd64.Imm(8))
	widenF16(e, r)
}

// widenE4M3 puts exponent and fraction into an f32, which is then 2^120 times too small since the biases differ by 120. The
// pattern that is no number would become 480 and is replaced.
func widenE4M3(e *emitter, r int) {
	const number, other, nan = 0x7F, 14, 0x7FC00000
	y, t := amd64.Y(r), amd64.Y(other)
	e.Emit(amd64.VPMOVZXBD, y, amd64.X(r))
	e.Emit(amd64.VPAND, t, y, e.lanes32(number))
	e.Emit(amd64.VPXOR, y, y, t)
	e.Emit(amd64.VPSLLD, y, y, amd64.Imm(24)) // the sign
	e.Emit(amd64.VPSLLD, t, t, amd64.Imm(20))
	e.Emit(amd64.VMULPS, t, t, e.lanes32(0x7B800000))
	e.Emit(amd64.VORPS, y, y, t)
	e.Emit(amd64.VCMPPS, t, t, e.lanes32(0x43F00000), amd64.Imm(amd64.EQ_OQ))
	e.Emit(amd64.VANDPS, t, t, e.lanes32(nan))
	e.Emit(amd64.VORPS, y, y, t)
}

// bytes loads n bytes, at most 32, into ymm r. It touches no byte behind them and zeroes the rest of at least an xmm. It may
// change xmm15.
func (e *emitter) bytes(r int, base amd64.Reg, disp, n int) {
	switch {
	case n == 32:
		e.Emit(amd64.VMOVUPS, amd64.Y(r), amd64.At(base, int32(disp)))
	case n > 16:
		e.Emit(amd64.VMOVUPS, amd64.X(r), amd64.At(base, int32(disp)))
		e.pieces(15, base, disp+16, n-16)
		e.Emit(amd64.VINSERTF128, amd64.Y(r), amd64.Y(r), amd64.X(15), amd64.Imm(1))
	case n == 16:
		e.Emit(amd64.VMOVUPS, amd64.X(r), amd64.At(base, int32(disp)))
	default:
		e.pieces(r, base, disp, n)
	}
}

var inserts = [...]struct {
	size int
	op   amd64.Op
}{{8, amd64.VPINSRQ}, {4, amd64.VPINSRD}, {2, amd64.VPINSRW}, {1, amd64.VPINSRB}}

// pieces loads fewer than 16 bytes into xmm r.
func (e *emitter) pieces(r int, base amd64.Reg, disp, n int) {
	x := amd64.X(r)
	at := 0
	switch {
	case n >= 8:
		e.Emit(amd64.VMOVQ, x, amd64.At(base, int32(disp)))
		at = 8
	case n >= 4:
		e.Emit(amd64.VMOVD, x, amd64.At(base, int32(disp)))
		at = 4
	default:
		e.Emit(amd64.VPXOR, x, x, x)
	}
	for _, p := range inserts {
		if n-at >= p.size {
			e.Emit(p.op, x, x, amd64.At(base, int32(disp+at)), amd64.Imm(int64(at/p.size)))
			at += p.size
		}
	}
}

// store writes n bytes, a multiple of 4 and at most 32, from ymm r. It may change xmm spare.
func (e *emitter) store(base amd64.Reg, disp, n, r, spare int) {
	if n == 32 {
		e.Emit(amd64.VMOVUPS, amd64.At(base, int32(disp)), amd64.Y(r))
		return
	}
	if n >= 16 {
		e.Emit(amd64.VMOVUPS, amd64.At(base, int32(disp)), amd64.X(r))
		if n == 16 {
			return
		}
		e.Emit(amd64.VEXTRACTF128, amd64.X(spare), amd64.Y(r), amd64.Imm(1))
		r, disp, n = spare, disp+16, n-16
	}
	if n >= 8 {
		e.Emit(amd64.VMOVQ, amd64.At(base, int32(disp)), amd64.X(r))
		if n == 8 {
			return
		}
		e.Emit(amd64.VMOVHLPS, amd64.X(spare), amd64.X(r), amd64.X(r))
		r, disp = spare, disp+8
	}
	e.Emit(amd64.VMOVD, amd64.At(base, int32(disp)), amd64.X(r))
}

// load loads n lanes' worth of elements that follow each other in k, n being counted in elements.
func (e *emitter) load(l *loader, r int, base amd64.Reg, disp, elements int) {
	e.bytes(r, base, disp, elements*l.elem)
	if l.widen != nil {
		l.widen(e, r)
	}
}

// interleave loads n lanes whose group elements lie in as many rows: the registers that rows names. A row that is missing
// counts as zeros. The lanes come to ymm r, for which r+1 to r+3 are changed, too.
func (e *emitter) interleave(l *loader, r int, rows []amd64.Reg, disp, n int) {
	if l.group == 1 {
		e.load(l, r, rows[0], disp, n)
		return
	}
	for i := range l.group {
		if i >= len(rows) {
			e.Emit(amd64.VPXOR, amd64.X(r+i), amd64.X(r+i), amd64.X(r+i))
			continue
		}
		e.bytes(r+i, rows[i], disp, n*l.elem)
		if l.half != nil {
			l.half(e, r+i)
		}
	}
	if l.group == 4 {
		e.Emit(amd64.VPUNPCKLBW, amd64.X(r), amd64.X(r), amd64.X(r+1))
		e.Emit(amd64.VPUNPCKLBW, amd64.X(r+1), amd64.X(r+2), amd64.X(r+3))
	}
	e.Emit(amd64.VPUNPCKHWD, amd64.X(r+2), amd64.X(r), amd64.X(r+1))
	e.Emit(amd64.VPUNPCKLWD, amd64.X(r), amd64.X(r), amd64.X(r+1))
	e.Emit(amd64.VINSERTF128, amd64.Y(r), amd64.Y(r), amd64.X(r+2), amd64.Imm(1))
}
