package ir

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// Value is the result of an instruction; 0 stands for none.
type Value int32

// Var is a variable of a thread; 0 stands for none.
type Var int32

// Op is the kind of an instruction.
type Op uint8

// The kinds of instructions.
const (
	Elem Op = iota // Do, an operation of vec that treats each lane alone

	// Pure values.
	Thread  // the number of the thread in its block: i32
	BlockID // the block's number along axis Imm: i32
	Grid    // the number of blocks along axis Imm: i32
	Param   // parameter Imm of the kernel
	Address // of the module's variable Name: i64
	Window  // the address, in generic memory, of Buf: i64
	Quotient
	Remainder // of integers, with sign if Imm is not 0, toward zero; where the divisor is 0 they have no meaning, and no fault
	MaxNum    // of floats, as IEEE 754-2019's maximumNumber; with Imm not 0 maximum, which is NaN where an operand is
	MinNum
	MulWide  // the product of two i32 with sign, in 64 bits
	MadWide  // that, and Src[2] added
	BFloat   // the bits of the bf16 that is nearest to Src[0], an f32; of two the one that is even
	BFloats  // those of two f32, the first in the lower half
	Halves   // the same of f16
	Float8   // the bits of the float of 8 bits that is nearest to Src[0], an f32, or of the largest one: e5m2 if Imm is not 0, else e4m3fn
	Floats8  // those of two f32, the first in the lower byte of an i16
	Widen    // the two f16 that are equal to the two floats of 8 bits in Src[0], an i16: e5m2 if Imm is not 0, else e4m3fn
	Pack     // several values of Type, the first in the lowest bits, as one of From
	Unpack   // one value of From as several of Type
	Multiply // Unit: the words of a fragment of a, those of b, the sums, and words of which byte Imm has factors; the sums with the products added

	// Variables.
	Get // Var
	Set // Vars to Src, all at once

	// Memory.
	Load   // len(Dst) neighbours of Type; where the guard is false, Else
	Store  // Src
	Update // read, change and write in one step: what was there, if anybody wants to know; Change says how
	Swap   // what was there; if it is Src[0], Src[1] takes its place, in one step

	LoadMatrix // words of four fragments of 8 by 8 elements of 16 bits; turned around if Imm is not 0. Each lane says where a row begins
	CopyAsync  // 16 bytes from Other to Mem, or zeros if its guard is false; the copy may end as late as WaitGroup
	Commit     // makes a group of the copies since the last one
	WaitGroup  // until at most Imm of the thread's last groups are under way; their bytes are in Bufs

	// Copies of boxes of tensors. One thread begins them, others wait at a counter in shared memory, whose turns have parity 0, 1, 0, …
	InitCounters // makes Imm counters, 8 bytes apart, from Mem on, whose turns end when there were Arrivals, and all bytes have come
	DropCounters // of them, so that the memory may hold something else
	ExpectBytes  // ends a turn of the counter at Mem when Imm more bytes have come
	CopyBox      // of Tensors[Imm] of the kernel to Mem, from the element on whose position is Src; its bytes count at Other
	AwaitBytes   // until the turn of the counter at Mem with parity Src[0] has ended; what came lies in Bufs
	Arrive       // of each warp at the counter at Mem, when its lanes are here
	StoreBox     // copies Mem to a box of Tensors[Imm], from the element on whose position is Src; its order in global memory is that of Other
	CommitBoxes  // makes a group of the boxes that the thread stores since the last one
	WaitBoxes    // until all of the thread's groups have been written; if Imm is not 0, until they have been read

	// MultiplyGroup adds the products of Steps to Vars, as a group that goes on while the threads do: until a WaitMultiply nobody may touch
	// Vars, nor write what it reads. Right, and Left unless Src has the words of its fragments, lie in shared memory, where a FenceAsync and a
	// barrier must follow what was written there.
	MultiplyGroup
	WaitMultiply // until at most Imm of the last such groups are under way; those that have ended have read Bufs
	FenceAsync   // what the thread has written to shared memory, or if Imm is not 0 to any, is there for MultiplyGroup, MultiplyTensor and StoreBox, too

	// Products whose sums are in tensor memory, of blocks of four warps: 128 lanes, of which warp w reaches 32 from 32w on, by columns. Tensor
	// has the columns. What MultiplyTensor adds, one thread begins and all wait for; until then nobody may touch the sums, nor write what it
	// reads. Where there is a counter at Other, that thread first waits for its turn with the parity Src[2].
	TensorInit     // where a kernel begins: gets Imm columns, whose address goes to Mem, and makes Bufs barriers for WaitTensor
	TensorFree     // gives the Imm columns at Src[0] back; the kernel ends
	MultiplyTensor // adds the products of Steps to the sums at Src[0], or overwrites them if Src[1] is false; Mem is its barrier
	CommitTensor   // has the barrier at Mem told when all has ended that the thread has begun
	WaitTensor     // until the phase of the barrier at Mem that has the parity Src[0] is over; the product that ended it has read Bufs
	TensorLoad     // the own registers of the sums at Src[0], as many as Dst has; Unit says in which lanes they are
	TensorStore    // Src[1:] go there

	// Products by cooperative matrices, of which a warp holds the elements together. Nobody knows which thread has which, so that sums come from
	// shared memory and go back there, where a matrix lies row by row without gaps.
	ZeroSums     // all of Sums are zeros
	LoadSum      // number Imm of Sums comes from Mem
	StoreSum     // and goes there
	MultiplySums // adds the products of Steps to Sums

	// Threads with each other.
	Shuffle // the value of the lane whose number is the own one xor Imm
	From    // the value of lane Src[1]
	Barrier // of the block, or of the warp if Imm is not 0; memory of before is seen by its threads behind it
	Fence   // orders memory, for Scope

	// Control flow.
	Part     // where a kernel with a producer begins: all threads meet; one of its warp executes Body[0], those of the others Body[1]
	If       // Body[0] if Src[0], else Body[1]
	Loop     // Body[0] again and again
	Break    // leaves loop Imm counted from inside, if Src[0] or without Src
	Continue // goes on with its next turn
	Return   // ends the thread's program

	Observe // a variable of the source holds Observed from here on: for debuggers, machines do nothing

	Print  // Text, a format of C, with Src
	Assert // ends the launch with Text if Src[0] is false
)

// Instr is an instruction.
type Instr struct {
	Op   Op
	Do   vec.Op   // of Elem
	Type vec.Type // of results, of stores and comparisons that of the operands; NoType for masks
	From vec.Type
	Cond vec.Cond
	Imm  int64
	Src  []Value
	Dst  []Value
	Vars []Var // of Get and Set

	Mem    *Access
	Other  *Access   // of CopyAsync and StoreBox, the place in global memory; of CopyBox and MultiplyTensor, a counter
	Bufs   []*Buffer // of shared memory: of WaitGroup, of products in shared memory and of the waits for them
	Turns  []*Turn   // of WaitGroup: what has read global memory
	Tensor *Buffer   // of tensor memory
	Unit   *Unit     // of products, but for those into Sums, which say it themselves
	Sums   *Sums     // of products by cooperative matrices
	Scales *Scales   // of MultiplyTensor, nil for none
	Left   *Matrix   // of MultiplyGroup, MultiplyTensor and MultiplySums
	Right  *Matrix
	Steps  []Step
	Change Change
	Scope  tileir.Int // of Fence

	Body     []*Block
	Uniform  bool // of If: all threads of the block go the same way
	Text     string
	Arrivals int         // of InitCounters
	Buf      *Buffer     // of Window
	Observed *Observed   // of Observe
	Loc      *tileir.Loc // nil for none
}

// Block is a list of instructions.
type Block struct{ Instrs []*Instr }

// Space is a kind of memory.
type Space uint8

// The kinds of memory.
const (
	Global Space = iota
	Shared
	Generic // global memory or a Window
)

// Access says which memory an instruction touches.
type Access struct {
	Space  Space
	Buffer *Buffer // of shared memory
	At     Value   // an address, i64; in shared memory an offset in bytes, i32, or 0
	Disp   int64   // added to it, in bytes
	Guard  Value   // a mask: whether the thread takes part; 0 for always
	Else   []Value // what a load gives that does not: 0 for no meaning
	Align  int     // divides the place of the first element, in bytes

	Order, Scope tileir.Int // of global memory, as in Tile IR; weak accesses have no scope
	Turn         *Turn      // what orders it among the accesses of the block's other threads, or nil
	Private      bool       // no other thread touches the same place between two barriers
	Solo         bool       // of all threads only the first takes part
	Touches      *Footprint // of shared memory: what threads touch by this access and those like it; nil if that is not known
	Constant     bool       // nobody writes the memory while the kernel runs
}

// Turn is an access of Tile IR to global memory, which may have to wait for others of the same block.
type Turn struct {
	After  map[*Turn]bool // those that it comes after and may meet in memory
	Number int
}

// Change says how [Update] changes what it finds.
type Change struct {
	Mode tileir.Int
	Elem tileir.Elem
}

// Unit is a matrix instruction: it multiplies M by K elements by K by N. Fragments lie in words of 32 bits as the PTX ISA says, but for those
// of cooperative matrices. Elements of 4 bits count in pairs, a byte each, along k.
type Unit struct {
	Kind    UnitKind
	M, N, K int
	A, B    tileir.Elem
	Acc     tileir.Elem
	Signed  [2]bool // of integers

	Run   int         // how many elements along k have a factor in common; 0 if elements have no factors
	Scale tileir.Elem // the type of these
}

// Length is how many elements it multiplies along k.
func (u *Unit) Length() int { return u.K * u.A.PerByte() }

// Across reports whether factors may lie in shared memory with elements of another dimension than k side by side.
func (u *Unit) Across() bool {
	return u.Kind.InShared() && (u.A.Bytes() == 2 || u.A.Bytes() == 1 && u.A.PerByte() == 1 && u.Kind == TensorMem)
}

// UnitKind says who executes a matrix instruction.
type UnitKind uint8

// The kinds of units.
const (
	Warp        UnitKind = iota // all factors and sums lie in registers
	WarpGroup                   // four warps, see [MultiplyGroup]
	TensorMem                   // one thread, see [MultiplyTensor]
	Cooperative                 // a warp, see [MultiplySums]
	Single                      // none: threads multiply and add single elements, which they read from shared memory
)

// InShared reports whether units of a kind read factors from shared memory, as a [Matrix].
func (k UnitKind) InShared() bool { return k != Warp && k != Single }

// InFragments reports whether threads hold the sums of units of a kind as fragments in registers.
func (k UnitKind) InFragments() bool { return k == Warp || k == WarpGroup }

// Matrix is a factor in shared memory. Elements lie side by side in rows of Width bytes, eight of which are a block: along k, or along the
// other dimension where Across is set. The pieces of 16 bytes of a row change places, by the exclusive or of their number and that of the
// 128 bytes that they lie in. The buffer's place must be a multiple of 1024. For a cooperative matrix, rows of any length follow each other,
// and nothing changes places.
type Matrix struct {
	Access     // of the first element
	Width  int // 32, 64 or 128, but for cooperative matrices
	Lead   int // the distance of rows along which a step goes on where it is longer than Width
	Across bool
}

// Sums are matrices of sums that a warp holds, each of M by N elements.
type Sums struct {
	Unit  *Unit
	Count int
}

// Step is a part of a product by a warp group, in tensor memory or by cooperative matrices: how far its factors begin behind the whole ones',
// in bytes, or for one in registers in words; the first of the variables, or columns, of its sums, or the matrix's number; whether it is
// the first one of these; and where, in its [Scales], the factors of its elements begin, of the left and the right ones.
type Step struct {
	Left, Right, Sums int
	First             bool
	Scales            [2]ScalePlace
}

// Scales are factors of the elements of a product in tensor memory, in columns of Buffer from the address At on: a column has four bytes of each
// of 32 rows of the left operand, or columns of the right one, in lanes 0 to 31, and the same in the three other quarters of the lanes.
type Scales struct {
	Buffer *Buffer
	At     Value
}

// ScalePlace is a column, and a byte in it.
type ScalePlace struct{ Column, Byte int }

// Turning is a turn of a counter.
type Turning struct {
	Counter Access
	Parity  Value
}

// Buffer is a part of shared memory, or some columns of tensor memory.
type Buffer struct {
	Name   string
	Bytes  int
	Align  int // at least 16
	Offset int // set by [Place]

	Pinned bool // it keeps its bytes as long as the kernel runs
	Tensor bool // Offset is the first of so many columns as Bytes says; [Place] leaves it alone

	number      int
	first, last int  // when it is in use
	reads       bool // a load touches it first
}

// Tensor is a tensor in memory of which boxes are copied. Elements outside of it are zeros.
type Tensor struct {
	Base  int // the parameter that is the address of the first element
	Bytes int // of an element
	Dims  []TensorDim
	Width int // bytes of a box's row, which lies as in [Matrix]
}

// TensorDim is a dimension of a tensor; the first is the one whose elements lie side by side.
type TensorDim struct {
	Extent, Stride Number // the stride in elements
	Box            int    // the extent of a box
}

// Number is an integer that a launch knows: Value, or where Bits is not 0 the parameter of so many bits, with a sign.
type Number struct {
	Bits  int
	Param int
	Value int64
}

// Kernel is the program of the threads of a block.
type Kernel struct {
	Name     string
	Threads  int
	Producer bool // behind them there is a warp that only copies
	Lanes    int  // the logarithm of the number of threads of a warp
	Params   []vec.Type
	Tensors  []*Tensor // more parameters, which the launch makes
	Body     *Block
	Classes  []vec.Class // by value
	Vars     []vec.Class // by variable
	Buffers  []*Buffer
	Shared   int // bytes, set by [Place]
	Loc      tileir.Loc
}

// Pure reports whether an instruction has no effect, and gives the same wherever it stands.
func (in *Instr) Pure() bool { return in.Op <= Multiply }

// ByOne reports whether one thread of a block can execute an instruction without the others: all it needs is its own, in global memory or a
// counter.
func (in *Instr) ByOne() bool {
	switch in.Op {
	case Get, Set, If, Loop, Break, Continue, Return, ExpectBytes, CopyBox, AwaitBytes:
		return true
	case Load:
		return in.Mem.Space == Global
	}
	return in.Pure()
}

// Class is that of a value.
func (k *Kernel) Class(v Value) vec.Class { return k.Classes[v] }

// All calls f with each instruction, before those of its blocks.
func (b *Block) All(f func(in *Instr)) {
	for _, in := range b.Instrs {
		f(in)
		for _, inner := range in.Body {
			inner.All(f)
		}
	}
}

// Uses calls f with each value that the instruction itself reads.
func (in *Instr) Uses(f func(Value)) {
	for _, v := range in.Src {
		f(v)
	}
	if in.Scales != nil {
		f(in.Scales.At)
	}
	accesses := []*Access{in.Mem, in.Other}
	for _, m := range []*Matrix{in.Left, in.Right} {
		if m != nil {
			accesses = append(accesses, &m.Access)
		}
	}
	for _, m := range accesses {
		if m == nil {
			continue
		}
		if m.At != 0 {
			f(m.At)
		}
		if m.Guard != 0 {
			f(m.Guard)
		}
		for _, v := range m.Else {
			f(v)
		}
	}
}
