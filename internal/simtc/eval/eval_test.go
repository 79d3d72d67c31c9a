package eval_test

import (
	"embed"
	"io/fs"
	"reflect"
	"testing"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

//go:embed go_typed_kernels_test.go go_values_kernels_test.go go_language_kernels_test.go words_kernels_test.go words_mma_kernels_test.go words_bulk_kernels_test.go words_tensormem_kernels_test.go kernels_test.go go_kernels_test.go sgemm_kernels_test.go wrong_kernels_test.go host_kernels_test.go
var files embed.FS

const ownPath = "github.com/cutile-go/cutile/internal/simtc/eval_test"

func init() {
	langsrc.Register(&langsrc.Source{Path: ownPath, Dir: "", FS: []fs.FS{files}})
}

func evaluate(t *testing.T, fn any, args func(w *world.World) []eval.Arg) *eval.Output {
	t.Helper()
	out, err := tryEvaluate(fn, args)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func function(w *world.World, fn any) (*world.Function, error) {
	v := reflect.ValueOf(fn)
	ref, err := capture.What{Noun: "a host function", Methods: true}.Find(v)
	if err != nil {
		return nil, err
	}
	f, err := ref.Bind(w)
	if err != nil {
		return nil, err
	}
	return f, ref.Unify(w, f, v.Type())
}

func tryEvaluate(fn any, args func(w *world.World) []eval.Arg) (*eval.Output, error) {
	return tryWith(fn, nil, func(w *world.World, _ []*world.Function) []eval.Arg { return args(w) })
}

func evaluateWith(t *testing.T, fn any, fns []any, args func(w *world.World, fns []*world.Function) []eval.Arg) *eval.Output {
	t.Helper()
	out, err := tryWith(fn, fns, args)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tryWith evaluates a host function whose arguments mention other functions.
func tryWith(fn any, fns []any, args func(w *world.World, fns []*world.Function) []eval.Arg) (*eval.Output, error) {
	var roots []world.Symbol
	for _, f := range append([]any{fn}, fns...) {
		ref, err := capture.What{Noun: "a host function", Methods: true}.Find(reflect.ValueOf(f))
		if err != nil {
			return nil, err
		}
		roots = append(roots, ref.Root)
		roots = append(roots, eval.Language.TypeNames(reflect.TypeOf(f))...)
	}
	w, err := eval.Language.Load(roots)
	if err != nil {
		return nil, err
	}
	w.Lock()
	defer w.Unlock()
	f, err := function(w, fn)
	if err != nil {
		return nil, err
	}
	var bound []*world.Function
	for _, x := range fns {
		b, err := function(w, x)
		if err != nil {
			return nil, err
		}
		bound = append(bound, b)
	}
	return eval.Host(&eval.Input{World: w, Host: f, Name: "test", Symbol: "cute_test", Args: args(w, bound)})
}

func dynLayout(text string) layout.Layout {
	l, err := layout.ParseLayout(text)
	if err != nil {
		panic(err)
	}
	return l
}

func TestScale(t *testing.T) {
	out := evaluate(t, scale, func(*world.World) []eval.Arg {
		return []eval.Arg{eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}, eval.Dyn{}}
	})
	t.Log(out.Module)
}

func TestAdd(t *testing.T) {
	out := evaluateWith(t, add, []any{relu}, func(_ *world.World, fns []*world.Function) []eval.Arg {
		m := eval.TensorArg{Layout: dynLayout("(?,?):(?,1)"), Align: 16}
		return []eval.Arg{m, m, m, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: fns[0]}}}}
	})
	t.Log(out.Module)
}
