package tileir

// Attr is the value of an attribute: [Int], [Bool], [String], [Ints], [Bools], [*Constant], [Numbers], [Hints], or one
// of the predicates [DivBy], [Bounded] and [SameElements]. Hints that no tool knows may also be a [Number], [List],
// [Dict] or [TypeValue]. Attributes are immutable: to change an operation, give it another one. What was read from a file
// may share them.
type Attr interface{ isAttr() }

// Int is an enum's value or an integer.
type Int int64

// Bool is a truth value or a unit attribute; false and absent are the same for the latter.
type Bool bool

// String is a text.
type String string

// Ints is an array of 32-bit integers.
type Ints []int

// Bools is an array of truth values.
type Bools []bool

// Constant is the value of a tile. Data holds little-endian elements in row-major order, or exactly one element that
// fills the tile (see section 5 of docs/bytecode.md for i1, tf32 and f4).
type Constant struct {
	Type *TileType
	Data []byte
}

// Number is an integer or float of an element type, as its bits.
type Number struct {
	Elem Elem
	Bits uint64
}

// Numbers is an array of numbers: the identities of a reduction.
type Numbers []Number

// DivBy promises that a value is divisible: for a pointer its address in bytes. With Every and Along the promise holds
// for the first of each Every elements along dimension Along.
type DivBy struct {
	Divisor      uint64
	Every, Along *int64 // both or neither
}

// Bounded promises a range, both ends included; nil leaves an end open.
type Bounded struct{ Lower, Upper *int64 }

// SameElements promises that elements repeat in runs of the given lengths, one a dimension.
type SameElements []int64

// Hints are optimisation hints: architecture ("sm_90" or "default") to name to value, in order.
type Hints []ArchHints

// ArchHints are the hints for one architecture.
type ArchHints struct {
	Arch  string
	Hints []Hint
}

// Hint is one hint.
type Hint struct {
	Name  string
	Value HintValue
}

// HintValue is an integer of an element type, or a truth value when Elem is NoElem. Files may also have hints of any
// other kind, which NVIDIA's tools pass over: then Other is set, and [Verify] refuses it.
type HintValue struct {
	Elem  Elem
	Int   int64
	Bool  bool
	Other Attr
}

// List is a list of attributes, each a [Number], [Bool], [String], [List], [Dict], [TypeValue], [Hints] or predicate.
type List []Attr

// Dict is a list of attributes with names, as in a [List].
type Dict []NamedAttr

// TypeValue is a type.
type TypeValue struct{ Type Type }

func (Int) isAttr()          {}
func (Bool) isAttr()         {}
func (String) isAttr()       {}
func (Ints) isAttr()         {}
func (Bools) isAttr()        {}
func (*Constant) isAttr()    {}
func (Numbers) isAttr()      {}
func (DivBy) isAttr()        {}
func (Bounded) isAttr()      {}
func (SameElements) isAttr() {}
func (Hints) isAttr()        {}
func (Number) isAttr()       {}
func (List) isAttr()         {}
func (Dict) isAttr()         {}
func (TypeValue) isAttr()    {}

// HintSince is the version that a hint came with; the first for those that no tool knows, and passes over.
func HintSince(name string) Version {
	for i := range entryHints {
		if h := &entryHints[i]; h.name == name {
			return max(h.since, V13_1)
		}
	}
	return V13_1
}
