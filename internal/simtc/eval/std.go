package eval

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
)

// stdCall is a function of the standard library: of math on static numbers, or of fmt, which prints now.
func stdCall(em *emitter, pos token.Pos, name string, args []value) []value {
	if pkg, fn, _ := strings.Cut(name, "."); pkg == "math" {
		return mathCall(em, pos, fn, args)
	}
	text := ""
	switch name {
	case "fmt.Print", "fmt.Println":
		em.print(em.sliceElems(args[0]), name == "fmt.Println")
		return []value{constant.MakeInt64(0), none{}}
	case "fmt.Sprint":
		for _, a := range em.sliceElems(args[0]) {
			text += em.display(a)
		}
	default:
		format, ok := args[0].(constant.Value)
		em.Must(ok, pos, "the format of %s must be known when the function is compiled", name)
		text = em.sprintf(constant.StringVal(format), em.sliceElems(args[1]))
	}
	if name == "fmt.Printf" {
		em.write(text)
		return []value{constant.MakeInt64(0), none{}}
	}
	return []value{constant.MakeString(text)}
}

// mathCall computes a function of package math.
func mathCall(em *emitter, pos token.Pos, name string, args []value) []value {
	in := make([]float64, len(args))
	for i, a := range args {
		em.Must(isStatic(a), pos, "math.%s takes numbers that are known when the function is compiled: for dynamic ones use the functions of package cute", name)
		in[i] = goval.Float(a)
	}
	r, ok := goval.Math(name, in)
	em.Must(ok, pos, "math.%s cannot be compiled: package cute has the functions of the device", name)
	return []value{r}
}
