package eval_test

import (
	"embed"
	"io/fs"
	"reflect"
	"testing"

	"github.com/cutile-go/cutile/internal/capture"
	"github.com/cutile-go/cutile/internal/check"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt/eval"
)

//go:embed kernels_test.go
var files embed.FS

const ownPath = "github.com/cutile-go/cutile/internal/simt/eval_test"

func init() {
	langsrc.Register(&langsrc.Source{Path: ownPath, Dir: "", FS: []fs.FS{files}})
}

func evaluate(t *testing.T, fn any, args func(w *check.World) []eval.Arg) *eval.Output {
	t.Helper()
	out, err := tryEvaluate(fn, args)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func function(w *check.World, fn any) (*check.Function, error) {
	v := reflect.ValueOf(fn)
	ref, err := capture.What{Noun: "a host function", Methods: true}.Find(v)
	if err != nil {
		return nil, err
	}
	f, err := ref.Bind(w)
	if err != nil {
		return nil, err
	}
	actual, err := w.FromReflect(v.Type())
	if err != nil {
		return nil, err
	}
	return f, w.Unify(f.Sig, actual, f.Env)
}

func tryEvaluate(fn any, args func(w *check.World) []eval.Arg) (*eval.Output, error) {
	var roots []check.Root
	roots = append(roots, check.TypeNames(reflect.TypeOf(fn))...)
	ref, err := capture.What{Noun: "a host function", Methods: true}.Find(reflect.ValueOf(fn))
	if err != nil {
		return nil, err
	}
	roots = append(roots, ref.Root, check.Root{Path: ownPath, Name: "relu"})
	w, err := check.Cute.Load(roots)
	if err != nil {
		return nil, err
	}
	w.Lock()
	defer w.Unlock()
	f, err := function(w, fn)
	if err != nil {
		return nil, err
	}
	return eval.Host(&eval.Input{World: w, Host: f, Name: "test", Symbol: "cute_test", Args: args(w)})
}

func dynLayout(text string) layout.Layout {
	l, err := layout.ParseLayout(text)
	if err != nil {
		panic(err)
	}
	return l
}

func TestScale(t *testing.T) {
	out := evaluate(t, scale, func(*check.World) []eval.Arg {
		return []eval.Arg{eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}, eval.Dyn{}}
	})
	t.Log(out.Module)
}

func TestAdd(t *testing.T) {
	out := evaluate(t, add, func(w *check.World) []eval.Arg {
		f, err := function(w, relu)
		if err != nil {
			t.Fatal(err)
		}
		m := eval.TensorArg{Layout: dynLayout("(?,?):(?,1)"), Align: 16}
		return []eval.Arg{m, m, m, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: f}}}}
	})
	t.Log(out.Module)
}
