package tileir

// Attr is the value of an attribute: [Int], [Bool], [String], [Ints], [Bools], [*Constant], [Numbers], [Hints], or one
// of the predicates [DivBy], [Bounded] and [SameElements]. The value of an unknown hint may also be a [Number], [List], [Dict]
// or [TypeValue]. Attributes are immutable: to change an operation, give it another attribute. Operations read from a file may
// share attributes.
type Attr interface{ isAttr() }

// Int is the value of an enum or an integer.
type Int int64

// Bool is a boolean or a unit attribute; for a unit attribute false is the same as absent.
type Bool bool

// String is a string.
type String string

// Ints is an array of 32-bit integers.
type Ints []int

// Bools is an array of booleans.
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

// Numbers is an array of numbers, such as the identities of a reduction.
type Numbers []Number

// DivBy promises that a value, or the address of a pointer in bytes, is divisible by a number. With Every and Along the promise
// is about the first of each Every elements along dimension Along.
type DivBy struct {
	Divisor      uint64
	Every, Along *int64 // set both or neither
}

// Bounded promises a range, both ends included; nil leaves an end open.
type Bounded struct{ Lower, Upper *int64 }

// SameElements promises that elements repeat in runs of the given lengths, one per dimension.
type SameElements []int64

// Hints are optimisation hints, in order: for each architecture ("sm_90" or "default") names with values.
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

// HintValue is an integer of an element type, or a boolean if Elem is NoElem. Files may also contain hints of any other
// kind, which NVIDIA's tools ignore: then Other is set, and [Verify] refuses it.
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

// HintSince returns the version that introduced a hint; for unknown hints, which tools ignore, it returns the first version.
func HintSince(name string) Version {
	for i := range entryHints {
		if h := &entryHints[i]; h.name == name {
			return max(h.since, V13_1)
		}
	}
	return V13_1
}
