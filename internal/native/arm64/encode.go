package arm64

import "fmt"

// form is one combination of operands of an operation. The generated table has the forms of an operation one after the
// other, in the order in which they are tried.
type form struct {
	bits  uint32
	needs Features
	n     uint8
	args  [maxOperands]uint16 // indexes of patterns
}

// maxOperands is the largest number of operands of a form.
const maxOperands = 4

// pattern is what a form expects of one operand.
type pattern struct {
	kind kind
	view View // of registers, lists and elements
	enc  encNum
	pos  uint8 // the bit where the operand is encoded
	arg  uint8 // a size, a number of bits or a number of registers, as the encoder uses it
	sp   bool  // 31 is the stack pointer
}

// encNum is the number of an encoder.
type encNum uint8

// encoder puts an operand into the bits of an instruction. Encode reports whether the operand fits; want says what fits,
// for errors. Operands are passed by value, so that the arguments of Emit stay on the stack.
type encoder struct {
	encode func(p pattern, o Operand, bits uint32) (uint32, bool)
	want   func(p pattern) string
}

const (
	aRegister = "another register: 31 is the stack pointer in some places and zero in the others"
	noData    = ", and no data in a base that is written"
)

// encoders has the encoders by their numbers. The words of gen/forms.txt have the same names.
var encoders = [numEncoders]encoder{
	encRegister:  {encodeRegister, says(aRegister)},
	encTwice:     {encodeTwice, says(aRegister)},
	encSecond:    {encodeSecond, says("another register than the first one")},
	encList:      {encodeList, func(p pattern) string { return fmt.Sprintf("a list of %d", p.arg) }},
	encFixed:     {encodeFixedLane, func(p pattern) string { return fmt.Sprintf("element %d", p.arg) }},
	encI5:        {encodeIndex5, wantLane},
	encI4:        {encodeIndex4, wantLane},
	encHlm:       {encodeIndexHLM, wantLaneHLM},
	encQ:         {encodeIndexQ, wantLane},
	encBase:      {encodeBase, says("an address without an offset")},
	encExclusive: {encodeExclusive, says("an address without an offset, in another register than the status, as are the data")},
	encScaled:    {encodeScaled, wantScaled},
	encUnscaled:  {encodeUnscaled, says("an offset from -256 to 255" + noData)},
	encPairoff:   {encodePair, wantPair},
	encIndex:     {encodeIndexed, wantIndexed},
	encBytes:     {encodeBytes, func(p pattern) string { return fmt.Sprintf("the offset %d", p.arg) }},
	encPostreg:   {encodePostReg, says("a base and a 64-bit register other than xzr")},

	encUnsigned: {encodeUnsigned, func(p pattern) string { return fmt.Sprintf("a constant from 0 to %d", 1<<p.arg-1) }},
	encAddimm:   {encodeAddImm, says("a constant from 0 to 4095, or a multiple of 4096 up to 16773120")},
	encBitmask:  {encodeBitmask, says("a repeated pattern of ones in a row")},
	encNotmask:  {encodeNotMask, says("a constant whose complement is a repeated pattern of ones in a row")},
	encLslimm:   {encodeLSL, wantBelowSize},
	encLsb:      {encodeLSB, wantBelowSize},
	encXwidth:   {encodeExtractWidth, says("a width from 1 on that stays inside the register")},
	encNeglsb:   {encodeNegLSB, wantBelowSize},
	encIwidth:   {encodeInsertWidth, says("a width from 1 on that stays inside the register")},
	encBit5:     {encodeBit(32), says("a bit from 0 to 31")},
	encBit6:     {encodeBit(64), says("a bit from 0 to 63")},
	encImm8:     {encodeImm8, says("a constant from 0 to 255")},
	encBytemask: {encodeByteMask, says("a constant whose bytes are 0 and 255")},
	encZero:     {encodeZero, says("0")},
	encLsh:      {encodeLeft, wantBelowSize},
	encRsh:      {encodeRight, func(p pattern) string { return fmt.Sprintf("a constant from 1 to %d", 8*int(p.arg)) }},
	encSame:     {encodeSame, func(p pattern) string { return fmt.Sprint(8 * int(p.arg)) }},
	encFzero:    {encodeZero, says("0.0")},
	encFloat:    {encodeFloat, wantFloat},
	encFloat8:   {encodeFloat8, wantFloat},

	encShift:  {encodeShift(ASRBy), wantShift("lsl, lsr or asr")},
	encShiftr: {encodeShift(RORBy), wantShift("lsl, lsr, asr or ror")},
	encExtw:   {encodeExtend(extendW, false), says("uxtb, uxth, uxtw, sxtb, sxth or sxtw by 0 to 4")},
	encExtwl:  {encodeExtend(extendW, true), says("uxtb, uxth, uxtw, sxtb, sxth, sxtw or lsl by 0 to 4")},
	encExtx:   {encodeExtend(extendX, true), says("uxtx, sxtx or lsl by 0 to 4")},
	encLsl8:   {encodeStep(LSLBy, 8, 0, 1, 13), says("lsl by 0 or 8")},
	encLsl24:  {encodeStep(LSLBy, 8, 0, 3, 13), says("lsl by 0, 8, 16 or 24")},
	encLsl16w: {encodeStep(LSLBy, 16, 0, 1, 21), says("lsl by 0 or 16")},
	encLsl16x: {encodeStep(LSLBy, 16, 0, 3, 21), says("lsl by 0, 16, 32 or 48")},
	encMsl:    {encodeStep(MSLBy, 8, 1, 2, 12), says("msl by 8 or 16")},

	encCond:     {encodeCond, says("a condition")},
	encNotcond:  {encodeNotCond, says("a condition other than al")},
	encBarrier:  {encodeSym(barrier), says("a kind of barrier")},
	encPrefetch: {encodeSym(prefetch), says("a kind of prefetch")},
	encReadable: {encodeSym(readable), says("a system register")},
	encWritable: {encodeSym(writable), says("a system register that can be written")},
	encRel26:    {encodeLabel, says("a label")},
	encRel19:    {encodeLabel, says("a label")},
	encRel14:    {encodeLabel, says("a label")},
	encRel21:    {encodeLabel, says("a label")},
	encLit19:    {encodeLabel, says("a label")},
}

func says(text string) func(pattern) string { return func(pattern) string { return text } }

// encode gives the machine code of an instruction. It reports the number of operands that match, which is less than
// len(args) where the form does not take them.
func (f *form) encode(args []Operand) (uint32, int) {
	bits := f.bits
	for i := range args {
		p, o := &patterns[f.args[i]], &args[i]
		if !p.takes(o) {
			return 0, i
		}
		if p.enc == encRegister && !p.view.general() {
			bits |= uint32(o.reg&numMask) << p.pos
			continue
		}
		next, ok := encoders[p.enc].encode(*p, *o, bits)
		if !ok {
			return 0, i
		}
		bits = next
	}
	return bits, len(args)
}

// takes reports whether an operand has the kind and the view of p, so that only its value may be wrong.
func (p *pattern) takes(o *Operand) bool {
	return p.kind == o.kind && (p.view == ViewNone || p.view == View(o.reg>>viewShift))
}

// number gives the number of a register that a field takes: 31 means the stack pointer in some fields and zero in the others.
func (p pattern) number(r Reg) (uint32, bool) {
	ok := r&numMask != numMask || !r.View().general() || (r&spFlag != 0) == p.sp
	return uint32(r & numMask), ok
}

func encodeRegister(p pattern, o Operand, bits uint32) (uint32, bool) {
	n, ok := p.number(o.reg)
	return bits | n<<p.pos, ok
}

func encodeTwice(p pattern, o Operand, bits uint32) (uint32, bool) {
	n, ok := p.number(o.reg)
	return bits | n<<5 | n<<16, ok
}

// encodeSecond encodes the second register of a pair, which must differ from the first one where both are loaded.
func encodeSecond(p pattern, o Operand, bits uint32) (uint32, bool) {
	n, ok := p.number(o.reg)
	isLoad := bits>>22&1 != 0
	return bits | n<<p.pos, ok && !(isLoad && n == bits&numMask)
}

func encodeList(p pattern, o Operand, bits uint32) (uint32, bool) {
	return bits | uint32(o.reg&numMask)<<p.pos, o.amount == p.arg
}

func encodeFixedLane(p pattern, o Operand, bits uint32) (uint32, bool) {
	return bits | uint32(o.reg&numMask)<<p.pos, o.lane == p.arg
}

func encodeUnsigned(p pattern, o Operand, bits uint32) (uint32, bool) {
	return bits | uint32(o.imm)<<p.pos, o.imm >= 0 && o.imm < 1<<p.arg
}
