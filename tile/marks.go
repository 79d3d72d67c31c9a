package tile

import "github.com/cutile-go/cutile/tile/op"

// Rounding is how the result of an operation on floats is rounded.
type Rounding = op.Rounding

// The roundings. RoundApprox and RoundFull are for those operations that say so, and the first for f32 alone.
const (
	RoundEven   = op.NearestEven // to the nearest, ties to even
	RoundAway   = op.NearestAway // to the nearest, ties away from zero
	RoundZero   = op.Zero
	RoundDown   = op.NegativeInf
	RoundUp     = op.PositiveInf
	RoundApprox = op.Approx
	RoundFull   = op.Full
)

// Overflow is a promise about the result of an operation on integers: code that breaks it means nothing.
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

// The orderings. Weak is for memory that no other block writes meanwhile.
const (
	Weak    = op.Weak
	Relaxed = op.Relaxed
	Acquire = op.Acquire
	Release = op.Release
	AcqRel  = op.AcqRel
)

// Scope is the set of threads that an ordering speaks of.
type Scope = op.Scope

// The scopes; weak operations have none.
const (
	NoScope     = op.NoScope
	BlockScope  = op.Block
	DeviceScope = op.Device
	SystemScope = op.System
)

// Direction is the way that a scan runs along an axis.
type Direction bool

// The directions.
const (
	Forward  Direction = false
	Backward Direction = true
)

// RMW is what an atomic operation does to memory.
type RMW = op.RMW

// The operations: which of the variants for integers and floats is meant follows from the element.
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

// ArchHint are the hints for one architecture.
type ArchHint = op.ArchHint
