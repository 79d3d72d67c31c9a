package tileir

// Variable is a variable of the source, for debuggers.
type Variable struct {
	Name  string
	Loc   Loc // of the declaration, with the call and the function that positions of its function's code have
	Until Loc // the end of the block that declares it: a line and a column
	Param bool
}

// Holding says what a variable of the source holds from an operation on, for debuggers. It is part of a module in memory alone: neither
// files nor texts have it. A holding whose operation or whose values are not in the entry says nothing.
type Holding struct {
	Variable *Variable
	Before   *Op           // the first operation behind the assignment
	What     *VariablePart // nil for nothing that a debugger could show
}

// VariablePart is what a variable or a part of one holds: a value of the entry, a number that is known, or Parts.
type VariablePart struct {
	Name     string // of a field; "" for a whole variable or an element
	Type     string // in the source; "" for none
	Value    *Value // a tile
	Elem     Elem   // of a number that is known; NoElem for others
	Bits     uint64 // that number
	Unsigned bool   // integers are read without a sign
	Parts    []*VariablePart
	List     bool // Parts are elements
}
