package mach

import "math/bits"

// Reg is a virtual register of a function; 0 stands for none.
type Reg int32

// File is a set of physical registers that can stand for each other.
type File uint8

// The files of registers.
const (
	Int File = iota
	Vector
	Mask
	Files
)

// Kind says what an operand is.
type Kind uint8

// The kinds of operands.
const (
	NoArg Kind = iota
	RegArg
	MemArg
	ImmArg
	ConstArg // bytes that lie beside the code
	LabelArg
)

// Access says what an instruction does with a register operand.
type Access uint8

// The ways of access.
const (
	Use Access = iota
	Def        // the operands may share the register if they are not used afterwards
	UseDef
	EarlyDef // it shares the register of no operand
)

// Arg is an operand of an instruction.
type Arg struct {
	Kind    Kind
	Access  Access
	View    uint8 // how the instruction sees the register: the back end's affair, such as its width
	Reg     Reg   // or the base of memory, unless that is the frame
	Index   Reg   // of memory
	Scale   uint8 // of Index
	Bcast   bool  // one element of memory for all
	Indexed bool  // memory has an index
	Frame   bool  // memory has the frame's address as its base, in a register that is no virtual one
	Size    uint8 // bytes of memory, where the back end needs that
	Disp    int32
	Imm     int64 // or the number of a label
	Data    string
}

// Append adds an operand.
func (in *Instr) Append(a Arg) {
	in.Args[in.N] = a
	in.N++
}

// maxArgs is the most operands that an instruction has.
const maxArgs = 6

// Instr is an instruction. One that jumps writes no register.
type Instr struct {
	Op   int32 // of the back end; negative ones are of this package
	N    uint8
	Zero bool // lanes outside the mask become zero: the back end's affair
	Args [maxArgs]Arg
	Line int32 // of the function that this comes from
}

// The instructions of this package. They make no code.
const (
	LoopBegin = -1 - iota // code from here to the LoopEnd that belongs to it may run several times
	LoopEnd
	Bind // its operand is a label, which is here
	// Suspend ends a call of the function, and the next call goes on behind it. [Emit] puts three operands before its own:
	// numbers whose bits are the physical registers of each file that have values which are needed afterwards.
	Suspend
)

// Code is a function on virtual registers.
type Code struct {
	Files  []File // of each register; the first stands for none
	Instrs []Instr
	Labels int
	Cold   []bool  // by line: what runs seldom; nil if nothing does
	moves  []int32 // operations that copy a register
	consts []int32 // operations that make a constant: they use no register
}

// NewCode begins a function. moves and constants list the operations of the back end that copy a register, and those
// that fill one without using any.
func NewCode(moves, constants []int32) *Code {
	return &Code{Files: []File{0}, moves: moves, consts: constants}
}

// Reset forgets a function to begin another one, in the same memory.
func (c *Code) Reset() { c.Files, c.Instrs, c.Labels, c.Cold = c.Files[:1], c.Instrs[:0], 0, nil }

// New makes a register.
func (c *Code) New(f File) Reg {
	c.Files = append(c.Files, f)
	return Reg(len(c.Files) - 1)
}

// Label makes a label.
func (c *Code) Label() int64 {
	c.Labels++
	return int64(c.Labels - 1)
}

// Add appends an instruction.
func (c *Code) Add(op int32, line int32, args ...Arg) *Instr {
	c.Instrs = append(c.Instrs, Instr{Op: op, N: uint8(len(args)), Line: line})
	in := &c.Instrs[len(c.Instrs)-1]
	copy(in.Args[:], args)
	return in
}

// Set is a set of physical registers of a file, by number.
type Set uint32

// Of makes the set of the registers from lo to hi-1.
func Of(lo, hi int) Set { return Set(1<<hi-1) &^ Set(1<<lo-1) }

func (s Set) has(r int8) bool { return s>>uint(r)&1 != 0 }

// first is the lowest register, -1 if there is none.
func (s Set) first() int8 {
	if s == 0 {
		return -1
	}
	return int8(bits.TrailingZeros32(uint32(s)))
}

// Len is the number of registers.
func (s Set) Len() int { return bits.OnesCount32(uint32(s)) }
