package neon

import (
	"encoding/binary"
	"math"

	"github.com/cutile-go/cutile/internal/native/arm64"
)

// setVector fills a register with 16 bytes: by an instruction that has them, or from memory behind the code.
func (e *emitter) setVector(r int, data string) {
	b := []byte(data)
	v := binary.LittleEndian.Uint64(b)
	if v == binary.LittleEndian.Uint64(b[8:]) {
		if op, args := immediateVector(r, v); op != 0 {
			e.asm.Emit(op, args...)
			return
		}
	}
	e.asm.Emit(arm64.LDR, arm64.Q(r), arm64.To(e.asm.Const(b, len(b))))
}

// immediateVector finds an instruction that fills both halves of a register with the same 64 bits; 0 if there is none.
func immediateVector(r int, v uint64) (arm64.Op, []arm64.Operand) {
	h, w := v&math.MaxUint16, v&math.MaxUint32
	switch {
	case v == v&0xff*0x0101010101010101:
		return arm64.MOVI, []arm64.Operand{arm64.V(r, arm64.V16B), arm64.Imm(int64(v & 0xff))}
	case v == h*0x0001000100010001:
		if op, imm, shift := shifted(h, math.MaxUint16); op != 0 {
			return op, []arm64.Operand{arm64.V(r, arm64.V8H), imm, shift}
		}
	case v == w<<32|w:
		if op, imm, shift := shifted(w, math.MaxUint32); op != 0 {
			return op, []arm64.Operand{arm64.V(r, arm64.V4S), imm, shift}
		}
		if f := math.Float32frombits(uint32(w)); short(math.Float64bits(float64(f))) {
			return arm64.FMOV, []arm64.Operand{arm64.V(r, arm64.V4S), arm64.Float(float64(f))}
		}
	case short(v):
		return arm64.FMOV, []arm64.Operand{arm64.V(r, arm64.V2D), arm64.Float(math.Float64frombits(v))}
	}
	for rest := v; rest != 0; rest >>= 8 {
		if b := rest & 0xff; b != 0 && b != 0xff {
			return 0, nil
		}
	}
	return arm64.MOVI, []arm64.Operand{arm64.V(r, arm64.V2D), arm64.Imm(int64(v))}
}

// shifted finds the byte and the shift that an element is, or its complement.
func shifted(elem, all uint64) (op arm64.Op, imm, shift arm64.Operand) {
	for n := 0; all>>n != 0; n += 8 {
		if elem == elem>>n&0xff<<n {
			return arm64.MOVI, arm64.Imm(int64(elem >> n)), arm64.LSLBy.By(n)
		}
		if not := elem ^ all; not == not>>n&0xff<<n {
			return arm64.MVNI, arm64.Imm(int64(not >> n)), arm64.LSLBy.By(n)
		}
	}
	return 0, imm, shift
}

// short reports whether FMOV has a float64: ±n/16·2^e for n from 16 to 31 and e from -3 to 4.
func short(v uint64) bool {
	exp := int(v>>52&0x7ff) - 1023
	return v&(1<<48-1) == 0 && exp >= -3 && exp <= 4
}
