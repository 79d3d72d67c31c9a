package cutile_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// callAll calls every method of a value with nil for each argument, and wants an error from those that can give one.
func callAll(t *testing.T, name string, v reflect.Value, fine ...string) {
	t.Helper()
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		t.Run(name+"."+m.Name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("it panics: %v", r)
				}
			}()
			var args []reflect.Value
			for j := range v.Method(i).Type().NumIn() {
				if v.Method(i).Type().IsVariadic() && j == v.Method(i).Type().NumIn()-1 {
					break
				}
				args = append(args, reflect.Zero(v.Method(i).Type().In(j)))
			}
			out := v.Method(i).Call(args)
			if len(out) == 0 || out[len(out)-1].Type() != reflect.TypeFor[error]() {
				return
			}
			for _, f := range fine {
				if f == m.Name {
					return
				}
			}
			if out[len(out)-1].IsNil() {
				t.Error("it gives no error")
			}
		})
	}
}

// TestNilIsAnError: a nil device, stream, tensor, event, kernel or context is an error, not a panic, for every method and
// function of the package.
func TestNilIsAnError(t *testing.T) {
	for _, p := range []any{(*cutile.Device)(nil), (*cutile.Stream)(nil), (*cutile.Event)(nil), (*cutile.Prepared)(nil), (*cutile.Kernel)(nil),
		(*cutile.LaunchGraph)(nil), &cutile.LaunchGraph{}, (*cutile.Pinned[float32])(nil), &cutile.Pinned[float32]{},
		(*cutile.Tensor[float32])(nil), &cutile.Device{}, &cutile.Stream{}, &cutile.Event{}, &cutile.Prepared{}} {
		callAll(t, reflect.TypeOf(p).String(), reflect.ValueOf(p))
	}
	dev := open(t)
	stream, _ := dev.NewStream()
	event, _ := stream.Record()
	x := ramp(t, dev, 16)
	prepared, err := cutile.Prepare(t.Context(), dev, add[tile.D16], x, x, ramp(t, dev, 16))
	if err != nil {
		t.Fatal(err)
	}
	callAll(t, "work", reflect.ValueOf(cutile.Work{}))
	callAll(t, "work to run", reflect.ValueOf(cutile.Work{Run: func() error { return nil }}))
	callAll(t, "event", reflect.ValueOf(event), "Close")
	callAll(t, "prepared", reflect.ValueOf(prepared), "Key", "Occupancy")
	graph, err := stream.Capture(func() error { return nil })
	must(t, err)
	callAll(t, "graph", reflect.ValueOf(graph), "Close")
	callAll(t, "pinned", reflect.ValueOf(pinned(t, dev, 16)), "Close")
	callAll(t, "stream", reflect.ValueOf(stream), "Record", "Close")
	callAll(t, "tensor", reflect.ValueOf(x), "Slice", "Err", "Contiguous", "Close")
	y, other := ramp(t, dev, 16), open(t)
	var none context.Context // to go vet, a nil context is a mistake
	functions := map[string]func() error{
		"Launch":      func() error { return cutile.Launch(none, dev, add[tile.D16], y, y, y) },
		"NewPinned":   func() error { _, err := cutile.NewPinned[float32](nil, 1); return err },
		"FromForeign": func() error { _, err := cutile.FromForeign(nil, cutile.Foreign{}); return err },
		"Share":       func() error { _, err := cutile.Share(t.Context(), nil); return err },
		"ShareNil":    func() error { _, err := cutile.Share(none, y); return err },
		"LaunchNil":   func() error { return cutile.Launch(t.Context(), (*cutile.Stream)(nil), add[tile.D16], y, y, y) },
		"LaunchGrid":  func() error { return cutile.Launch(t.Context(), (*cutile.Device)(nil).Grid(1), add[tile.D16], y, y, y) },
		"LaunchNone":  func() error { return cutile.Launch(t.Context(), nil, nil) },
		"LaunchArg": func() error {
			return cutile.Launch(t.Context(), dev, add[tile.D16], nil, (*cutile.Tensor[float32])(nil), y)
		},
		"Launch1": func() error { return cutile.Launch1(none, dev, nested, y) },
		"Launch3": func() error {
			return cutile.Launch3[tile.In[tile.F32T1[tile.D16]], tile.F32T1[tile.D16], float32](t.Context(), dev, add[tile.D16], nil, nil, nil)
		},
		"Prepare":    func() error { _, err := cutile.Prepare(none, dev, add[tile.D16], y, y, y); return err },
		"PrepareNil": func() error { _, err := cutile.Prepare(t.Context(), nil, nil); return err },
		"Export":     func() error { return cutile.Export(none, t.TempDir(), nil, add[tile.D16], y, y, y) },
		"ExportNil":  func() error { return cutile.Export(t.Context(), t.TempDir(), nil, nil) },
		"Tune":       func() error { _, err := cutile.Tune(t.Context(), cutile.Search[int]{}); return err },
		"TuneNil": func() error {
			launch := func(int) cutile.Work { return cutile.Work{} }
			_, err := cutile.Tune(t.Context(), cutile.Search[int]{Space: []int{1}, Launch: launch, Outputs: []cutile.Output{y}, Records: &cutile.Records{}})
			return err
		},
		"Recall":      func() error { _, err := cutile.Recall(none, cutile.Search[int]{}); return err },
		"ReadRecords": func() error { _, err := cutile.ReadRecords(nil, "x"); return err },
		"OpenRecords": func() error { _, err := cutile.OpenRecords(""); return err },
		"NewTensor":   func() error { _, err := cutile.NewTensor[float32](nil, 1); return err },
		"FromSlice":   func() error { _, err := cutile.FromSlice(nil, []float32{1}); return err },
		"ReadTensor":  func() error { _, err := cutile.ReadTensor[float32](dev, nil); return err },
		"ReadNil":     func() error { _, err := cutile.ReadTensor[float32](nil, strings.NewReader("")); return err },
		"Full":        func() error { _, err := cutile.Full[float32](nil, 1); return err },
		"Arange":      func() error { _, err := cutile.Arange[float32](nil, 0, 1, 1); return err },
		"Linspace":    func() error { _, err := cutile.Linspace[float32](nil, 0, 1, 1); return err },
		"Eye":         func() error { _, err := cutile.Eye[float32](nil, 1); return err },
		"Uniform":     func() error { _, err := cutile.Uniform[float32](nil, 0, 0, 1); return err },
		"Normal":      func() error { _, err := cutile.Normal[float32](nil, 0, 0, 1); return err },
		"Wrap":        func() error { _, err := cutile.Wrap(nil, []float32{1}); return err },
		"Open":        func() error { _, err := cutile.Open("cpu", nil); return err },
		"Sized":       func() error { return cutile.Launch(t.Context(), dev, cutile.Sized(nil, 1), y) },
		"SpecOf":      func() error { return cutile.Launch(t.Context(), dev, add[tile.D16], y, y, cutile.SpecOf[float32]()) },
		"Register":    func() error { return cutile.RegisterAdapter[struct{ x int }](nil) },
		"Copy":        func() error { return ramp(t, other, 16).Copy(none, y) },
		"CopyNil":     func() error { return ramp(t, other, 16).Copy(t.Context(), nil) },
		"WaitNil":     func() error { return dev.Stream().Wait(nil) },
	}
	for name, call := range functions {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("it panics: %v", r)
				}
			}()
			if err := call(); err == nil {
				t.Error("it gives no error")
			}
		})
	}
	// Functions that take nothing that may be nil, or whose misuse is told at a later call.
	for _, name := range []string{"Devices", "CompileStats", "Module", "Alias", "WithOutput", "WithWorkers", "WithChecks", "WithFastBF16", "WithFlushToZero", "WithCubins", "WithAssembler", "WithLimits", "WithLogger", "WithTrace", "WithShadow", "RegisterAdapter"} {
		functions[name] = nil
	}
	for _, name := range exportedFunctions(t, ".") {
		if _, ok := functions[name]; !ok && !strings.HasPrefix(name, "Launch") {
			t.Errorf("function %s is not tried with nil: add it above", name)
		}
	}
}

// exportedFunctions lists the functions of a package, methods aside.
func exportedFunctions(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), dir+"/"+e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.IsExported() {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}
