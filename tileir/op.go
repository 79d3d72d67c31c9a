package tileir

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Module is the content of one file.
type Module struct {
	Name     string // in MLIR's text; files have none, and "" is printed as kernels
	Producer string // the program that wrote it; written since 13.3
	Globals  []*Global
	Entries  []*Entry
	Listed   []Listed // nil unless the module was read from a file with such entries

	Text *TextMap // positions of parts in the text that the module was read from; nil for other modules
}

// Global is initialised memory that belongs to the module.
type Global struct {
	Name     string
	Value    *Constant // of rank 1
	Align    int64     // 0 for the natural alignment
	Private  bool
	Constant bool
	Loc      Loc
}

// Entry is a kernel. Its parameters are rank-0 tiles.
type Entry struct {
	Name    string
	Private bool // its symbol is not exported
	Params  []*Value
	Hints   Hints // by architecture; nil for none
	Body    *Block
	Loc     Loc

	Holdings []Holding // what variables of the source hold; nil unless the front end was asked for them

	Kind    EntryKind
	Results []Type // only in texts; a kernel has none
}

// Type returns the type of the entry: the types of its parameters and no results.
func (e *Entry) Type() *FuncType {
	t := &FuncType{Params: make([]Type, len(e.Params))}
	for i, p := range e.Params {
		t.Params[i] = p.Type
	}
	return t
}

// Block is a list of operations that ends in a terminator, with arguments if its operation provides them.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// Value is a result of an operation, a block argument or a parameter.
type Value struct {
	Type Type
	Def  *Op // nil for a block argument or a parameter
}

// Op is one operation. The values of all operands are in the order of [Info.Operands]; Segments has the number of values of
// each operand, and is nil if each has exactly one.
type Op struct {
	Info     *Info
	Operands []*Value
	Segments []int
	Attrs    []Attr // parallel to Info.Attrs; nil if absent
	Results  []*Value
	Regions  []*Block // a nil or empty block is an absent else
	Loc      Loc
}

// String returns the operation with its operand and result types, such as addf(tile<f32>, tile<f32>) -> tile<f32>. Package text
// prints the text form.
func (o *Op) String() string {
	types := func(vs []*Value) []Type {
		out := make([]Type, len(vs))
		for i, v := range vs {
			if v.Typed() {
				out[i] = v.Type
			}
		}
		return out
	}
	return o.Info.Mnemonic + (&FuncType{types(o.Operands), types(o.Results)}).String()
}

// Group returns the values of the i-th operand of the table: none or one for an optional operand, any number for a variadic
// one.
func (o *Op) Group(i int) []*Value {
	if o.Segments == nil {
		return o.Operands[i : i+1]
	}
	at := 0
	for _, n := range o.Segments[:i] {
		at += n
	}
	return o.Operands[at : at+o.Segments[i]]
}

// Address is the operand that says which memory an operation reads or writes: a view or a tile of pointers. It is nil for operations
// that do neither.
func (o *Op) Address() *Value {
	if !o.Info.Reads && !o.Info.Writes {
		return nil
	}
	for _, v := range o.Operands {
		switch t := v.Type.(type) {
		case ViewType:
			return v
		case *TileType:
			if t.Pointer {
				return v
			}
		}
	}
	return nil
}

// Operand returns the value of the named operand, or nil if it is absent. The operand must not be variadic.
func (o *Op) Operand(name string) *Value {
	for i := range o.Info.Operands {
		if o.Info.Operands[i].Name == name {
			if g := o.Group(i); len(g) > 0 {
				return g[0]
			}
			return nil
		}
	}
	return nil
}

// Named returns the values of the named operand or result.
func (o *Op) Named(name string) []*Value {
	if i := o.Info.OperandIndex(name); i >= 0 {
		return o.Group(i)
	}
	return o.resultGroup(o.Info.ResultIndex(name))
}

// resultGroup gives the values of the i-th result of the table.
func (o *Op) resultGroup(i int) []*Value {
	switch {
	case i < 0:
		return nil
	case o.Info.Results[i].Variadic:
		return o.Results
	case i < len(o.Results):
		return o.Results[i : i+1]
	}
	return nil
}

// Attr returns the named attribute, or nil if it is absent.
func (o *Op) Attr(name string) Attr {
	for i := range o.Info.Attrs {
		if o.Info.Attrs[i].Name == name {
			return o.Attrs[i]
		}
	}
	return nil
}

// Int returns the named attribute as a number: an enum, an integer or a flag (0 or 1). If it is absent, Int returns the default
// of the table, or 0 if the operation has no such attribute.
func (o *Op) Int(name string) int64 {
	for i := range o.Info.Attrs {
		if a := &o.Info.Attrs[i]; a.Name == name {
			switch v := o.Attrs[i].(type) {
			case Int:
				return int64(v)
			case Bool:
				if v {
					return 1
				}
				return 0
			}
			return a.Default
		}
	}
	return 0
}

// Loc is a position in source code, with the inlined calls that lead to it.
type Loc struct {
	File      string
	Line, Col int
	Caller    *Loc     // the call at which this code was inlined, perhaps unknown; nil at the outermost level
	Scope     *Scope   // the function or block that contains the position; nil for the entry's own function
	Text      *LocText // additional information of MLIR's text about the position, or nil
}

// LocText is the form in which MLIR's text wrote a position that has a name, or that stands for the several positions
// in Of. The position itself is the first of these with a function, otherwise the first. Files cannot represent it.
type LocText struct {
	Name string // "" for a fused position
	Of   []Loc  // the position that has the name, if any, or the fused positions
	Call bool   // Of is a position in a callee and the position of the call, one of which has a LocText
}

// Scope is a function of the source code or a block in one, which a debugger shows as a frame. Only the debug section of a file
// uses it.
type Scope struct {
	Parent    *Scope // nil for a function
	File      *SourceFile
	Line, Col int // Col of a block only

	// Of a function only. Linkage of an entry's function is the entry's name.
	Name, Linkage string
	Unit          *SourceFile
	ScopeLine     int // where the body begins
}

// SourceFile is a source file, with its directory as a separate field.
type SourceFile struct{ Name, Dir string }

// What returns the form in which the text wrote the position.
func (t *LocText) What() string {
	if t.Name != "" {
		return "is named " + strconv.Quote(t.Name)
	}
	return fmt.Sprintf("is fused from %d", len(t.Of))
}

// IsZero reports whether the position is unknown.
func (l Loc) IsZero() bool { return l.Caller == nil && !l.known() }

// known reports whether the place itself is, whatever is of the calls that it was inlined through.
func (l *Loc) known() bool { return l.File != "" || l.Line != 0 }

// Outermost follows the inlined calls to the position in the kernel itself.
func (l Loc) Outermost() Loc {
	for l.Caller != nil {
		l = *l.Caller
	}
	return l
}

// Place returns the entry's source position: its own, otherwise the first one in its body, or zero if none is known.
func (e *Entry) Place() Loc {
	if !e.Loc.IsZero() {
		return e.Loc
	}
	l := e.Body.place()
	for l.Scope != nil && l.Scope.Parent != nil {
		l.Scope = l.Scope.Parent // an entry lies in a function, not in a block of one
	}
	return l
}

func (b *Block) place() Loc {
	if b == nil {
		return Loc{}
	}
	for _, o := range b.Ops {
		if o == nil {
			continue
		}
		if l := o.Loc.Outermost(); !l.IsZero() {
			return l
		}
		for _, r := range o.Regions {
			if l := r.place(); !l.IsZero() {
				return l
			}
		}
	}
	return Loc{}
}

// Function returns the source function of the entry, for positions without a scope: the function of its own position,
// otherwise one derived from the position and the entry's name; nil if no position is known.
func (e *Entry) Function() *Scope {
	l := e.Place()
	if l.IsZero() {
		return nil
	}
	s := l.Outermost().Scope
	for s != nil && s.Parent != nil {
		s = s.Parent
	}
	if s != nil {
		return s
	}
	dir, name := path.Split(strings.ReplaceAll(l.File, `\`, "/"))
	f := &SourceFile{Name: name, Dir: strings.TrimSuffix(dir, "/")}
	return &Scope{File: f, Unit: f, Name: e.Name, Linkage: e.Name, Line: l.Line, ScopeLine: l.Line}
}
