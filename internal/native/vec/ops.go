package vec

// Op is an instruction's operation.
type Op uint8

// The operations. [Table] says what each takes, [Eval] what it does.
const (
	// Scalars.
	Arg    Op = iota // word Imm of the frame
	SConst           // Imm
	SMove
	SAdd
	SSub
	SMul
	SAnd
	SOr
	SXor
	SAddImm // Src[0] + Imm
	SShlImm // Src[0] << Imm
	SShrImm // Src[0] >> Imm
	SExtend // the low bits of Src[0] as a number of Type, with sign
	SMin
	SMax
	SLoad  // of Type, with sign
	SLoadU // of Type, without sign
	SStore // the low bits of Src[0]
	SSwap  // what is at Mem, as SLoad does; if that is Src[0], the low bits of Src[1] are stored there. All is one step, atomically
	SFirst // lane 0 of a vector, with sign

	// Control flow.
	Loop    // for Dst = Src[0]; Dst < Src[1]; Dst += Imm {
	Repeat  // for {
	If      // if Src[0] Cond Src[1] {
	IfAny   // if any lane of the mask Src[0] is set {
	Else    // } else {
	End     // }
	Break   // goes on behind the loop that Imm open loops lie in
	Next    // goes on with its next turn
	Return  // with status Imm
	Suspend // returns with status Imm; the next call goes on behind it, see [Func.State]
	Poll    // takes Imm off the budget, and is a Suspend with the status [Polled] if less than 0 is left

	// Memory.
	Load        // Type at Mem; lanes outside the mask are 0
	LoadFirst   // one lane of Type at Mem, in all lanes
	Store       // Src[0]
	StoreStream // Store past the caches, for memory that is not read again soon; Mem is aligned to the vector
	StoreOne    // lane 0 of Src[0]
	Prefetch    // asks the caches for what Load would read, which need not be memory
	Gather      // Type at Mem + Src[0] * Imm; Src[0] has lanes of From; lanes outside the mask are 0
	Scatter     // Src[1] to Mem + Src[0] * Imm, in the order of the lanes

	// Any bits.
	Const   // Imm in all lanes
	Iota    // 0, 1, 2 …
	Splat   // the low bits of a scalar, in all lanes
	First   // lane 0 in all lanes
	Move    // Src[0]
	Down    // lane i is lane i+Imm of Src[0], for i < Imm; the others have no meaning. Imm is 8, 4, 2 or 1
	Permute // lane i is lane [PermuteLane](Imm, i) of Src[0]
	Select  // Src[1] where the mask Src[0] is set, else Src[2]
	And
	Or
	Xor
	AndNot // Src[0] &^ Src[1]

	// Integers, which wrap around.
	Add
	Sub
	Mul
	MulHi  // the upper half of the product, with sign
	MulHiU // without sign
	Shl    // counts from the width on give 0
	Shr    // counts from the width on give the sign
	ShrU   // counts from the width on give 0
	ShlImm // Imm is below the width
	ShrImm
	ShrUImm
	Min
	Max
	MinU
	MaxU
	Cmp // a mask

	// Floats, rounded to the nearest, ties to even.
	FAdd
	FSub
	FMul
	FDiv
	FSqrt
	FMulAdd // Src[0] * Src[1] + Src[2], rounded once
	FMin    // Src[0] < Src[1] ? Src[0] : Src[1]
	FMax    // Src[0] > Src[1] ? Src[0] : Src[1]
	FRound  // to an integer in the direction Imm, a Rounding
	FScale  // Src[0] * 2^Src[1], of integers as wide as Type, rounded once; see [MaxScale]
	FCmp    // a mask

	// Conversions from From to Type.
	SignExtend
	ZeroExtend
	Truncate
	FConvert // between floats
	FromInt  // with sign
	ToInt    // with sign, towards zero; for floats inside the range of Type only

	// Masks.
	MConst // all lanes Imm != 0
	MBits  // lane i is bit i of Imm
	MMove
	MAnd
	MOr
	MXor
	MAndNot
	MFirst // the first Src[0] lanes
	numOps
)

// MaxPoll is the most that [Poll] takes off the budget, and [Func.State] is below MaxState: machines have instructions for
// numbers and places up to there.
const (
	MaxPoll  = 4095
	MaxState = 1024
)

// Rounding is a direction of rounding to an integer.
type Rounding int64

// The directions, with the numbers that amd64 has for them.
const (
	Nearest Rounding = iota // ties to even
	Floor
	Ceil
	Trunc
)

// Scalable is what [FScale] takes: exponents from -MaxScale to MaxScale, and numbers that are 0, infinite, NaN or of a
// magnitude from 2^-MaxScaled to 2^MaxScaled. Results for others have no meaning, but NaN stays NaN with any exponent.
const (
	MaxScale32 = 300
	MaxScale64 = 2200
	MaxScaled  = 30
)
