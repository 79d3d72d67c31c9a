package arm64

import "fmt"

// encodeShift takes the shifts up to last by less than the size of the register.
func encodeShift(last Shift) func(pattern, Operand, uint32) (uint32, bool) {
	return func(p pattern, o Operand, code uint32) (uint32, bool) {
		return code | uint32(o.shift)<<22 | uint32(o.amount)<<10, o.shift <= last && o.amount < 8*p.arg
	}
}

func wantShift(names string) func(pattern) string {
	return func(p pattern) string { return fmt.Sprintf("%s by 0 to %d", names, 8*int(p.arg)-1) }
}

// The options of extended registers plus 1, so that 0 is none.
var (
	extendW = [numShifts]uint8{UXTBBy: 1, UXTHBy: 2, UXTWBy: 3, SXTBBy: 5, SXTHBy: 6, SXTWBy: 7}
	extendX = [numShifts]uint8{UXTXBy: 4, SXTXBy: 8}
)

// encodeExtend takes the extensions of a list, and LSL as another name of UXTW or UXTX where the table has it.
func encodeExtend(options [numShifts]uint8, lsl bool) func(pattern, Operand, uint32) (uint32, bool) {
	if lsl {
		options[LSLBy] = max(options[UXTWBy], options[UXTXBy])
	}
	return func(p pattern, o Operand, code uint32) (uint32, bool) {
		if o.shift >= numShifts || options[o.shift] == 0 {
			return 0, false
		}
		return code | uint32(options[o.shift]-1)<<13 | uint32(o.amount)<<10, o.amount <= 4
	}
}

// encodeStep takes a shift by step times low to step times high.
func encodeStep(s Shift, step, low, high uint8, pos int) func(pattern, Operand, uint32) (uint32, bool) {
	return func(p pattern, o Operand, code uint32) (uint32, bool) {
		n := o.amount / step
		return code | uint32(n-low)<<pos, o.shift == s && o.amount%step == 0 && n >= low && n <= high
	}
}

func encodeCond(p pattern, o Operand, code uint32) (uint32, bool) {
	return code | uint32(o.imm)<<p.pos, o.imm < int64(numConds)
}

func encodeNotCond(p pattern, o Operand, code uint32) (uint32, bool) {
	return code | uint32(o.imm^1)<<p.pos, o.imm < int64(AL)
}

func encodeSym(class symClass) func(pattern, Operand, uint32) (uint32, bool) {
	return func(p pattern, o Operand, code uint32) (uint32, bool) {
		if o.imm >= int64(numSyms) || syms[o.imm].class&class == 0 {
			return 0, false
		}
		return code | syms[o.imm].bits<<p.pos, true
	}
}

// encodeLabel leaves the code as it is: the distance is known only at the end.
func encodeLabel(p pattern, o Operand, code uint32) (uint32, bool) { return code, true }
