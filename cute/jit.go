package cute

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/simtc/run"
)

// JitOption is an option of [Jit] or [Compile]: [Options] or [Straight].
type JitOption interface{ apply(o *Options) }

// Straight forbids dynamic control flow: plain ranges are unrolled, and a dynamic condition is a mistake.
var Straight JitOption = straight{}

type straight struct{}

func (straight) apply(o *Options) { o.Straight = true }

// Jit returns a function of f's own type that compiles f, with all kernels it launches, at its first call, and runs it. Calls
// that differ in static values compile again; calls that differ in dynamic values do not.
//
// A parameter of type [context.Context] takes the context of the call: it applies to compiling, and to waiting if the call waits;
// queued work continues after it has ended. f may pass it to other host functions, and use it for nothing else.
//
// f is a declared function, a method expression such as T.run, whose receiver is static, or a literal that uses no
// variables of the function around it. Literals, and generic functions that generic code names, are identified by their lines:
// there can be only one of them on a line. The last result of f is an error, which reports failures to compile or queue the
// kernels; since they could not be reported otherwise, a function without an error result ends the program at its first call.
// Other results are numbers and bools. Kernels run in the order of their streams; their errors are returned by calls that wait,
// such as cutile.Stream.Sync. A program that returns from main without waiting stops running kernels and loses their output:
// call Sync or Close of the device first. A call without tensors and streams runs on a CPU device of the process and waits for
// it.
func Jit[F any](f F, opts ...JitOption) F {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Func {
		panic(fmt.Sprintf("cute.Jit: a host function must be a function, not a %T", f))
	}
	fn := run.NewFunction(v, gather(opts), values{})
	made := reflect.MakeFunc(v.Type(), func(args []reflect.Value) []reflect.Value {
		mustReturnError(v.Type(), fn)
		defer runtime.KeepAlive(args) // a stream that nobody can use is closed
		out, err := fn.Call(context.Background(), args)
		return results(v.Type(), out, fn.Explain(err))
	})
	jitted.Store(identity(made), wrapped{made, fn})
	return made.Interface().(F)
}

// jitted holds what Jit made, by identity.
var jitted sync.Map

// wrapped is a function that Jit made; the value keeps its identity from being used again.
type wrapped struct {
	made reflect.Value
	fn   *run.Function
}

// identity tells apart the values that reflect.MakeFunc makes, whose code is the same.
func identity(f reflect.Value) unsafe.Pointer {
	p := reflect.New(f.Type())
	p.Elem().Set(f)
	return *(*unsafe.Pointer)(p.UnsafePointer())
}

// gather makes one set of options.
func gather(opts []JitOption) run.Options {
	var o Options
	for _, opt := range opts {
		if opt != nil {
			opt.apply(&o)
		}
	}
	return run.Options(o)
}

func mustReturnError(t reflect.Type, fn *run.Function) {
	if n := t.NumOut(); n == 0 || t.Out(n-1) != reflect.TypeFor[error]() {
		panic(fmt.Sprintf("cute.Jit: %s must have error as its last result, so that a call can report what went wrong", fn.Name()))
	}
}

// results fills in the results of a call, with zero values for those that are missing.
func results(t reflect.Type, out []reflect.Value, err error) []reflect.Value {
	for i := len(out); i < t.NumOut()-1; i++ {
		out = append(out, reflect.Zero(t.Out(i)))
	}
	last := reflect.New(reflect.TypeFor[error]()).Elem()
	if err != nil {
		last.Set(reflect.ValueOf(err))
	}
	return append(out, last)
}
