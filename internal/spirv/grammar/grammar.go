package grammar

import (
	_ "embed"
	"fmt"
	"slices"
	"sync"
)

//go:embed grammar.txt
var text string

// Grammar is the table.
type Grammar struct {
	Ops   []*Op             // by rising code
	Kinds []*Kind           // in the grammar's order
	Sets  []*Set            // of extended instructions
	Tools map[uint32]string // makers of modules by the number in the header, "Khronos Glslang Reference Front End"

	codes []*Op // by code
	names map[string]*Kind
}

// Op is an instruction.
type Op struct {
	Code     uint32
	Name     string // "OpIAdd"; the instructions of sets have no Op before their names
	Aliases  []string
	Class    string // the grammar's chapter, such as "Type-Declaration"; "" in sets
	Operands []Slot // with result type and result
	Needs    Needs
}

// Slot is the place of an operand or of a parameter.
type Slot struct {
	Kind *Kind
	Many Many
}

// Many says how often an operand occurs.
type Many byte

// The numbers of operands of a [Slot].
const (
	Once  Many = iota
	Maybe      // once or not at all
	Any        // any number of times
)

// Category says how the words of an operand are read.
type Category byte

// The categories of kinds.
const (
	Value     Category = iota // one enumerant
	Bits                      // a set of enumerants, with their parameters by rising bit
	ID                        // the number of a result
	Literal                   // a number or a string
	Composite                 // the kinds of Bases, one after the other
)

// Kind is a kind of operand.
type Kind struct {
	Name       string
	Category   Category
	Bases      []*Kind
	Enumerants []*Enumerant // in the grammar's order, without two of the same value
	values     map[uint32]*Enumerant
}

// Enumerant is a value that an operand may have, or a bit.
type Enumerant struct {
	Value   uint32
	Name    string
	Aliases []string
	Params  []Slot
	Needs   Needs
}

// Set is a set of extended instructions, which OpExtInstImport names.
type Set struct {
	Name  string
	Ops   []*Op
	codes map[uint32]*Op
}

// Needs is what a module must have to use something.
type Needs struct {
	Since, Until Version  // zero where no version has it, or where none has lost it
	Capabilities []uint32 // any of them
	Extensions   []string // any of them
}

// Version is a version of SPIR-V as a module's header has it, 0x10500 for 1.5.
type Version uint32

// String gives "1.5".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v>>16&0xff, v>>8&0xff) }

// Op finds an instruction by its code.
func (g *Grammar) Op(code uint32) (*Op, bool) {
	if code >= uint32(len(g.codes)) || g.codes[code] == nil {
		return nil, false
	}
	return g.codes[code], true
}

// Kind finds a kind by its name, which must exist.
func (g *Grammar) Kind(name string) *Kind {
	k, ok := g.names[name]
	if !ok {
		panic("BUG: the grammar of SPIR-V has no kind of operand " + name)
	}
	return k
}

// Set finds a set of extended instructions by its name.
func (g *Grammar) Set(name string) (*Set, bool) {
	i := slices.IndexFunc(g.Sets, func(s *Set) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return g.Sets[i], true
}

// Op finds an instruction of a set by its code.
func (s *Set) Op(code uint32) (*Op, bool) { op, ok := s.codes[code]; return op, ok }

// Find finds an enumerant by its value, or by its bit.
func (k *Kind) Find(value uint32) (*Enumerant, bool) { e, ok := k.values[value]; return e, ok }

// Named finds an enumerant by its name or an alias.
func (k *Kind) Named(name string) (*Enumerant, bool) {
	i := slices.IndexFunc(k.Enumerants, func(e *Enumerant) bool { return e.Name == name || slices.Contains(e.Aliases, name) })
	if i < 0 {
		return nil, false
	}
	return k.Enumerants[i], true
}

// HasType reports whether an instruction has a result type.
func (o *Op) HasType() bool { return len(o.Operands) > 0 && o.Operands[0].Kind.Name == "IdResultType" }

// HasResult reports whether an instruction has a result.
func (o *Op) HasResult() bool {
	return slices.ContainsFunc(o.Operands[:min(2, len(o.Operands))], func(s Slot) bool { return s.Kind.Name == "IdResult" })
}

// Get gives the table. It is read once, and must not be changed.
var Get = sync.OnceValue(func() *Grammar {
	g, err := parse(text)
	if err != nil {
		panic("BUG: grammar.txt: " + err.Error())
	}
	return g
})
