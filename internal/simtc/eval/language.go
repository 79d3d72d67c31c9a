package eval

import (
	"errors"
	"slices"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
)

// Language is the language of the SIMT level, as package world must know it to check programs. Its
// operators are those of Go's own types, and its words are in package words.
var Language = &world.Language{
	Methods: []string{valuesMethod, fromMethod},
	Std:     map[string]string{"math": world.Math, "fmt": fmtSource, "context": contextSource, "github.com/cutile-go/cutile/internal/layout": layoutSource},
	Bodies:  bodies, Check: checkDirectives,
	Code: "compiled code", Caller: "calls the function",
	Library: "from the standard library, compiled code can use package math and the functions of package fmt that print or make texts",
	Instead: map[string]string{"fmt.Errorf": noErrors, "errors": noErrors},
}

// noErrors tells what host functions do instead of making errors.
const noErrors = ": a host function cannot make errors: its error result is always nil in the source, and a call returns the errors of compiling " +
	"and queueing; check before the call, or call panic with the text, which the call's error then has"

// layoutSource stands for the layout algebra. Package cute uses it in functions that are not
// compiled, and the evaluator has it in its own values.
const layoutSource = `type Tuple struct{}
type Layout struct{}
type Composed struct{}
var All Tuple
`

// fmtSource is package fmt as functions of the SIMT level see it. It prints while they are
// compiled.
const fmtSource = `func Print(a ...any) (n int, err error)
func Printf(format string, a ...any) (n int, err error)
func Println(a ...any) (n int, err error)
func Sprint(a ...any) string
func Sprintf(format string, a ...any) string
`

// contextSource is package context as host functions see it: they take the context of a call and
// pass it on.
const contextSource = "type Context any\n"

// ptxWord is the word of a directive whose function is an instruction.
const ptxWord directive.Word = "ptx"

// bodies lists the words of directives that stand for a function's body.
var bodies = []directive.Word{ptxWord, directive.Intrinsic}

// checkDirectives refuses a directive that names neither an instruction nor an intrinsic.
func checkDirectives(d *source.Decl) error {
	for _, dir := range d.Directives() {
		if slices.Contains(bodies, dir.Word) && len(dir.Words) == 0 {
			return dir.Fault(errors.New("the kind of " + string(dir.Word) + " is missing"))
		}
	}
	return nil
}
