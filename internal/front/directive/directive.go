// Package directive reads the //cutile: comments that declare the language: operations, types, intrinsics, operators,
// parameters and state. docs/internals.md gives their grammar.
package directive

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/tileir"
)

// Prefix starts every directive.
const Prefix = "//cutile:"

// Word says what a directive declares.
type Word string

// The words.
const (
	Op        Word = "op"        // an operation of the table
	Type      Word = "type"      // what a Go type is to Tile IR
	Intrinsic Word = "intrinsic" // a question to the compiler
	Operator  Word = "operator"  // the meaning of one of Go's operators
	Param     Word = "param"     // how a tensor becomes a kernel's parameter
	State     Word = "state"     // a variable that lives as long as one kernel
	PTX       Word = "ptx"       // an instruction of the SIMT level
)

// Directive is one parsed comment. The fields that its word does not use are empty.
type Directive struct {
	Pos      token.Position
	Word     Word
	Words    []string     // of an intrinsic, operator, param or ptx
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

// Field finds a field of a record: nil where it is absent.
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

// Of gives the directives of a comment. Mistakes are reported at the directive.
func Of(fset *token.FileSet, doc *ast.CommentGroup) ([]*Directive, error) {
	if doc == nil {
		return nil, nil
	}
	var all []*Directive
	for _, c := range doc.List {
		text, ok := strings.CutPrefix(c.Text, Prefix)
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(text, " ")
		pos := fset.Position(c.Pos())
		rule, ok := rules[Word(word)]
		if !ok {
			continue // of another tool, such as cutile:entry
		}
		d := &Directive{Pos: pos, Word: Word(word)}
		if err := parse(d, rest, rule); err != nil {
			return nil, &diag.Error{Pos: pos, Stage: diag.Check, Msg: "directive " + Prefix + word + ": " + err.Error(), Source: c.Text}
		}
		all = append(all, d)
	}
	return all, nil
}

// Has reports whether a comment has a directive of this word, without parsing it.
func Has(doc *ast.CommentGroup, w Word) bool {
	if doc == nil {
		return false
	}
	for _, c := range doc.List {
		if rest, ok := strings.CutPrefix(c.Text, Prefix+string(w)); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}
