package eval

import (
	"errors"
	"slices"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
)

// Language is the language of the SIMT level. Its operators are those of the machine, and its words intrinsics.
var Language = &world.Language{
	Methods: []string{valuesMethod, fromMethod},
	Std:     map[string]string{"math": world.Math, "fmt": fmtSource, "context": contextSource, "github.com/cutile-go/cutile/internal/layout": layoutSource},
	Bodies:  bodies, Check: checkDirectives,
	Code: "compiled code", Caller: "calls the function",
	Library: "of the standard library compiled code has package math, and what prints and makes texts of package fmt",
	Instead: map[string]string{"fmt.Errorf": noErrors, "errors": noErrors},
}

const noErrors = ": a host function makes no errors, as its error result is nil in its source, and that of a call says how compiling " +
	"and queueing went: check before the call, or call panic with the text, which the call's error then has"

// layoutSource stands for the algebra, which package cute uses on the host, and the evaluator in its own values.
const layoutSource = `type Tuple struct{}
type Layout struct{}
type Composed struct{}
var All Tuple
`

// fmtSource is package fmt as functions of the SIMT level see it: it prints while they are compiled.
const fmtSource = `func Print(a ...any) (n int, err error)
func Printf(format string, a ...any) (n int, err error)
func Println(a ...any) (n int, err error)
func Sprint(a ...any) string
func Sprintf(format string, a ...any) string
`

// contextSource is package context as host functions see it: they take the context of a call and pass it on.
const contextSource = "type Context any\n"

// ptxWord is the word of a function that is an instruction.
const ptxWord directive.Word = "ptx"

// bodies are the words of directives that stand for a function's body.
var bodies = []directive.Word{ptxWord, directive.Intrinsic}

// checkDirectives refuses directives that name nothing.
func checkDirectives(d *source.Decl) error {
	for _, dir := range d.Directives() {
		if slices.Contains(bodies, dir.Word) && len(dir.Words) == 0 {
			return dir.Fault(errors.New("the kind of " + string(dir.Word) + " is missing"))
		}
	}
	return nil
}
