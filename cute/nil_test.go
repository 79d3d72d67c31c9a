package cute_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestNilIsAnError calls every function and method of the package, with nil and zero for all arguments, and with numbers
// that make no sense. What can give an error gives one. What cannot may panic, with words of this package: a kernel's words
// on the host do.
func TestNilIsAnError(t *testing.T) {
	fills := map[string]filling{"zero": {0, ""}, "minus one": {-1, "?"}, "seven": {7, "%s"}, "most": {math.MaxInt, "a=b"}, "least": {math.MinInt, "-"}}
	for name, f := range everyFunction {
		for how, fill := range fills {
			t.Run(name+"/"+how, func(t *testing.T) { fill.call(t, reflect.ValueOf(f), name) })
		}
	}
	for _, x := range everyType {
		v := reflect.ValueOf(x)
		for i := range v.NumMethod() {
			for how, fill := range fills {
				name := v.Type().String() + "." + v.Type().Method(i).Name
				t.Run(name+"/"+how, func(t *testing.T) { fill.call(t, v.Method(i), name) })
			}
		}
	}
	for _, missing := range uncalled(t) {
		t.Errorf("%s is not called with nil: add it to everyFunction or everyType", missing)
	}
}

// noErrors are what gives no error though it could, with the reason.
var noErrors = map[string]string{
	"ParseOptions": "no text is no choice", "ParsePipeline": "no text is the usual pipeline",
	"cute.IntTuple.Err": "nothing went wrong", "cute.Layout.Err": "nothing went wrong", "cute.Tensor[float32].Err": "nothing went wrong",
}

// filling is what arguments are: numbers and texts.
type filling struct {
	number int
	text   string
}

// of makes a value of a type, all of whose numbers and texts are the filling's; what may be nil is nil.
func (c filling) of(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case v.CanInt():
		v.SetInt(int64(c.number))
	case v.CanUint():
		v.SetUint(uint64(c.number))
	case v.CanFloat():
		v.SetFloat(float64(c.number))
	case t.Kind() == reflect.String:
		v.SetString(c.text)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				v.Field(i).Set(c.of(t.Field(i).Type))
			}
		}
	}
	return v
}

// call calls a function. What is variadic gets nothing, and one value.
func (c filling) call(t *testing.T, f reflect.Value, name string) {
	for extra := range 2 {
		func() {
			defer func() {
				if r := recover(); r != nil && !divides[name] {
					checkWords(t, r)
				}
			}()
			typ := f.Type()
			var args []reflect.Value
			for i := range typ.NumIn() {
				switch variadic := typ.IsVariadic() && i == typ.NumIn()-1; {
				case !variadic:
					args = append(args, c.of(typ.In(i)))
				case extra == 1:
					args = append(args, c.of(typ.In(i).Elem()))
				}
			}
			checkResults(t, f.Call(args), name)
		}()
		if !f.Type().IsVariadic() {
			return
		}
	}
}

// divides are functions that document that they divide by an argument, which panics as Go does where that is 0.
var divides = map[string]bool{"CeilDiv": true, "GroupedTile": true}

// checkWords looks whether a panic says what to do. Those of Go and of package reflect do not.
func checkWords(t *testing.T, r any) {
	t.Helper()
	if text, ok := r.(string); !ok || strings.HasPrefix(text, "reflect") || strings.Contains(text, "BUG") {
		t.Errorf("it panics without words: %v", r)
	}
}

func checkResults(t *testing.T, out []reflect.Value, name string) {
	t.Helper()
	for _, v := range out {
		switch x := v.Interface().(type) {
		case func(yield func(int) bool):
			x(func(int) bool { return false })
		case interface{ String() string }:
			if v.Kind() != reflect.Pointer || !v.IsNil() {
				_ = x.String()
			}
		}
	}
	if n := len(out); n > 0 && out[n-1].Type() == reflect.TypeFor[error]() && out[n-1].IsNil() && noErrors[name] == "" {
		t.Error("it gives no error")
	}
}

// uncalled lists the functions and methods that the test leaves out.
func uncalled(t *testing.T) (missing []string) {
	called := map[string]bool{}
	for name := range everyFunction {
		called[name] = true
	}
	for _, x := range everyType {
		typ := reflect.TypeOf(x)
		base := typ
		if typ.Kind() == reflect.Pointer {
			base = typ.Elem()
		}
		name, _, _ := strings.Cut(base.Name(), "[")
		for i := range typ.NumMethod() {
			called[name+"."+typ.Method(i).Name] = true
		}
	}
	packages, err := parser.ParseDir(token.NewFileSet(), ".", func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range packages["cute"].Files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && !called[nameOf(f)] && ast.IsExported(nameOf(f)) {
				missing = append(missing, nameOf(f))
			}
		}
	}
	slices.Sort(missing)
	return missing
}

// nameOf is "Func" or "Type.Method".
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	typ := f.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}

// TestNilArguments: a compiled function that is given nothing, or things that were not made, says so.
func TestNilArguments(t *testing.T) {
	dev, _ := open(t)
	x := vector(t, dev, 4)
	call := cute.Jit(generic[float32])
	e := must(cute.Compile(t.Context(), call, x, 2))(t)
	calls := map[string]func() error{
		"JitNil":       func() error { return cute.Jit((func() error)(nil))() },
		"Jit":          func() error { return call(cute.Tensor[float32]{}, 1) },
		"JitOf":        func() error { return call(cute.Of[float32]((*cutile.Tensor[float32])(nil)), 1) },
		"OfZero":       func() error { return cute.Of[float32](&cutile.Tensor[float32]{}).Err() },
		"OfNil":        func() error { return cute.Of[float32]((*cutile.Tensor[float32])(nil)).Err() },
		"OfNilMark":    func() error { return cute.Of[float32](x, nil).Err() },
		"Call":         func() error { _, err := cute.Call(t.Context(), call, nil, nil); return err },
		"CallNil":      func() error { _, err := cute.Call(t.Context(), call, (*cutile.Tensor[float32])(nil), 1); return err },
		"CallFew":      func() error { _, err := cute.Call(t.Context(), call); return err },
		"CallNilFunc":  func() error { _, err := cute.Call(t.Context(), (func() error)(nil)); return err },
		"CallOption":   func() error { _, err := cute.Call(t.Context(), call, x, 1, (cute.JitOption)(nil)); return err },
		"Compile":      func() error { _, err := cute.Compile(t.Context(), call, nil, nil); return err },
		"Run":          func() error { _, err := e.Run(t.Context()); return err },
		"RunNil":       func() error { _, err := e.Run(t.Context(), nil, nil); return err },
		"RunZero":      func() error { _, err := e.Run(t.Context(), cute.Tensor[float32]{}, 1); return err },
		"WritePTX":     func() error { return e.Module().WritePTX(nil, "sm_90") },
		"WritePTXArch": func() error { _, err := e.Module().PTX("none"); return err },
		"Cubin":        func() error { _, err := e.Module().Cubin(t.Context(), "none"); return err },
		"TensorMap": func() error {
			m := cute.TensorMapOf(cute.Tensor[float32]{}, 0, 4)
			return cute.Jit(shiftRows)(m, m, 4, 4)
		},
		"StreamZero": func() error {
			return cute.Jit(chained)(cute.Of[float32](x), cute.Of[float32](x), cute.StreamOf(&cutile.Stream{}), cute.StreamOf(nil))
		},
		"TensorMapZero": func() error { return cute.Jit(shiftRows)(cute.TensorMap{}, cute.TensorMap{}, 4, 4) },
	}
	for name, f := range calls {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("it panics: %v", r)
				}
			}()
			if err := f(); err == nil {
				t.Error("it gives no error")
			} else {
				t.Log(err)
			}
		})
	}
}
