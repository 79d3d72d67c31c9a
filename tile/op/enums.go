package op

// The enumerations have the same values as in the bytecode; -1 means not given.

// Rounding is a rounding mode for float results.
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

// Predicate is the relation that a comparison tests.
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

// FloatOrder is the result of a comparison with NaN: false when ordered, true when unordered.
//
//cutile:type enum(ComparisonOrdering)
type FloatOrder int

// The orders.
const (
	Unordered FloatOrder = iota
	Ordered
)

// Overflow is a promise about the overflow of an integer operation.
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

// Scope is the set of threads to which a memory ordering applies.
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

// Padding is the value of elements that are loaded outside the tensor.
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

// RMW is the change of memory by an atomic operation.
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
