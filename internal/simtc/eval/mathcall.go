package eval

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/goval"
)

// mathCall computes a function of package math.
func (ev *evaluator) mathCall(pos token.Pos, name string, args []value) []value {
	in := make([]float64, len(args))
	for i, a := range args {
		ev.Must(isStatic(a), pos, "math.%s takes numbers that are known when the function is compiled: for dynamic ones use the functions of package cute", name)
		in[i] = goval.Float(a)
	}
	r, ok := goval.Math(name, in)
	ev.Must(ok, pos, "math.%s cannot be compiled: package cute has the functions of the device", name)
	return []value{r}
}
