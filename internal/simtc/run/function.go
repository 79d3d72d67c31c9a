package run

import (
	"fmt"
	"go/ast"
	"reflect"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/source"
)

// Function is a host function that is compiled at its calls.
type Function struct {
	value   reflect.Value
	options Options
	values  Values
	params  []reflect.Type

	once  sync.Once
	ref   capture.Ref
	names []string // of the parameters
	name  string
	err   error

	codes  sync.Map // of a key to *code
	making *cache.Cache[string, *code]
}

// NewFunction is the function behind a value, whose arguments values describes. Nothing is read before its first call.
func NewFunction(fn reflect.Value, o Options, values Values) *Function {
	f := &Function{value: fn, options: o, values: values, making: cache.New[string, *code](func(error) bool { return false })}
	for i := range fn.Type().NumIn() {
		f.params = append(f.params, fn.Type().In(i))
	}
	return f
}

var hostFunction = capture.What{Noun: "a host function", Methods: true}

// find finds the source, once.
func (f *Function) find() error {
	f.once.Do(func() {
		f.name = fmt.Sprint(f.value.Type())
		if f.value.IsNil() {
			f.err = capture.Errorf("the host function is a nil %s", bind.TypeText(f.value.Type()))
			return
		}
		if f.ref, f.err = hostFunction.Find(f.value); f.err != nil {
			return
		}
		base := source.BaseName(f.ref.Root.Path)
		var typ *ast.FuncType
		switch lit := f.ref.Lit; {
		case lit != nil:
			typ = lit.Type
			f.name = fmt.Sprintf("%s.func%d", base, source.Fset.Position(lit.Pos()).Line)
		default:
			d := f.ref.Decl.Func()
			typ = d.Type
			f.name = base + "." + f.ref.Root.Name
			if d.Recv != nil {
				f.names = fieldNames(d.Recv, "receiver")
			}
		}
		f.names = append(f.names, fieldNames(typ.Params, "_")...)
	})
	return f.err
}

// fieldNames are the names of parameters; those that have none get one.
func fieldNames(list *ast.FieldList, unnamed string) (out []string) {
	for _, f := range list.List {
		for _, id := range f.Names {
			out = append(out, id.Name)
		}
		if len(f.Names) == 0 {
			out = append(out, unnamed)
		}
	}
	return out
}

// Name is the function's name, "main.run" or "main.T.run".
func (f *Function) Name() string {
	f.find()
	return f.name
}

// method reports whether the first parameter is a receiver.
func (f *Function) method() bool { return f.ref.Recv != "" }

// static reports whether a parameter is static by its place: a receiver is.
func (f *Function) static(i int) bool { return i == 0 && f.method() }

// number counts parameters as messages do: from 1, receivers aside, which are 0.
func (f *Function) number(i int) int {
	if f.method() {
		return i
	}
	return i + 1
}

func (f *Function) paramName(i int) string {
	if i < len(f.names) {
		return f.names[i]
	}
	return fmt.Sprintf("arg%d", i)
}

// signature is the function's name with the names and types of its parameters.
func (f *Function) signature() string {
	parts := make([]string, len(f.params))
	for i, t := range f.params {
		parts[i] = f.paramName(i) + " " + bind.TypeText(t)
	}
	return f.Name() + "(" + strings.Join(parts, ", ") + ")"
}
