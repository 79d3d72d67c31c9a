package op

// The values of the enumerations are those of the bytecode; -1 means not given.

// Rounding is how a float result is rounded.
//
//cutile:type enum(RoundingMode)
type Rounding int

// The rounding modes.
const (
	NearestEven Rounding = iota
	Zero
	NegativeInf
	PositiveInf
	Approx
	Full
	NearestIntToZero
	NearestAway
)

// Predicate is what a comparison asks.
//
//cutile:type enum(ComparisonPredicate)
type Predicate int

// The comparison predicates.
const (
	Equal Predicate = iota
	NotEqual
	LessThan
	LessThanOrEqual
	GreaterThan
	GreaterThanOrEqual
)

// FloatOrder says what a comparison with NaN gives: false when ordered, true when unordered.
//
//cutile:type enum(ComparisonOrdering)
type FloatOrder int

// The orders.
const (
	Unordered FloatOrder = iota
	Ordered
)

// Overflow is a promise about what an integer operation does not do.
//
//cutile:type enum(IntegerOverflow)
type Overflow int

// The promises.
const (
	MayWrap Overflow = iota
	NoSignedWrap
	NoUnsignedWrap
	NoWrap
)

// MemoryOrder is the ordering of a memory operation among threads.
//
//cutile:type enum(MemoryOrderingSemantics)
type MemoryOrder int

// The memory orderings.
const (
	Weak MemoryOrder = iota
	Relaxed
	Acquire
	Release
	AcqRel
)

// Scope is the set of threads that a memory ordering speaks of.
//
//cutile:type enum(MemoryScope)
type Scope int

// The scopes; weak operations have none.
const (
	Block Scope = iota
	Device
	System
	NoScope Scope = -1
)

// Padding is what a load gives outside the tensor.
//
//cutile:type enum(PaddingValue)
type Padding int

// The padding values.
const (
	PadZero Padding = iota
	PadNegZero
	PadNaN
	PadPosInf
	PadNegInf
	NoPadding Padding = -1
)

// RMW is what an atomic operation does to memory.
//
//cutile:type enum(AtomicRMWMode)
type RMW int

// The modes.
const (
	RMWAnd RMW = iota
	RMWOr
	RMWXor
	RMWAdd
	RMWAddF
	RMWMax
	RMWMin
	RMWUMax
	RMWUMin
	RMWXchg
)
