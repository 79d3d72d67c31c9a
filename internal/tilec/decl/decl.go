// Package decl reads the directives of the tile language: operations, types, intrinsics and parameters, and the hints of a
// kernel. docs/internals.md gives their grammar.
package decl

import (
	"go/ast"
	"slices"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/tileir"
)

// Op is the word of a function that is an operation of the table.
const Op directive.Word = "op"

// Directive is what a directive says. The fields that its word does not use are empty.
type Directive struct {
	Word     directive.Word
	Words    []string     // of an intrinsic, or of a word that has no grammar
	Info     *tileir.Info // of an op
	Operands []*Expr
	Attrs    *Expr   // a record
	Regions  []*Expr // function parameters with the block arguments that they take
	Result   *Expr   // a record that completes a view type
	Meta     *Expr   // a record of values that travel with the result
	Type     *Expr   // of a type
	Zero     string  // the function that makes a type's zero value
	Once     bool    // emitted once a kernel, in its prologue
	Traps    bool    // can end the kernel, so that it runs only where Go would run it
	Min      *Expr   // a lower bound of the results
	Bounds   string  // the operand whose bounds the result keeps
}

// Expr is an expression of a directive: a word, a number or text, a call, a list or a record.
type Expr struct {
	Name string  // a word; "[" for a list, "{" for a record, "*" for what the constructor gives
	Int  *int64  // a number
	Text *string // a text in quotes
	Args []*Expr
	Keys []string // of a record, and of calls with named arguments
	Call bool
}

// Field finds a field of a record: nil if it is absent.
func (e *Expr) Field(name string) *Expr {
	if e == nil {
		return nil
	}
	for i, k := range e.Keys {
		if k == name {
			return e.Args[i]
		}
	}
	return nil
}

// Of gives what a directive says.
func Of(dir *directive.Directive) (*Directive, error) {
	m, err := dir.Meaning(read)
	if err != nil {
		return nil, err
	}
	return m.(*Directive), nil
}

// Checked is [Of] for a directive that [Check] took, and nil for nil.
func Checked(dir *directive.Directive) *Directive {
	if dir == nil {
		return nil
	}
	d, err := Of(dir)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return d
}

func read(dir *directive.Directive) (any, error) {
	d := &Directive{Word: dir.Word}
	rule, ok := rules[dir.Word]
	if !ok {
		d.Words = dir.Words
		return d, nil
	}
	return d, parse(d, dir.Text, rule)
}

// Check refuses the directives of a declaration that are wrong: all mistakes are found when the declaration is read, not when
// it is used.
func Check(d *source.Decl) error {
	dirs := d.Directives()
	for _, dir := range dirs {
		if _, err := Of(dir); err != nil {
			return err
		}
	}
	fn := d.Func()
	if fn == nil {
		return nil
	}
	for _, dir := range dirs {
		if err := Checked(dir).Verify(paramNames(fn)); err != nil {
			return &diag.Error{Pos: dir.Pos, Stage: diag.Check, Source: source.Line(dir.Pos), Msg: "directive of " + d.Name + ": " + err.Error()}
		}
		if dir.Word == directive.Param && (len(dir.Words) != 1 || !slices.Contains(roles, dir.Words[0])) {
			pos := source.Fset.Position(fn.Pos())
			return &diag.Error{Pos: pos, Stage: diag.Check, Source: source.Line(pos), Msg: d.Name + ": want //cutile:param in, out, inout, persistent or ptr"}
		}
	}
	return nil
}

// roles are the words of //cutile:param directives.
var roles = []string{"in", "out", "inout", "persistent", "ptr"}

// paramNames are the names that a directive may use, that of a method's receiver first.
func paramNames(d *ast.FuncDecl) (names []string) {
	fields := d.Type.Params.List
	if d.Recv != nil {
		fields = append(d.Recv.List[:1:1], fields...)
	}
	for _, f := range fields {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return names
}
