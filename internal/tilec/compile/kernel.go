package compile

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// Kernel is a Go function whose source was found and checked. Two values for one function are the same pointer.
type Kernel struct {
	id     uint64
	name   string
	ref    capture.Ref
	inst   instance
	pos    token.Position
	params []Param
	bound  sync.Map // of *describe.World to *world.Function
}

var kernels struct {
	sync.Map // of kernelKey to *kernelEntry
	ids      atomic.Uint64
}

type kernelKey struct {
	pc  uintptr
	typ reflect.Type
}

type kernelEntry struct {
	once  sync.Once
	k     *Kernel
	err   error
	unfit error // why a launch cannot take the function as a kernel
}

// Resolve finds the source of a kernel, its type arguments and its parameters. Its errors are *diag.Error or diag.List.
// It is cheap for a function that was resolved before.
func Resolve(fn any) (*Kernel, error) {
	e, err := find(fn)
	if err == nil {
		err = e.unfit
	}
	if err != nil {
		return nil, err
	}
	return e.k, nil
}

// ResolveFunc is Resolve for a function that is an argument of a kernel, whose parameters may be anything.
func ResolveFunc(fn any) (*Kernel, error) {
	e, err := find(fn)
	if err != nil {
		return nil, err
	}
	return e.k, nil
}

func find(fn any) (*kernelEntry, error) {
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func {
		return nil, &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf("a kernel must be a function, not a %T", fn)}
	}
	if v.IsNil() {
		return nil, &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf("the kernel is a nil %T", fn)}
	}
	key := kernelKey{v.Pointer(), v.Type()}
	e, ok := kernels.Load(key)
	if !ok {
		e, _ = kernels.LoadOrStore(key, &kernelEntry{})
	}
	ke := e.(*kernelEntry)
	ke.once.Do(func() { ke.k, ke.unfit, ke.err = resolve(v) })
	return ke, ke.err
}

func resolve(v reflect.Value) (k *Kernel, unfit, err error) {
	ref, err := capture.What{Noun: "a kernel"}.Find(v)
	if err != nil {
		return nil, nil, err
	}
	return newKernel(ref, reflected{v.Type()})
}

// newKernel makes a kernel of a function and its type arguments.
func newKernel(ref capture.Ref, inst instance) (k *Kernel, unfit, err error) {
	k = &Kernel{id: kernels.ids.Add(1), ref: ref, inst: inst, name: ref.Root.Path + "." + ref.Root.Name}
	if ref.Lit != nil {
		k.name += ".func"
	}
	w, err := describe.Load(k.roots())
	if err != nil {
		return nil, nil, err
	}
	w.Lock()
	defer w.Unlock()
	f, err := k.bind(w)
	if err != nil {
		return nil, nil, err
	}
	k.name = f.Name
	k.pos = source.Fset.Position(k.ref.Node().Pos())
	return k, k.describe(w, f), nil
}

// roots are what a world must hold for the kernel.
func (k *Kernel) roots() []world.Symbol {
	return append(k.inst.roots(), k.ref.Root)
}

// bind finds the kernel in a world and its type arguments.
func (k *Kernel) bind(w *describe.World) (*world.Function, error) {
	if f, ok := k.bound.Load(w); ok {
		return f.(*world.Function), nil
	}
	f, err := k.bindIn(w)
	if err == nil {
		k.bound.Store(w, f)
	}
	return f, err
}

func (k *Kernel) bindIn(w *describe.World) (*world.Function, error) {
	if k.ofCute() {
		return nil, k.ref.Fault("%s is a function of package cute, not a kernel of package tile: cute.Jit makes a host function that runs, with the kernels "+
			"it launches, and cute.Compile(…).Module() shows the compiled kernels", k.ref.Root.Name)
	}
	f, err := k.ref.Bind(w.World)
	if err != nil {
		return nil, err
	}
	if err := k.inst.bind(w, f); err != nil {
		return nil, k.ref.Fault("%s: %v", k.ref.Root.Name, err)
	}
	f.Name, err = k.instanceName(w, f)
	return f, err
}

// ofCute reports whether a parameter or result is of package cute: the function is for the SIMT level.
func (k *Kernel) ofCute() (found bool) {
	byName, _ := source.Imports(k.ref.Decl.File)
	t := &ast.FuncType{Params: &ast.FieldList{}}
	switch {
	case k.ref.Lit != nil:
		t = k.ref.Lit.Type
	case k.ref.Decl.Func() != nil:
		t = k.ref.Decl.Func().Type
	}
	ast.Inspect(t, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			q, ok := sel.X.(*ast.Ident)
			found = found || ok && source.Target(byName[q.Name]) == cutePath
		}
		return !found
	})
	return found
}

const cutePath = "github.com/cutile-go/cutile/cute"

// instanceName is the function's name with its type arguments; each of those must be known from the parameters.
func (k *Kernel) instanceName(w *describe.World, f *world.Function) (string, error) {
	name := f.Pkg.Types.Name() + "." + k.ref.Root.Name
	if k.ref.Lit != nil {
		return fmt.Sprintf("%s.func%d", name, source.Fset.Position(k.ref.Lit.Pos()).Line), nil
	}
	tps := f.Sig.TypeParams()
	if tps.Len() == 0 {
		return name, nil
	}
	advice := func(tp *types.TypeParam) string {
		if tp.Constraint().String() == describe.TilePath+".Dim" {
			return fmt.Sprintf("add a parameter of type tile.Size[%s]", tp)
		}
		return "add a parameter whose type mentions it"
	}
	if err := capture.Unbound(f, "a launch", advice); err != nil {
		return "", err
	}
	var args []string
	for tp := range tps.TypeParams() {
		args = append(args, types.TypeString(f.Env.Get(tp), func(*types.Package) string { return "" }))
	}
	return name + "[" + strings.Join(args, ", ") + "]", nil
}

// Name is the kernel's name with its type arguments, such as main.add[D1024].
func (k *Kernel) Name() string { return k.name }

// Pos is where the function is declared.
func (k *Kernel) Pos() token.Position { return k.pos }

// Params describes the parameters, in order.
func (k *Kernel) Params() []Param { return k.params }
