package tileir

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// Module is the content of one file.
type Module struct {
	Name     string // in MLIR's text; a file has none, and "" is printed as kernels
	Producer string // who wrote it; written from 13.3 on
	Globals  []*Global
	Entries  []*Entry
	Listed   []Listed // nil but for what was read from a file that has such entries

	Text *TextMap // where parts stood in the text that the module was read from; nil for others
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

	Kind    EntryKind
	Results []Type // that a text gives it, and a kernel cannot have
}

// Type is the type of the entry: those of its parameters, and no results.
func (e *Entry) Type() *FuncType {
	t := &FuncType{Params: make([]Type, len(e.Params))}
	for i, p := range e.Params {
		t.Params[i] = p.Type
	}
	return t
}

// Block is a straight list of operations that ends in a terminator, with arguments where its operation gives some.
type Block struct {
	Args []*Value
	Ops  []*Op
}

// Value is a result of an operation, a block argument or a parameter.
type Value struct {
	Type Type
	Def  *Op // nil for a block argument or a parameter
}

// Op is one operation. Operands lie one after another in the order of [Info.Operands]; Segments gives how many each of
// those has, and is nil where each has exactly one.
type Op struct {
	Info     *Info
	Operands []*Value
	Segments []int
	Attrs    []Attr // parallel to Info.Attrs; nil where not given
	Results  []*Value
	Regions  []*Block // a nil or empty block is an absent else
	Loc      Loc
}

// String is the operation and the types that it goes from and to, such as addf(tile<f32>, tile<f32>) -> tile<f32>. Its
// text form is package text's.
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

// Group gives the values of the i-th operand of the table: none or one for an optional operand, any number for a
// variadic one.
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

// Operand gives the value of the named operand, nil where it is not given. It is for operands that are not variadic.
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

// Named gives the values of the named operand or result.
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

// Attr gives the named attribute, nil where it is not given.
func (o *Op) Attr(name string) Attr {
	for i := range o.Info.Attrs {
		if o.Info.Attrs[i].Name == name {
			return o.Attrs[i]
		}
	}
	return nil
}

// Int gives the named attribute as a number: an enum, an integer or a flag (0 or 1). Where it is not given it is the
// default of the table, and 0 where the operation has no such attribute.
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

// Loc is a place in source code, with the calls that were inlined on the way to it.
type Loc struct {
	File      string
	Line, Col int
	Caller    *Loc     // the call that this code was inlined at, perhaps unknown; nil at the outermost level
	Scope     *Scope   // the function or block that holds the place; nil for the entry's own function
	Text      *LocText // nil but for what MLIR's text says of the place beside all this
}

// LocText is how MLIR's text wrote a place that has a name, or that stands for several: those in Of, of which the place
// itself is the first that has a function, else the first. No file can hold it.
type LocText struct {
	Name string // "" for a fused place
	Of   []Loc  // the place that has the name, if any, or those that were fused
	Call bool   // Of is a place in a callee and that of the call, one of which is such a place
}

// Scope is a function, or a block within one, of the source code: what a debugger shows as a frame. It matters only to
// the debug section of a file.
type Scope struct {
	Parent    *Scope // nil for a function
	File      *SourceFile
	Line, Col int // Col of a block only

	// Of a function only. Linkage of an entry's function is the entry's name.
	Name, Linkage string
	Unit          *SourceFile
	ScopeLine     int // where the body begins
}

// SourceFile is a file of the source code, its directory apart.
type SourceFile struct{ Name, Dir string }

// What says how the text wrote the place.
func (t *LocText) What() string {
	if t.Name != "" {
		return "is named " + strconv.Quote(t.Name)
	}
	return fmt.Sprintf("is fused of %d", len(t.Of))
}

// IsZero reports whether the place is unknown.
func (l Loc) IsZero() bool { return l.Caller == nil && !l.known() }

// known reports whether the place itself is, whatever is of the calls that it was inlined through.
func (l *Loc) known() bool { return l.File != "" || l.Line != 0 }

// Outermost follows the inlined calls to the place in the kernel itself.
func (l Loc) Outermost() Loc {
	for l.Caller != nil {
		l = *l.Caller
	}
	return l
}

// Place is where the entry stands in the source: its own place, else the first in its body; zero where none is known.
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

// Function is the function of the source that the entry was made of, for places that name no scope: that of its own
// place, else one derived from the place and the entry's name; nil where no place is known.
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
