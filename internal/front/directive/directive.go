// Package directive finds the //cutile: comments that declare a language, and the words that they start with. What a
// directive says is read by the compiler of the language; docs/internals.md gives the grammar of each.
package directive

import (
	"go/ast"
	"go/token"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/diag"
)

// Prefix starts every directive.
const Prefix = "//cutile:"

// Word says what a directive declares.
type Word string

// The words that every language may use. A function of the language with any other one is declared by it alone: its body is
// what Go runs outside of kernels.
const (
	Type      Word = "type"      // what a Go type is to the compiler
	Operator  Word = "operator"  // the meaning of one of Go's operators
	Param     Word = "param"     // how an argument of a launch becomes a parameter
	State     Word = "state"     // a variable that lives as long as one kernel
	Intrinsic Word = "intrinsic" // a question to the compiler
)

// besideBody are the words whose functions have a body in Go.
var besideBody = map[Word]bool{Type: true, Operator: true, Param: true, State: true}

// Directive is one comment.
type Directive struct {
	Pos   token.Position
	Word  Word
	Text  string   // what follows the word
	Words []string // the text's, between spaces

	comment string
	once    sync.Once
	meaning any
	err     error
}

// Meaning is what a compiler reads in the directive; an error is one of the directive's. A word belongs to one language, which
// gives the same function at each call: what it gives is kept.
func (d *Directive) Meaning(read func(*Directive) (any, error)) (any, error) {
	d.once.Do(func() {
		var err error
		if d.meaning, err = read(d); err != nil {
			d.err = d.Fault(err)
		}
	})
	return d.meaning, d.err
}

// Fault is a mistake in the directive.
func (d *Directive) Fault(err error) error {
	return &diag.Error{Pos: d.Pos, Stage: diag.Check, Msg: "directive " + Prefix + string(d.Word) + ": " + err.Error(), Source: d.comment}
}

// Of gives the directives of a comment.
func Of(fset *token.FileSet, doc *ast.CommentGroup) (all []*Directive) {
	for word, c := range words(doc) {
		text := strings.TrimPrefix(c.Text[len(Prefix)+len(word):], " ")
		all = append(all, &Directive{Pos: fset.Position(c.Pos()), Word: word, Text: text, Words: strings.Fields(text), comment: c.Text})
	}
	return all
}

// Has reports whether a comment has a directive of this word.
func Has(doc *ast.CommentGroup, w Word) bool {
	for word := range words(doc) {
		if word == w {
			return true
		}
	}
	return false
}

// Replaces reports whether a comment of the language has a directive that declares its function alone.
func Replaces(doc *ast.CommentGroup) bool {
	for word := range words(doc) {
		if !besideBody[word] {
			return true
		}
	}
	return false
}

// words gives the words of a comment's directives.
func words(doc *ast.CommentGroup) func(yield func(Word, *ast.Comment) bool) {
	return func(yield func(Word, *ast.Comment) bool) {
		if doc == nil {
			return
		}
		for _, c := range doc.List {
			if text, ok := strings.CutPrefix(c.Text, Prefix); ok {
				word, _, _ := strings.Cut(text, " ")
				if !yield(Word(word), c) {
					return
				}
			}
		}
	}
}
