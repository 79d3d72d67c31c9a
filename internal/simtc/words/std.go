package words

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// Std calls a function of the standard library: one of math on static numbers, or one of fmt, which
// prints while the program is compiled.
func Std(em *emit.Emitter, pos token.Pos, name string, args []emit.Value) []emit.Value {
	if pkg, fn, _ := strings.Cut(name, "."); pkg == "math" {
		return mathCall(em, pos, fn, args)
	}
	text := ""
	switch name {
	case "fmt.Print", "fmt.Println":
		em.Print(em.SliceElems(args[0]), name == "fmt.Println")
		return []emit.Value{constant.MakeInt64(0), emit.None{}}
	case "fmt.Sprint":
		for _, a := range em.SliceElems(args[0]) {
			text += em.Display(a)
		}
	default:
		// The verbs decide how many arguments are read, while the kernel is compiled.
		format, ok := args[0].(constant.Value)
		em.Must(ok, pos, "the format of %s must be known when the function is compiled", name)
		text = em.Sprintf(constant.StringVal(format), em.SliceElems(args[1]))
	}
	if name == "fmt.Printf" {
		em.Write(text)
		return []emit.Value{constant.MakeInt64(0), emit.None{}}
	}
	return []emit.Value{constant.MakeString(text)}
}

// mathCall computes a function of package math. Package math promises results of float64 that
// devices do not have, so dynamic numbers are refused.
func mathCall(em *emit.Emitter, pos token.Pos, name string, args []emit.Value) []emit.Value {
	// Package math computes in float64, and so does the compiler.
	in := make([]float64, len(args))
	for i, a := range args {
		em.Must(emit.IsStatic(a), pos, "math.%s takes numbers that are known when the function is compiled: for dynamic ones use the functions of package cute", name)
		in[i] = goval.Float(a)
	}
	r, ok := goval.Math(name, in)
	em.Must(ok, pos, "math.%s cannot be compiled: package cute has the functions of the device", name)
	return []emit.Value{r}
}
