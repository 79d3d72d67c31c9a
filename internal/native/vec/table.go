package vec

// slot says which class of register an instruction has in a place.
type slot uint8

const (
	none   slot = iota
	scalar      // Scalar
	mask        // Mask
	lanes       // the class of Type
	froms       // the class of From
	index       // the class of From, 32 or 64 bits
)

// typeSet is a set of types.
type typeSet uint16

func setOf(ts ...Type) (s typeSet) {
	for _, t := range ts {
		s |= 1 << t
	}
	return s
}

// Has reports whether the set contains a type.
func (s typeSet) Has(t Type) bool { return s>>t&1 != 0 }

var (
	noTypes  = setOf(NoType)
	ints     = setOf(I8, I16, I32, I64)
	longs    = setOf(I32, I64)
	swaps    = setOf(I16, I32, I64)
	floats   = setOf(F32, F64)
	anyBits  = ints | floats | setOf(F16)
	converts = setOf(F16, F32, F64)
)

// Row says what an operation is.
type Row struct {
	Name  string
	types typeSet // of Type
	from  typeSet // of From
	dst   slot
	src   [3]slot
	mem   bool
	imm   bool
	conds int // how many conditions it may have, from the first one on; 0 for none
	masks bool
}

const (
	intConds    = int(UGE) + 1
	floatConds  = int(Ordered) + 1
	scalarConds = int(UGE) + 1
)

// Table has a row for each operation.
var Table = [numOps]Row{
	Arg:     {Name: "arg", dst: scalar, imm: true},
	SConst:  {Name: "sconst", dst: scalar, imm: true},
	SMove:   {Name: "smove", dst: scalar, src: [3]slot{scalar}},
	SAdd:    {Name: "sadd", dst: scalar, src: [3]slot{scalar, scalar}},
	SSub:    {Name: "ssub", dst: scalar, src: [3]slot{scalar, scalar}},
	SMul:    {Name: "smul", dst: scalar, src: [3]slot{scalar, scalar}},
	SAnd:    {Name: "sand", dst: scalar, src: [3]slot{scalar, scalar}},
	SOr:     {Name: "sor", dst: scalar, src: [3]slot{scalar, scalar}},
	SXor:    {Name: "sxor", dst: scalar, src: [3]slot{scalar, scalar}},
	SAddImm: {Name: "saddimm", dst: scalar, src: [3]slot{scalar}, imm: true},
	SShlImm: {Name: "sshlimm", dst: scalar, src: [3]slot{scalar}, imm: true},
	SShrImm: {Name: "sshrimm", dst: scalar, src: [3]slot{scalar}, imm: true},
	SExtend: {Name: "sextend", types: ints, dst: scalar, src: [3]slot{scalar}},
	SMin:    {Name: "smin", dst: scalar, src: [3]slot{scalar, scalar}},
	SMax:    {Name: "smax", dst: scalar, src: [3]slot{scalar, scalar}},
	SLoad:   {Name: "sload", types: ints, dst: scalar, mem: true},
	SLoadU:  {Name: "sloadu", types: ints, dst: scalar, mem: true},
	SStore:  {Name: "sstore", types: ints, src: [3]slot{scalar}, mem: true},
	SSwap:   {Name: "sswap", types: swaps, dst: scalar, src: [3]slot{scalar, scalar}, mem: true},
	SFirst:  {Name: "sfirst", types: ints, dst: scalar, src: [3]slot{lanes}},

	Loop:    {Name: "loop", dst: scalar, src: [3]slot{scalar, scalar}, imm: true},
	Repeat:  {Name: "repeat"},
	If:      {Name: "if", src: [3]slot{scalar, scalar}, conds: scalarConds},
	IfAny:   {Name: "ifany", src: [3]slot{mask}},
	Else:    {Name: "else"},
	End:     {Name: "end"},
	Break:   {Name: "break", imm: true},
	Next:    {Name: "next", imm: true},
	Return:  {Name: "return", imm: true},
	Suspend: {Name: "suspend", imm: true},
	Poll:    {Name: "poll", imm: true},

	Load:        {Name: "load", types: anyBits, dst: lanes, mem: true, masks: true},
	LoadFirst:   {Name: "loadfirst", types: anyBits, dst: lanes, mem: true},
	Store:       {Name: "store", types: anyBits, src: [3]slot{lanes}, mem: true, masks: true},
	StoreStream: {Name: "storestream", types: anyBits, src: [3]slot{lanes}, mem: true},
	StoreOne:    {Name: "storeone", types: anyBits, src: [3]slot{lanes}, mem: true},
	Prefetch:    {Name: "prefetch", types: anyBits, mem: true},
	Gather:      {Name: "gather", types: anyBits, from: longs, dst: lanes, src: [3]slot{index}, mem: true, masks: true, imm: true},
	Scatter:     {Name: "scatter", types: anyBits, from: longs, src: [3]slot{index, lanes}, mem: true, masks: true, imm: true},

	Const:   {Name: "const", types: anyBits, dst: lanes, imm: true},
	Iota:    {Name: "iota", types: ints, dst: lanes},
	Splat:   {Name: "splat", types: anyBits, dst: lanes, src: [3]slot{scalar}},
	First:   {Name: "first", types: anyBits, dst: lanes, src: [3]slot{lanes}},
	Move:    {Name: "move", types: anyBits, dst: lanes, src: [3]slot{lanes}},
	Down:    {Name: "down", types: anyBits, dst: lanes, src: [3]slot{lanes}, imm: true},
	Permute: {Name: "permute", types: anyBits, dst: lanes, src: [3]slot{lanes}, imm: true},
	Select:  {Name: "select", types: anyBits, dst: lanes, src: [3]slot{mask, lanes, lanes}},
	And:     binaryRow("and", anyBits),
	Or:      binaryRow("or", anyBits),
	Xor:     binaryRow("xor", anyBits),
	AndNot:  binaryRow("andnot", anyBits),

	Add:     binaryRow("add", ints),
	Sub:     binaryRow("sub", ints),
	Mul:     binaryRow("mul", ints),
	MulHi:   binaryRow("mulhi", ints),
	MulHiU:  binaryRow("mulhiu", ints),
	Shl:     binaryRow("shl", ints),
	Shr:     binaryRow("shr", ints),
	ShrU:    binaryRow("shru", ints),
	ShlImm:  {Name: "shlimm", types: ints, dst: lanes, src: [3]slot{lanes}, imm: true},
	ShrImm:  {Name: "shrimm", types: ints, dst: lanes, src: [3]slot{lanes}, imm: true},
	ShrUImm: {Name: "shruimm", types: ints, dst: lanes, src: [3]slot{lanes}, imm: true},
	Min:     binaryRow("min", ints),
	Max:     binaryRow("max", ints),
	MinU:    binaryRow("minu", ints),
	MaxU:    binaryRow("maxu", ints),
	Cmp:     {Name: "cmp", types: ints, dst: mask, src: [3]slot{lanes, lanes}, conds: intConds},

	FAdd:    binaryRow("fadd", floats),
	FSub:    binaryRow("fsub", floats),
	FMul:    binaryRow("fmul", floats),
	FDiv:    binaryRow("fdiv", floats),
	FSqrt:   {Name: "fsqrt", types: floats, dst: lanes, src: [3]slot{lanes}},
	FMulAdd: {Name: "fmuladd", types: floats, dst: lanes, src: [3]slot{lanes, lanes, lanes}},
	FMin:    binaryRow("fmin", floats),
	FMax:    binaryRow("fmax", floats),
	FRound:  {Name: "fround", types: floats, dst: lanes, src: [3]slot{lanes}, imm: true},
	FScale:  {Name: "fscale", types: floats, dst: lanes, src: [3]slot{lanes, lanes}},
	FCmp:    {Name: "fcmp", types: floats, dst: mask, src: [3]slot{lanes, lanes}, conds: floatConds},

	SignExtend: {Name: "signextend", types: ints, from: ints, dst: lanes, src: [3]slot{froms}},
	ZeroExtend: {Name: "zeroextend", types: ints, from: ints, dst: lanes, src: [3]slot{froms}},
	Truncate:   {Name: "truncate", types: ints, from: ints, dst: lanes, src: [3]slot{froms}},
	FConvert:   {Name: "fconvert", types: converts, from: converts, dst: lanes, src: [3]slot{froms}},
	FromInt:    {Name: "fromint", types: floats, from: longs, dst: lanes, src: [3]slot{froms}},
	ToInt:      {Name: "toint", types: longs, from: floats, dst: lanes, src: [3]slot{froms}},

	MConst:  {Name: "mconst", dst: mask, imm: true},
	MBits:   {Name: "mbits", dst: mask, imm: true},
	MMove:   {Name: "mmove", dst: mask, src: [3]slot{mask}},
	MAnd:    {Name: "mand", dst: mask, src: [3]slot{mask, mask}},
	MOr:     {Name: "mor", dst: mask, src: [3]slot{mask, mask}},
	MXor:    {Name: "mxor", dst: mask, src: [3]slot{mask, mask}},
	MAndNot: {Name: "mandnot", dst: mask, src: [3]slot{mask, mask}},
	MFirst:  {Name: "mfirst", dst: mask, src: [3]slot{scalar}},
}

func binaryRow(name string, ts typeSet) Row {
	return Row{Name: name, types: ts, dst: lanes, src: [3]slot{lanes, lanes}}
}

// String returns the operation's name.
func (op Op) String() string { return Table[op].Name }

// Types lists the types that an operation has, or NoType for one that has none.
func (op Op) Types() []Type { return Table[op].types.list() }

// Froms lists the types that its operand may have beside, or NoType.
func (op Op) Froms() []Type { return Table[op].from.list() }

func (s typeSet) list() (ts []Type) {
	for t := range types {
		if s.Has(Type(t)) {
			ts = append(ts, Type(t))
		}
	}
	if ts == nil {
		ts = []Type{NoType}
	}
	return ts
}

// class is the class that a register in a place of an instruction has.
func (s slot) class(in *Instr) Class {
	switch s {
	case scalar:
		return Scalar
	case mask:
		return Mask
	case lanes:
		return in.Type.Class()
	case froms, index:
		return in.From.Class()
	}
	return None
}

// DstClass is the class of an instruction's result, None if it has no result.
func (in *Instr) DstClass() Class { return Table[in.Op].dst.class(in) }

// Opens reports whether the instruction begins a region that an [End] closes.
func (op Op) Opens() bool { return op.Loops() || op == If || op == IfAny }

// Controls reports whether the instruction is control flow.
func (op Op) Controls() bool { return op >= Loop && op <= Poll }

// Loops reports whether the region that the instruction begins may run several times.
func (op Op) Loops() bool { return op == Loop || op == Repeat }

// Suspends reports whether a call may end at the instruction and the next one go on behind it.
func (op Op) Suspends() bool { return op == Suspend || op == Poll }

// HasMem reports whether the instruction accesses memory.
func (op Op) HasMem() bool { return Table[op].mem }

// Reads gives the registers that the instruction reads; 0 stands for none.
func (in *Instr) Reads() [6]Reg {
	return [...]Reg{in.Src[0], in.Src[1], in.Src[2], in.Mask, in.Mem.Base, in.Mem.Index}
}

// Uses calls f with each register that the instruction reads.
func (in *Instr) Uses(f func(Reg)) {
	for _, r := range in.Reads() {
		if r != 0 {
			f(r)
		}
	}
}

// SrcClasses are the classes of an instruction's operands, None for those that it does not have.
func (in *Instr) SrcClasses() (cs [3]Class) {
	for i, s := range Table[in.Op].src {
		cs[i] = s.class(in)
	}
	return cs
}

// Conds lists the conditions that an operation has, or one that means nothing.
func (op Op) Conds() []Cond {
	cs := []Cond{0}
	for c := 1; c < Table[op].conds; c++ {
		cs = append(cs, Cond(c))
	}
	return cs
}

// Masks lists 0 and, for an operation that has masks, 1.
func (op Op) Masks() []Reg {
	if Table[op].masks {
		return []Reg{0, 1}
	}
	return []Reg{0}
}

// SomeImms lists immediates of an operation that differ in what they do; 0 where it has none.
func (op Op) SomeImms(t Type) []int64 {
	switch op {
	case Down:
		return []int64{8, 4, 2, 1}
	case Permute:
		return somePermutations
	case MBits:
		return []int64{0, 1, 0xaaaa, 0xcccc, 0xf0f0, 0xff00, 0x00ff, 0x8421, 0x7fff, -1}
	case ShlImm, ShrImm, ShrUImm:
		return []int64{0, 1, int64(8*t.Bytes() - 1)}
	case Gather, Scatter:
		return []int64{1, 2, 4, 8}
	case FRound:
		return []int64{int64(Nearest), int64(Floor), int64(Ceil), int64(Trunc)}
	case SShlImm, SShrImm:
		return []int64{0, 1, 63}
	}
	if Table[op].imm {
		return []int64{0, 1, -1, 0x3f800000, 0x0123456789abcdef}
	}
	return []int64{0}
}
