package vec

// Class is the kind of a register.
type Class uint8

// The classes of registers.
const (
	None   Class = iota
	Scalar       // an integer of 64 bits
	Mask         // one truth value for each lane
	V8           // lanes of 8 bits
	V16
	V32
	V64
)

var classNames = [...]string{"none", "scalar", "mask", "v8", "v16", "v32", "v64"}

// String returns the name of the class.
func (c Class) String() string { return classNames[c] }

// Bytes is the number of bytes of a lane, 0 for scalars and masks.
func (c Class) Bytes() int {
	if c < V8 {
		return 0
	}
	return 1 << (c - V8)
}

// Type says how an instruction reads the bits of a lane.
type Type uint8

// The types of lanes.
const (
	NoType Type = iota
	I8
	I16
	I32
	I64
	F16
	F32
	F64
)

var types = [...]struct {
	name  string
	class Class
}{{"", None}, {"i8", V8}, {"i16", V16}, {"i32", V32}, {"i64", V64}, {"f16", V16}, {"f32", V32}, {"f64", V64}}

// String returns the name of the type.
func (t Type) String() string { return types[t].name }

// Class is the class of registers that hold lanes of the type.
func (t Type) Class() Class { return types[t].class }

// Bytes is the number of bytes of a lane.
func (t Type) Bytes() int { return t.Class().Bytes() }

// IntOf is the integer type with lanes of so many bytes.
func IntOf(bytes int) Type { return [...]Type{1: I8, 2: I16, 4: I32, 8: I64}[bytes] }

// Float reports whether the type is a floating-point type.
func (t Type) Float() bool { return t >= F16 }

// Reg is a virtual register of a function; 0 stands for none.
type Reg int32

// Mem is a place in memory: at Base + Index*Scale + Disp, in bytes. Index may be 0.
type Mem struct {
	Base, Index Reg
	Scale       int8 // 1, 2, 4 or 8
	Disp        int32
}

// Plus is the place a number of bytes further.
func (m Mem) Plus(bytes int) Mem {
	m.Disp += int32(bytes)
	return m
}

// Instr is an instruction. Which of its fields it uses is a matter of its row in [Table].
type Instr struct {
	Op   Op
	Type Type   // of the result, of comparisons and stores that of the operands
	From Type   // of the operand of a conversion
	Cond Cond   // of comparisons and branches
	Dst  Reg    // 0 for none
	Src  [3]Reg // operands, 0 for none
	Mask Reg    // of memory accesses: lanes that take part; 0 for all
	Mem  Mem
	Imm  int64
	Note int32 // what it was made of, for [Func.Source]; 0 for nothing in particular
}

// Polled is the status of a function that [Poll] suspended.
const Polled = 1

// Func is a function.
type Func struct {
	Name  string
	Regs  []Class // of each register; the first one stands for none
	Body  []Instr
	Frame int // words of the frame that it reads

	// State is the first of two words of the frame that a function with [Suspend] or [Poll] has: where it goes on, which is 0
	// in the first call and then the function's affair, and the budget. What else a suspended function has to keep lies
	// behind the Frame words. A function that returned begins anew only if the first word is made 0.
	State int

	// Source names what the instructions with a note were made of, such as "add.go:12: addf". It may be nil.
	Source func(note int32) string
}

// Class is the class of a register.
func (f *Func) Class(r Reg) Class { return f.Regs[r] }

// Cond is the condition of a comparison.
type Cond uint8

// The conditions. Those of floats are false where an operand is NaN, but for NE, which is true then.
const (
	EQ Cond = iota
	NE
	LT
	LE
	GT
	GE
	ULT // of integers without a sign
	ULE
	UGT
	UGE
	Unordered // of floats: an operand is NaN
	Ordered
)

var condNames = [...]string{"eq", "ne", "lt", "le", "gt", "ge", "ult", "ule", "ugt", "uge", "unordered", "ordered"}

// String returns the name of the condition.
func (c Cond) String() string { return condNames[c] }
