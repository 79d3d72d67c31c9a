package compile

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// spelled is type arguments as go/types writes them with import paths.
type spelled []string

func (s spelled) roots() (out []world.Symbol) {
	for _, text := range s {
		out = append(out, describe.Language.NamesIn(text)...)
	}
	return out
}

func (s spelled) bind(w *describe.World, f *world.Function) error {
	tps := f.Sig.TypeParams()
	if tps.Len() != len(s) {
		return fmt.Errorf("it takes type arguments for %s, but %d are given", paramNames(tps), len(s))
	}
	if tps.Len() == 0 {
		return nil
	}
	args := make([]types.Type, len(s))
	for i, text := range s {
		var err error
		if args[i], err = w.FromName(text); err != nil {
			return err
		}
	}
	actual, err := types.Instantiate(nil, f.Sig, args, true)
	if err != nil {
		return err
	}
	return w.Unify(f.Sig, actual, f.Env)
}

// ResolveInstance is [Resolve] for a tool that has checked the package itself: the type arguments are written as go/types
// writes them with import paths.
func ResolveInstance(path, name string, typeArgs []string) (*Kernel, error) {
	k, unfit, err := resolveInstance(path, name, typeArgs)
	if err == nil {
		err = unfit
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// ResolveFuncInstance is [ResolveFunc] in the same way.
func ResolveFuncInstance(path, name string, typeArgs []string) (*Kernel, error) {
	k, _, err := resolveInstance(path, name, typeArgs)
	return k, err
}

// ResolveLiteral is [Resolve] for the function literal that starts at a position in a package's source. Type parameters of the
// function around it have no types, so that a literal with such parameters is not for this.
func ResolveLiteral(path string, at token.Position) (*Kernel, error) {
	k, unfit, err := resolveLiteral(path, at)
	if err == nil {
		err = unfit
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// ResolveFuncLiteral is [ResolveFunc] in the same way.
func ResolveFuncLiteral(path string, at token.Position) (*Kernel, error) {
	k, _, err := resolveLiteral(path, at)
	return k, err
}

// instances holds *kernelEntry by path, name and type arguments, and by path and position.
var instances sync.Map

func resolveInstance(path, name string, typeArgs []string) (k *Kernel, unfit, err error) {
	return instanceOf(strings.Join(append([]string{path, name}, typeArgs...), " "), spelled(typeArgs), func() (capture.Ref, error) {
		d, err := function(path, name)
		return capture.Ref{Root: world.Symbol{Path: path, Name: name}, Decl: d}, err
	})
}

func resolveLiteral(path string, at token.Position) (k *Kernel, unfit, err error) {
	return instanceOf(path+" "+at.String(), spelled(nil), func() (capture.Ref, error) { return capture.What{Noun: "a kernel"}.LiteralAt(path, at) })
}

// instanceOf gives the kernel that is kept under a key, and finds its source at the first time.
func instanceOf(key string, inst instance, find func() (capture.Ref, error)) (k *Kernel, unfit, err error) {
	e, _ := instances.LoadOrStore(key, &kernelEntry{})
	ke := e.(*kernelEntry)
	ke.once.Do(func() {
		ref, err := find()
		if err != nil {
			ke.err = err
			return
		}
		ke.k, ke.unfit, ke.err = newKernel(ref, inst)
	})
	return ke.k, ke.unfit, ke.err
}

// Resize is the kernel with other extents: one for each type parameter that is a tile.Dim, in order. Kernels of the same
// extents are the same pointer.
func (k *Kernel) Resize(extents []int) (*Kernel, error) {
	if k.ref.Lit != nil {
		return nil, capture.Errorf("%s is a function literal: a kernel of other extents must be declared, with type parameters of constraint tile.Dim", k.name)
	}
	w, err := describe.Load(k.roots())
	if err != nil {
		return nil, err
	}
	args, err := k.resized(w, extents)
	if err != nil {
		return nil, err
	}
	return ResolveInstance(k.ref.Root.Path, k.ref.Root.Name, args)
}

// resized spells the type arguments with other extents.
func (k *Kernel) resized(w *describe.World, extents []int) (args []string, err error) {
	w.Lock()
	defer w.Unlock()
	f, err := k.bind(w)
	if err != nil {
		return nil, err
	}
	var dims []string
	for tp := range f.Sig.TypeParams().TypeParams() {
		text := strings.ReplaceAll(types.TypeString(types.Unalias(f.Env.Get(tp)), (*types.Package).Path), ", ", ",")
		if tp.Constraint().String() == describe.TilePath+".Dim" {
			if len(dims) < len(extents) {
				n := extents[len(dims)]
				if n < 1 || n > describe.MaxExtent || n&(n-1) != 0 {
					return nil, capture.Errorf("the extent %s of %s cannot be %d: extents are powers of two up to %d", tp.Obj().Name(), k.name, n, describe.MaxExtent)
				}
				text = fmt.Sprintf("%s.D%d", describe.TilePath, n)
			}
			dims = append(dims, tp.Obj().Name())
		}
		args = append(args, text)
	}
	if len(dims) != len(extents) {
		return nil, capture.Errorf("%s takes %d extents (%s), but got %d", k.name, len(dims), strings.Join(dims, ", "), len(extents))
	}
	return args, nil
}
