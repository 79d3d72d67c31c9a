package tileir

import (
	"strconv"
	"sync"
)

//go:generate go run ../internal/gen/opdef/gen table_gen.go builder_gen.go target_gen.go

// Info is one row of the table of operations. The table is generated from internal/gen/opdef/tileir.json.
type Info struct {
	Mnemonic    string
	OldMnemonic string // the text form's name before 13.4 if it differs, else ""
	Opcode      int
	Since       Version
	Category    string
	Meaning     string
	Format      string // the text form after the mnemonic; format.go of package text describes it
	ResultName  string // what the text form calls the first result: a name, or how one is found; "" for a number
	ArgNames    string // how the text form finds names for block arguments; "" for numbers
	CountTypes  bool   // result types are preceded by their number
	Operand     OperandCoding
	FlagsSince  Version // 0: the operation has no flags field
	Operands    []OperandInfo
	Attrs       []AttrInfo
	Results     []ResultInfo
	Regions     []RegionInfo
	Traits      []Trait
	Terminator  bool
	InBody      bool // false for entry, global and module, which are rows of sections
	Pure        bool // no effect on memory or control; pure operations may be removed, merged and moved
	Reads       bool // it reads memory at its [Op.Address]
	Writes      bool // it writes memory at its [Op.Address]
}

// OperandCoding is the encoding of operands in the bytecode.
type OperandCoding uint8

// The encodings of operands.
const (
	NoOperands   OperandCoding = iota // none at all
	PlainIDs                          // one value each
	TotalThenIDs                      // the total number, then the values
	Segmented                         // optional ones by flag, variadic ones preceded by their number
)

// OperandInfo describes an operand.
type OperandInfo struct {
	Name       string
	Constraint Constraint
	Optional   bool
	Variadic   bool
	FlagBit    int // -1 for none
	Since      Version
}

// AttrInfo describes an attribute.
type AttrInfo struct {
	Name       string
	Coding     AttrCoding
	Enum       *Enum // for EnumAttr
	Symbol     bool  // a string that names a global
	Optional   bool
	FlagBit    int // -1 for none
	Since      Version
	HasDefault bool
	Default    int64
	Allowed    []int64 // of an enum; nil for all
	Width      int     // of an integer, in bits
}

// AttrCoding is the encoding of an attribute in the bytecode.
type AttrCoding uint8

// The encodings of attributes.
const (
	EnumAttr AttrCoding = iota
	VarintAttr
	BoolAttr
	UnitAttr // only a bit of the flags
	StringAttr
	TypeAttr
	ConstantAttr
	Int32ArrayAttr
	BoolArrayAttr
	NumberArrayAttr
	HintsAttr
	PredicateAttr
)

// ResultInfo describes a result.
type ResultInfo struct {
	Name       string
	Constraint Constraint
	Variadic   bool
	Since      Version
}

// RegionInfo describes a region; an optional one may be absent.
type RegionInfo struct {
	Name     string
	Optional bool
}

// Trait is a rule of the table that ties types of operands and results together, such as same_type(lhs, rhs, result).
type Trait struct {
	Name string
	Args []string
}

// Constraint restricts the type of an operand or result.
type Constraint struct {
	Kind    ConstraintKind
	Scalar  bool   // a tile of rank 0
	Elems   uint32 // set of element types that a tile may have: bit 1<<Elem
	Pointer bool   // a tile of pointers is allowed
}

// The sets of element types that constraints name: what is no integer is a float. i4 is no number: few operations take it.
const (
	elemsInt       = 1<<I1 | 1<<I8 | 1<<I16 | 1<<I32 | 1<<I64
	elemsBaseFloat = 1<<F16 | 1<<BF16 | 1<<F32 | 1<<F64
	elemsAny       = 1<<numElems - 1<<I1
	elemsNumber    = elemsAny &^ (1 << I4)
	elemsFloat     = elemsNumber &^ elemsInt
)

// ConstraintKind is the kind of type that a constraint allows.
type ConstraintKind uint8

// The kinds of constraint.
const (
	AnyType ConstraintKind = iota
	TileOnly
	TokenOnly
	TensorViewOnly
	TileViewOnly // any tile view
	PartitionViewOnly
	StridedViewOnly
	GatherScatterViewOnly
)

// Text returns a value of the attribute, a number, a boolean or an enumeration value, in its text form.
func (a *AttrInfo) Text(v int64) string {
	switch a.Coding {
	case BoolAttr, UnitAttr:
		return strconv.FormatBool(v != 0)
	case EnumAttr:
		return a.Enum.Text(v)
	}
	return strconv.FormatInt(v, 10)
}

// Enum is an enumeration of the table.
type Enum struct {
	Name   string
	Attr   string // the dialect's attribute that holds a value in MLIR's generic form; "" for an integer
	Values []EnumValue
}

// EnumValue is one value of an enumeration.
type EnumValue struct {
	Name  string // as the specification writes it
	Text  string // as the text form writes it
	Value int64
}

// Text returns the text form of a value; a value that the enumeration does not have is written as a number.
func (e *Enum) Text(v int64) string {
	for i := range e.Values {
		if e.Values[i].Value == v {
			return e.Values[i].Text
		}
	}
	return strconv.FormatInt(v, 10)
}

// Lookup finds an operation by its new or old mnemonic; nil if there is none.
func Lookup(mnemonic string) *Info { return byMnemonic()[mnemonic] }

// byMnemonic is built when it is first asked for, so that programs which never look an operation up start no slower.
var byMnemonic = sync.OnceValue(func() map[string]*Info {
	m := make(map[string]*Info, len(infos)+1)
	for _, in := range infos {
		m[in.Mnemonic] = in
		if in.OldMnemonic != "" {
			m[in.OldMnemonic] = in
		}
	}
	return m
})

// LookupOpcode finds an operation by its number; nil if there is none.
func LookupOpcode(code int) *Info {
	if code < 0 || code >= len(byOpcode) {
		return nil
	}
	return byOpcode[code]
}

// Infos lists the operations in the order of their numbers.
func Infos() []*Info { return infos }
