package arm64

// Shift is a way to shift or extend a register that is an operand.
type Shift uint8

// The shifts and extensions. MSLBy shifts in ones.
const (
	LSLBy Shift = iota
	LSRBy
	ASRBy
	RORBy
	MSLBy
	UXTBBy
	UXTHBy
	UXTWBy
	UXTXBy
	SXTBBy
	SXTHBy
	SXTWBy
	SXTXBy
	numShifts
)

var shiftNames = [numShifts]string{"lsl", "lsr", "asr", "ror", "msl", "uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"}

// By makes an operand that says how the register before it is shifted or extended.
func (s Shift) By(amount int) Operand {
	return Operand{kind: kindShift, shift: s, amount: small(amount)}
}

// String gives the name of the shift in assembler text.
func (s Shift) String() string {
	if s >= numShifts {
		return "?"
	}
	return shiftNames[s]
}

// Cond is a condition of the flags.
type Cond uint8

// The conditions, in the order of their numbers in machine code. HS and LO are CS and CC under another name. After a
// comparison of floats, MI is less, LS is less or equal, GT and GE are greater (or equal), and VS is unordered.
const (
	EQ Cond = iota
	NE
	HS
	LO
	MI
	PL
	VS
	VC
	HI
	LS
	GE
	LT
	GT
	LE
	AL
	numConds
)

var condNames = [numConds]string{"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al"}

// Not gives the opposite condition; AL has none and stays.
func (c Cond) Not() Cond {
	if c >= AL {
		return c
	}
	return c ^ 1
}

// String gives the name of the condition in assembler text.
func (c Cond) String() string {
	if c >= numConds {
		return "?"
	}
	return condNames[c]
}

// Sym is a name that an instruction takes: of a barrier, a kind of prefetch or a system register.
type Sym uint8

// The names.
const (
	SY Sym = iota
	ST
	LD
	ISH
	ISHST
	ISHLD
	NSH
	OSH
	PLDL1KEEP
	PLDL1STRM
	PLDL2KEEP
	PLDL2STRM
	PLDL3KEEP
	PLDL3STRM
	PSTL1KEEP
	PSTL1STRM
	PSTL2KEEP
	PSTL2STRM
	FPCR
	FPSR
	NZCV
	TPIDR
	CNTVCT
	CTR
	DCZID
	numSyms
)

// symClass says which operands take a name.
type symClass uint8

const (
	barrier symClass = 1 << iota
	prefetch
	readable // system registers
	writable
)

// syms has one row for each Sym.
var syms = [numSyms]struct {
	name  string
	class symClass
	bits  uint32
}{
	SY:        {"sy", barrier, 15},
	ST:        {"st", barrier, 14},
	LD:        {"ld", barrier, 13},
	ISH:       {"ish", barrier, 11},
	ISHST:     {"ishst", barrier, 10},
	ISHLD:     {"ishld", barrier, 9},
	NSH:       {"nsh", barrier, 7},
	OSH:       {"osh", barrier, 3},
	PLDL1KEEP: {"pldl1keep", prefetch, 0},
	PLDL1STRM: {"pldl1strm", prefetch, 1},
	PLDL2KEEP: {"pldl2keep", prefetch, 2},
	PLDL2STRM: {"pldl2strm", prefetch, 3},
	PLDL3KEEP: {"pldl3keep", prefetch, 4},
	PLDL3STRM: {"pldl3strm", prefetch, 5},
	PSTL1KEEP: {"pstl1keep", prefetch, 16},
	PSTL1STRM: {"pstl1strm", prefetch, 17},
	PSTL2KEEP: {"pstl2keep", prefetch, 18},
	PSTL2STRM: {"pstl2strm", prefetch, 19},
	FPCR:      {"fpcr", readable | writable, 0x5a20},
	FPSR:      {"fpsr", readable | writable, 0x5a21},
	NZCV:      {"nzcv", readable | writable, 0x5a10},
	TPIDR:     {"tpidr_el0", readable | writable, 0x5e82},
	CNTVCT:    {"cntvct_el0", readable, 0x5f02},
	CTR:       {"ctr_el0", readable, 0x5801},
	DCZID:     {"dczid_el0", readable, 0x5807},
}

// String gives the name in assembler text.
func (s Sym) String() string {
	if s >= numSyms {
		return "?"
	}
	return syms[s].name
}
