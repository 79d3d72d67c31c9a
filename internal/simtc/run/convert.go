package run

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile/internal/bind"
)

// convertAll makes what a function takes of untyped arguments.
func (f *Function) convertAll(args []any) ([]reflect.Value, error) {
	if err := f.find(); err != nil {
		return nil, err
	}
	args, err := f.gatherRest(args)
	if err != nil {
		return nil, err
	}
	b := &binder{fn: f}
	out := make([]reflect.Value, len(args))
	for i, x := range args {
		if out[i], err = b.take(i, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// gatherRest makes one slice of what a variadic function takes last, and checks the number.
func (f *Function) gatherRest(args []any) ([]any, error) {
	n := len(f.params)
	if f.value.Type().IsVariadic() && len(args) >= n-1 {
		rest := reflect.MakeSlice(f.params[n-1], 0, len(args)-n+1)
		b := &binder{fn: f, param: n - 1}
		for _, x := range args[n-1:] {
			v, problem := b.convert(f.params[n-1].Elem(), x)
			if problem != "" {
				return nil, b.expects(f.params[n-1].Elem(), problem)
			}
			rest = reflect.Append(rest, v)
		}
		args = append(args[:n-1:n-1], rest.Interface())
	}
	if len(args) == n {
		return args, nil
	}
	why := "its signature is " + f.signature()
	if len(args) < n {
		var missing []string
		for i := len(args); i < n; i++ {
			missing = append(missing, fmt.Sprintf("#%d (%s)", f.number(i), f.paramName(i)))
		}
		why = "missing " + strings.Join(missing, ", ")
	}
	return nil, f.mistake("%s: %s", bind.Count(n, "argument", nil, len(args)), why)
}

// take converts the argument for a parameter.
func (b *binder) take(i int, x any) (reflect.Value, error) {
	b.param = i
	v, problem := b.convert(b.fn.params[i], x)
	if problem != "" {
		return v, b.expects(b.fn.params[i], problem)
	}
	return v, nil
}

// expects is the error of an argument that does not fit its parameter.
func (b *binder) expects(t reflect.Type, got string) error {
	return b.fn.mistake("%s", bind.Expects(b.argument(), b.fn.wants(t), got))
}

// convert makes a value of a type of an argument that stands for one, or says what the argument is instead.
func (b *binder) convert(t reflect.Type, x any) (v reflect.Value, problem string) {
	if x == nil {
		switch t.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Slice:
			return reflect.Zero(t), ""
		}
		return v, "nil"
	}
	v = reflect.ValueOf(x)
	switch {
	case v.Type() == t || t.Kind() == reflect.Interface && v.Type().Implements(t):
		to := reflect.New(t).Elem()
		to.Set(v)
		return to, ""
	case b.fn.isConstexpr(t):
		inner, problem := b.convert(t.Field(0).Type, x)
		if problem != "" {
			return v, problem
		}
		to := reflect.New(t).Elem()
		to.Field(0).Set(inner)
		return to, ""
	}
	if w, ok := b.fn.values.Wrap(t, x); ok {
		return reflect.ValueOf(w), ""
	}
	if n, problem, ok := convertNumber(t, v); ok {
		return n, problem
	}
	if v.Type().AssignableTo(t) {
		return v.Convert(t), ""
	}
	if t.Kind() == reflect.Pointer && v.Type() == t.Elem() { // what an optional parameter points at
		p := reflect.New(t.Elem())
		p.Elem().Set(v)
		return p, ""
	}
	made, ok, err := bind.Adapt(x)
	switch {
	case err != nil:
		return v, err.Error()
	case ok:
		v, problem = b.convert(t, made)
		if problem != "" {
			problem += ", which the adapter made of " + bind.Described(x)
		}
		return v, problem
	}
	return v, bind.Describe(x)
}

func (f *Function) isConstexpr(t reflect.Type) bool {
	if t.PkgPath() != cutePath || t.Kind() != reflect.Struct {
		return false
	}
	_, ok := f.values.Look(reflect.Zero(t).Interface()).(Constexpr)
	return ok
}

// convertNumber converts a number as Go does with constants: an integer to any number and a float to any float, where
// they fit.
func convertNumber(t reflect.Type, v reflect.Value) (to reflect.Value, problem string, ok bool) {
	e := elemOf(t)
	if !e.IsInt() && !e.IsFloat() || !bind.Accepts(e, v.Type(), true) {
		return v, "", false
	}
	bits, problem := bind.Number(e, v)
	return number(t, bits), problem, true
}

// wants says what a parameter takes: "a tensor of float16".
func (f *Function) wants(t reflect.Type) string {
	if t.PkgPath() == cutePath && t.Kind() != reflect.Interface {
		switch x := f.values.Look(reflect.Zero(t).Interface()).(type) {
		case Tensor:
			return "a tensor of " + elemOf(x.Elem).String()
		case Stream:
			return "a stream"
		case Constexpr:
			return f.wants(t.Field(0).Type)
		}
		if e, ok := halves[t.Name()]; ok {
			return bind.A(e.String())
		}
	}
	if t.Kind() == reflect.Pointer {
		return f.wants(t.Elem()) + " or nil"
	}
	return bind.A(bind.TypeText(t))
}
