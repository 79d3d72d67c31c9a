package compile

import (
	"fmt"
	"go/parser"
	"go/types"
	"reflect"
	"sync"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
)

// inferred is the types that a function needs to be the value of a kernel's parameter.
type inferred struct {
	kernel *Kernel
	param  int
}

func (i inferred) roots() []world.Symbol { return i.kernel.roots() }

func (i inferred) bind(w *describe.World, f *world.Function) error {
	k, err := i.kernel.bind(w)
	if err != nil {
		return err
	}
	p := &i.kernel.params[i.param]
	if err := w.Unify(f.Sig, p.typeOf(w, k), f.Env); err != nil {
		return fmt.Errorf("it cannot be the parameter %s: %v", p.Name, err)
	}
	tps := f.Sig.TypeParams()
	if tps.Len() == 0 {
		return nil
	}
	var args []types.Type
	for j := range tps.Len() {
		if t := f.Env.Get(tps.At(j)); t != nil {
			args = append(args, t)
		}
	}
	if len(args) < tps.Len() {
		return nil // instanceName says which one is unknown
	}
	_, err = types.Instantiate(nil, f.Sig, args, true)
	return err
}

// NamedFunc is [ResolveFunc] by name: the function that is to be the value of the kernel's parameter with this index.
// The name is one of the file that declares the kernel, and the parameter gives the type arguments.
func (k *Kernel) NamedFunc(param int, name string) (*Kernel, error) {
	if param < 0 || param >= len(k.params) || k.params[param].Kind != Func {
		return nil, capture.Errorf("%s has no function as parameter %d", k.name, param)
	}
	e, err := parser.ParseExpr(name)
	if err != nil {
		return nil, capture.Errorf("function %q: %v", name, err)
	}
	r, err := lookup(k.ref.Decl, e)
	if err != nil {
		return nil, err
	}
	if r.Path == "" {
		return nil, capture.Errorf("%s is not a function that is declared in Go", name)
	}
	d, err := function(r.Path, r.Name)
	if err != nil {
		return nil, err
	}
	fn, _, err := newKernel(capture.Ref{Root: r, Decl: d}, inferred{k, param})
	return fn, err
}

// funcs holds *kernelEntry by funcKey.
var funcs sync.Map

type funcKey struct {
	kernel *Kernel
	param  int
	fn     kernelKey
}

// FuncFor is [ResolveFunc] for the value of a parameter of a kernel whose types are not those of the running program: the
// parameter gives a generic function its type arguments.
func (k *Kernel) FuncFor(param int, fn any) (*Kernel, error) {
	v := reflect.ValueOf(fn)
	e, _ := funcs.LoadOrStore(funcKey{k, param, kernelKey{v.Pointer(), v.Type()}}, &kernelEntry{})
	ke := e.(*kernelEntry)
	ke.once.Do(func() {
		r, err := capture.What{Noun: "a kernel"}.Find(v)
		if ke.err = err; err == nil {
			ke.k, _, ke.err = newKernel(r, inferred{k, param})
		}
	})
	return ke.k, ke.err
}

// launchRoots are what a world must hold for a launch with these facts.
func (k *Kernel) launchRoots(f Facts) []world.Symbol {
	roots := k.roots()
	for i := range f.Args {
		if fn := f.Args[i].Func; fn != nil {
			roots = append(roots, fn.roots()...)
		}
	}
	return roots
}

// Inspect shows what [Kernel.Compile] would lower. visit works in the world under its lock and keeps nothing of it.
func (k *Kernel) Inspect(f Facts, visit func(*lower.Input) error) error {
	w, err := describe.Load(k.launchRoots(f))
	if err != nil {
		return err
	}
	w.Lock()
	defer w.Unlock()
	in, err := k.input(w, f)
	if err != nil {
		return err
	}
	return visit(in)
}
