package tile

import "github.com/cutile-go/cutile/tile/op"

// Rounding is how the result of an operation on floats is rounded.
type Rounding = op.Rounding

// The roundings. Only operations that say so accept RoundApprox and RoundFull, and RoundApprox is only for f32.
const (
	RoundEven   = op.NearestEven // to the nearest, ties to even
	RoundAway   = op.NearestAway // to the nearest, ties away from zero
	RoundZero   = op.Zero
	RoundDown   = op.NegativeInf
	RoundUp     = op.PositiveInf
	RoundApprox = op.Approx
	RoundFull   = op.Full
)

// Overflow is a promise about the result of an operation on integers: if it is false, results are undefined.
type Overflow = op.Overflow

// The promises.
const (
	MayWrap        = op.MayWrap
	NoSignedWrap   = op.NoSignedWrap
	NoUnsignedWrap = op.NoUnsignedWrap
	NoWrap         = op.NoWrap
)

// Order is the ordering of a memory operation among blocks.
type Order = op.MemoryOrder

// The orderings. Weak is for memory that no other block writes at the same time.
const (
	Weak    = op.Weak
	Relaxed = op.Relaxed
	Acquire = op.Acquire
	Release = op.Release
	AcqRel  = op.AcqRel
)

// Scope is the set of threads that an ordering applies to.
type Scope = op.Scope

// The scopes; weak operations have none.
const (
	NoScope     = op.NoScope
	BlockScope  = op.Block
	DeviceScope = op.Device
	SystemScope = op.System
)

// Direction is the direction of a scan along an axis.
type Direction bool

// The directions.
const (
	Forward  Direction = false
	Backward Direction = true
)

// RMW is the kind of an atomic read-modify-write operation.
type RMW = op.RMW

// The operations. The element type selects the variant for integers or floats.
const (
	RMWAnd      = op.RMWAnd
	RMWOr       = op.RMWOr
	RMWXor      = op.RMWXor
	RMWAdd      = op.RMWAdd
	RMWMax      = op.RMWMax
	RMWMin      = op.RMWMin
	RMWExchange = op.RMWXchg
)

// Hints guide the assembler for one load or store.
type Hints = op.Hints

// ArchHint holds the hints for one architecture.
type ArchHint = op.ArchHint
