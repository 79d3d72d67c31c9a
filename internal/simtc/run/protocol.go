package run

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// JitArgument is a type that says itself what it is as an argument of a host function: CuteArgs gives values, of the types
// that CuteTypes lists. Its method CuteFromValues(values []any) T, which is compiled, makes the argument of them.
type JitArgument interface {
	CuteTypes() []reflect.Type
	CuteArgs() []any
}

// protocol binds a value whose type has the methods of a protocol, or that an adapter knows.
func (b *binder) protocol(v reflect.Value, static bool) (eval.Arg, bool) {
	t := v.Type()
	if t.Kind() == reflect.Interface || t.PkgPath() == "" || t.PkgPath() == cutePath {
		return nil, false
	}
	if a, ok := v.Interface().(JitArgument); ok && !(t.Kind() == reflect.Pointer && v.IsNil()) {
		return b.rebuild(a, t, static), true
	}
	x, ok := b.adapted(v)
	switch {
	case ok:
		a, isArg := x.Interface().(JitArgument)
		if made, _ := rebuilt(x.Type()); !isArg || made != t {
			b.fail("%s: the adapter for %s gives %s, which is not a cute.JitArgument with a method CuteFromValues(values []any) %[2]s",
				b.argument(), bind.TypeText(t), bind.A(bind.TypeText(x.Type())))
		}
		return b.rebuild(a, t, static), true
	case forKernels(t):
		b.fail("%s: %s has CuteValues, which serves kernels: for a host function it needs CuteTypes and CuteArgs as well, see cute.JitArgument",
			b.argument(), bind.TypeText(t))
	}
	return nil, false
}

// rebuild binds the values that stand for an argument.
func (b *binder) rebuild(a JitArgument, want reflect.Type, static bool) eval.Arg {
	t := reflect.TypeOf(a)
	made, ok := rebuilt(t)
	if !ok || made != want {
		b.fail("%s: %s has no method CuteFromValues(values []any) %s", b.argument(), bind.TypeText(t), bind.TypeText(want))
	}
	kinds, values, err := ask(a)
	if err != nil {
		b.fail("%s: %v", b.argument(), err)
	}
	if len(kinds) != len(values) {
		b.fail("%s: CuteTypes of %s lists %d types, but CuteArgs gives %d values", b.argument(), bind.TypeText(t), len(kinds), len(values))
	}
	b.note('p', typeKey(t))
	b.types = append(b.types, t)
	arg := eval.RebuildArg{}
	for i, x := range values {
		v, problem := b.convert(kinds[i], x)
		if problem != "" {
			b.fail("%s: value %d of CuteArgs must be %s, but it is %s", b.argument(), i, b.fn.wants(kinds[i]), problem)
		}
		b.note('k', typeKey(kinds[i]))
		b.types = append(b.types, kinds[i])
		one := b.within(fmt.Sprintf("{%d}", i), addressable(v), static)
		arg.Args = append(arg.Args, eval.IfaceArg{Arg: one, Type: b.typeOf(kinds[i])})
	}
	arg.Type = b.typeOf(t)
	return arg
}

// ask calls the methods of an argument, which are the user's.
func ask(a JitArgument) (kinds []reflect.Type, values []any, err error) {
	defer bind.Guard(&err, "CuteTypes or CuteArgs of ", a)
	return a.CuteTypes(), a.CuteArgs(), nil
}

// rebuilt is the type that a type's CuteFromValues makes.
func rebuilt(t reflect.Type) (reflect.Type, bool) {
	m, ok := t.MethodByName("CuteFromValues")
	if !ok || m.Type.NumIn() != 2 || m.Type.In(1) != reflect.TypeFor[[]any]() || m.Type.NumOut() != 1 {
		return nil, false
	}
	return m.Type.Out(0), true
}

// forKernels reports whether a type has the half of the protocol that kernels use. The name is a constant, so that the linker
// need not keep every method of every type.
func forKernels(t reflect.Type) bool {
	_, ok := t.MethodByName("CuteValues")
	return ok
}

// unknown ends the binding at an argument whose type is not known.
func (b *binder) unknown(v reflect.Value) {
	why := "the compiler does not know this type"
	switch v.Kind() {
	case reflect.Map:
		why = "the elements of a map have no order"
	case reflect.Chan, reflect.UnsafePointer:
		why = "compiled code has no such values"
	}
	value := fmt.Sprintf("%v", v.Interface())
	const most = 60
	if len(value) > most {
		value = value[:most] + "..."
	}
	b.fail("cannot take %s, the value %s of type %s: %s; make it a cute.Constexpr, or give its type the methods of cute.JitArgument, "+
		"or register an adapter with cute.RegisterAdapter", b.argument(), value, bind.TypeText(v.Type()), why)
}

// adapted gives what adapters make of a value; ok is false if there is none for its type.
func (b *binder) adapted(v reflect.Value) (made reflect.Value, ok bool) {
	x, ok, err := bind.Adapt(v.Interface())
	if err != nil {
		b.failWith(err)
	}
	if !ok {
		return v, false
	}
	if x == nil {
		b.fail("%s: the adapter for %s gives nil", b.argument(), bind.TypeText(v.Type()))
	}
	return reflect.ValueOf(x), true
}
