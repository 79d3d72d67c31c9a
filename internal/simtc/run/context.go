package run

import (
	"context"
	"reflect"

	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// contextType is the type of a parameter that takes the context of a call. Nothing in the program depends on it.
var contextType = reflect.TypeFor[context.Context]()

// within is the context of a call: ctx, which also ends when the context among the arguments does.
func (f *Function) within(ctx context.Context, args []reflect.Value) (_ context.Context, done func()) {
	for i, t := range f.params {
		if t != contextType || args[i].IsNil() {
			continue
		}
		given := args[i].Interface().(context.Context)
		if ctx.Done() == nil {
			return given, func() {}
		}
		both, cancel := context.WithCancelCause(ctx)
		if given.Err() != nil { // AfterFunc would tell that later
			cancel(context.Cause(given))
		}
		stop := context.AfterFunc(given, func() { cancel(context.Cause(given)) })
		return both, func() { stop(); cancel(nil) }
	}
	return ctx, func() {}
}

// context binds the context of a call.
func (b *binder) context(v reflect.Value) eval.Arg {
	if v.IsNil() {
		b.fail("%s is nil: pass context.Background() where nothing ends the call", b.argument())
	}
	return eval.NilArg{}
}
