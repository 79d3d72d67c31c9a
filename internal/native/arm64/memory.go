package arm64

import (
	"fmt"
	"math/bits"
)

// base gives the bits of the register that an address starts from.
func base(r Reg) (uint32, bool) {
	ok := r.View() == ViewX && r != XZR
	return uint32(r&numMask) << 5, ok
}

func encodeBase(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	return code | b, ok && o.imm == 0
}

// encodeExclusive encodes the address of a store that gives a status. The status must not be the address or the data, which
// are in the code already; bit 21 says that there are two registers of data.
func encodeExclusive(p pattern, o Operand, code uint32) (uint32, bool) {
	code, ok := encodeBase(p, o, code)
	status, first, second, address := code>>16&numMask, code&numMask, code>>10&numMask, code>>5&numMask
	isPair := code>>21&1 != 0
	return code, ok && status != first && !(isPair && status == second) && (status != address || status == numMask)
}

// written reports whether an instruction writes the address back to a register that is also its data: the result would be
// unpredictable. The data of vector instructions, which have bit 26, are other registers.
func written(o Operand, data uint32, code uint32) bool {
	return o.kind != kindMem && code>>26&1 == 0 && o.reg != SP && uint32(o.reg&numMask) == data&numMask
}

func encodeScaled(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	size := int64(p.arg)
	return code | b | uint32(o.imm/size)<<10, ok && o.imm >= 0 && o.imm%size == 0 && o.imm/size < 1<<12
}

func wantScaled(p pattern) string {
	return fmt.Sprintf("an offset that is a multiple of %d from 0 to %d", p.arg, 4095*int(p.arg))
}

func encodeUnscaled(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	ok = ok && o.imm >= -256 && o.imm <= 255 && !written(o, code, code)
	return code | b | uint32(o.imm)&0x1ff<<12, ok
}

func encodePair(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	size := int64(p.arg)
	units := o.imm / size
	ok = ok && o.imm%size == 0 && units >= -64 && units <= 63 && !written(o, code, code) && !written(o, code>>10, code)
	return code | b | uint32(units)&0x7f<<15, ok
}

func wantPair(p pattern) string {
	return fmt.Sprintf("an offset that is a multiple of %d from %d to %d%s", p.arg, -64*int(p.arg), 63*int(p.arg), noData)
}

// indexExtend has the extensions of an index: the view that it must have and the code of the option.
var indexExtend = [numShifts]struct {
	view View
	code uint32
}{
	UXTWBy: {ViewW, 2}, LSLBy: {ViewX, 3}, SXTWBy: {ViewW, 6}, SXTXBy: {ViewX, 7},
}

func encodeIndexed(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	if o.shift >= numShifts {
		return 0, false
	}
	ext := indexExtend[o.shift]
	ok = ok && ext.view != ViewNone && o.index.View() == ext.view && o.index&spFlag == 0
	code |= b | uint32(o.index&numMask)<<16 | ext.code<<13
	if o.amount != 0 {
		code |= 1 << 12
		ok = ok && o.amount < 5 && 1<<o.amount == p.arg
	}
	return code, ok
}

func wantIndexed(p pattern) string {
	return fmt.Sprintf("an index, x with lsl or sxtx or w with uxtw or sxtw, by 0 or %d", bits.TrailingZeros8(p.arg))
}

func encodeBytes(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	return code | b, ok && o.imm == int64(p.arg)
}

func encodePostReg(p pattern, o Operand, code uint32) (uint32, bool) {
	b, ok := base(o.reg)
	return code | b | uint32(o.index&numMask)<<16, ok && o.index.View() == ViewX && o.index&numMask != numMask
}
