package eval

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// isKernel reports whether a function is a kernel: its result is cute.Kernel.
func (ev *evaluator) isKernel(fv *funcVal) bool {
	// The type of the result alone decides, whatever the function is called.
	r := fv.typ.Results
	if r == nil || len(r.List) != 1 {
		return false
	}
	return emit.CuteType(fv.pkg.Info.Types[r.List[0].Type].Type, "Kernel") != nil
}

// bind evaluates a call of a kernel. It keeps the arguments for the launch, which evaluates the
// body.
func (ev *evaluator) bind(pos token.Pos, fv *funcVal, args []emit.Value) emit.Value {
	ev.Must(ev.B.Host, pos, "kernel %s is called in a kernel: only a host function can launch kernels", fv.name)
	ev.extract(pos, fv, args)
	k := &emit.Bound{Name: fv.name, Params: fv.names(), Args: args}
	if fv.recv != nil {
		k.Args = append([]emit.Value{fv.self}, args...)
	}
	k.Body = func(pos token.Pos, args []emit.Value) {
		// A launch may come later than the call, and more than once.
		in := *fv
		if fv.recv != nil {
			in.self, args = args[0], args[1:]
		}
		// The kernel has the values that stand for an argument as parameters, and makes the
		// argument of them.
		for i, v := range args {
			args[i] = ev.restore(v)
		}
		ev.inline(pos, &in, args)
	}
	return k
}
