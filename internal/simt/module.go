package simt

import "go/token"

// Module is a host function with the kernels that it launches.
type Module struct {
	Name    string // of the host function as its author wrote it
	Host    *Func  // nil in a module that was read from PTX
	Kernels []*Func
	Vars    []*Var // of a module that was read from PTX
	Handles []*Handle
	Attrs   []Attr // of the GPU module, in order

	Declared bool // the kernels have no bodies: only a device knows the code
}

// Attr is a named text that is attached to a module.
type Attr struct{ Name, Value string }

// Var is a variable in global or constant memory, which lives as long as the module.
type Var struct {
	Name  string
	Space string // "global" or "const"
	Align int
	Bytes int
	Init  []byte // the first values; what is missing is 0
	Refs  []Ref  // addresses among the first values
}

// Ref is the address of a variable plus a number, as a first value of 64 bits at an offset.
type Ref struct {
	Offset int
	Name   string
	Add    int64
}

// Func is a kernel or a host function.
type Func struct {
	Name   string // the symbol
	Host   bool
	Params []Param
	Result []Class // of a host function
	Regs   []Class // by register
	Body   []Instr
	Labels int // labels are numbered from 0

	// Of kernels.
	Source    string        // the name in the program's source: "" in a module that was read from PTX
	Block     [3]int        // threads of a block: required
	MinBlocks int           // on one multiprocessor at least: 0 for no demand
	MaxRegs   int           // registers of a thread at most, of 32 bits: 0 for no demand
	Cluster   [3]int        // blocks of a cluster: zero for none
	Shared    int           // bytes of dynamic shared memory that the body was made for
	Tensors   []TensorParam // what launches make some parameters of: not known in a module that was read from PTX
	Local     int           // bytes of memory of each thread, addressed as "local"

	LaunchPos token.Position // where the source launches it
	SharedPos token.Position // where the source asks for most of Shared
}

// Class is what a register can hold.
type Class uint8

// The classes of registers.
const (
	Pred Class = iota
	B16
	B32
	B64
)

// Bits is the width: 1, 16, 32 or 64.
func (c Class) Bits() int { return [...]int{1, 16, 32, 64}[c] }

// String gives PTX's name, "b32".
func (c Class) String() string { return [...]string{"pred", "b16", "b32", "b64"}[c] }

// Param is a parameter of a function. Bytes, where not 0, makes it an array of bytes with an alignment, such as a
// tensor map; its address is what the body uses.
type Param struct {
	Name  string
	Type  string // PTX's type: "u64", "s32", "f32", "b8" with Bytes
	Bytes int
	Align int

	// Of an address, for messages: what the source calls the tensor that begins there, and the bits of its elements.
	Tensor   string
	ElemBits int
}

// Reg is a register of a function.
type Reg int32

// NoReg is no register.
const NoReg Reg = -1

// Instr is one instruction.
type Instr struct {
	Op     string // PTX's opcode with modifiers and types, or a pseudo-instruction
	Dst    []Operand
	Src    []Operand
	Guard  Reg       // a predicate, NoReg for none
	Unless bool      // the guard must be false
	Rolled bool      // of a label: a loop that begins here is not unrolled
	Text   string    // of printf, the format; of assert, the message; of call, the function
	Launch *Launch   // of launch
	Var    *VarPlace // of var
	Scope  *Scope    // the function of the source, if debuggers shall know it
	Count  int       // 1 + the index in Src of a shift count that is a mistake where it is negative; 0 for none
	Polls  bool      // of an atom that adds 0: a look at what blocks of this launch alone change, in a loop until they have
	Pos    token.Position
	Line   int // of the PTX that it was read from; 0 for none
}

// Launch is what a launch instruction says beside the kernel's arguments, which are its Src. Block and Cluster are the
// kernel's.
type Launch struct {
	Kernel string
	Grid   [3]Operand
	Shared Operand   // bytes of dynamic shared memory
	Stream Operand   // a handle: the zero Operand for the default stream
	After  []Operand // tokens of earlier launches that must have ended

	Cooperative bool // all blocks run at once
	PDL         bool // it may start before the kernel before it has ended

	Async bool // the launch has a token as its result
}

// OperandKind says what an operand is.
type OperandKind uint8

// The kinds of operand.
const (
	None     OperandKind = iota
	Register             // Reg; Not for a negated predicate
	Imm                  // Bits, of the type that the instruction says
	Special              // Name: "%tid.x", "%laneid"
	Vector               // Vec: registers in braces
	Address              // [Reg + Bits], or [Name + Bits] where Reg is NoReg: a parameter, "smem", "local", a variable or handle
	Target               // Label
	Symbol               // the address of Name: "smem", "local", a parameter, a variable or a handle
	Sink                 // "_", a result that is not used
)

// Operand is what an instruction reads or writes.
type Operand struct {
	Kind  OperandKind
	Not   bool
	Reg   Reg
	Label int
	Bits  uint64 // of an address, an offset as a signed number
	Name  string
	Vec   []Operand
}

// R is a register operand.
func R(r Reg) Operand { return Operand{Kind: Register, Reg: r} }

// I is an immediate operand: an integer.
func I(n int64) Operand { return Operand{Kind: Imm, Reg: NoReg, Bits: uint64(n)} }

// B is an immediate operand by its bits, such as math.Float32bits(x).
func B(bits uint64) Operand { return Operand{Kind: Imm, Reg: NoReg, Bits: bits} }

// S is a special register, such as "%tid.x".
func S(name string) Operand { return Operand{Kind: Special, Reg: NoReg, Name: name} }

// V is a vector of operands.
func V(elems ...Operand) Operand { return Operand{Kind: Vector, Reg: NoReg, Vec: elems} }

// At is the memory at a register plus an offset in bytes.
func At(base Reg, offset int64) Operand {
	return Operand{Kind: Address, Reg: base, Bits: uint64(offset)}
}

// AtName is the memory at a name plus an offset in bytes.
func AtName(name string, offset int64) Operand {
	return Operand{Kind: Address, Reg: NoReg, Name: name, Bits: uint64(offset)}
}

// L is a label.
func L(label int) Operand { return Operand{Kind: Target, Reg: NoReg, Label: label} }

// Sym is the address of a name.
func Sym(name string) Operand { return Operand{Kind: Symbol, Reg: NoReg, Name: name} }

// The pseudo-instructions.
const (
	OpLabel  = "label"  // Src: the label that stands here
	OpUndef  = "undef"  // Dst: registers that may hold anything from here on; PTX has none of it
	OpPrintf = "printf" // Text is C's format; Src the values: 32-bit, 64-bit integers and f64
	OpAssert = "assert" // Src: a predicate that must hold; Text the message
	OpCall   = "call"   // Text is a function of CUDA's driver, see DriverFunc; Dst and Src its result and operands
	OpCheck  = "check"  // an assert of the compiler's, for launches that are checked: PTX has none of it
	OpLaunch = "launch" // host functions
	OpVar    = "var"    // Src: where the pieces of a variable of the source are from here on, for debuggers
)

// Undefined is what the emulator puts into the registers of undef, of which it takes as many bits as they have: no likely
// result, so that a kernel that relies on it shows. Predicates are false.
const Undefined = 0xBAD0_BEEF_BAD0_BEEF

// Title gives the name of the function for messages: the one in the program's source, if it is
// known. Symbols are made of the names of host functions, which say little about a kernel.
func (f *Func) Title() string {
	if f.Source != "" {
		return f.Source
	}
	return f.Name
}

// Kernel finds a kernel by its symbol: nil if there is none.
func (m *Module) Kernel(name string) *Func {
	for _, f := range m.Kernels {
		if f.Name == name {
			return f
		}
	}
	return nil
}
