// want package:"registers 2 files"

package literals

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//cutile:state
var table = tile.Table[float32](1, 2, 3)

func kernels(ctx context.Context, dev *cutile.Device, x, z tensor, h *cutile.Tensor[float64], f func(vec) vec) {
	by := float32(2)
	cutile.Launch(ctx, dev, func(x tile.In[vec], z tile.Out[vec]) { z.Store(-x.Load(z.Index(0))) }, x, z)
	cutile.Launch(ctx, dev, func(x tile.In[vec], z tile.Out[vec]) {
		if x.Load(0) > 0 { // want `the condition is a mask of shape \[4\], not one truth value: use Where`
			z.Store(0)
		}
		z.Store(vec(by)) // want `by is a host variable`
	}, x, z)
	k := func(x tile.In[vec], z tile.Out[vec]) {
		go z.Store(0) // want `a kernel cannot have a go statement`
	}
	cutile.Launch(ctx, dev, k, x, z)
	cutile.Prepare(ctx, dev, k, x, z)
	cutile.Launch(ctx, dev, k, h, z)                                      // want `kernel literals.kernels.func\d+ expects argument #1 \(x\) to be a rank-1 tensor of float32, but got \*cutile.Tensor\[float64\]`
	cutile.Launch(ctx, dev, k, x)                                         // want `kernel literals.kernels.func\d+ expects 2 arguments \(x, z\), but got 1`
	cutile.Launch(ctx, dev, func(z tile.InOut[vec]) { z.Store(0, 0) }, z) // want `has no Out that says how many blocks to run: give the grid`
	cutile.Launch(ctx, dev, func(x tile.In[vec], f func(vec) vec, z tile.Out[vec]) {
		z.Store(f(x.Load(0)) * vec(by) * tile.Gather[vec](table, tile.I32T1[tile.D4](1), true, 0)) // want `by is a host variable`
	}, x, f, z)
	cutile.Launch(ctx, dev, func(x tile.In[vec], f func(vec) vec, z tile.Out[vec]) {
		z.Store(f(x.Load(0, 0))) // want `a tile of shape \[4\] needs one index for each axis`
	}, x, func(v vec) vec { return -v }, z)
	cutile.Launch(ctx, dev, func(x tile.In[vec], z tile.Out[vec]) int { return 1 }, x, z) // want `a kernel must not have results, but kernels has 1`
	cutile.Launch(ctx, dev, func(z tile.Out[vec]) { z.Store(tile.Gather[vec](table, tile.I32T1[tile.D4](1), true, 0)) }, z)
}

// inGeneric has literals of known types inside a generic function, and those whose types its callers choose.
func inGeneric[A tile.Dim](ctx context.Context, dev *cutile.Device, x, z tensor, n float32) {
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec { return -v }, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		if v > 0 { // want `the condition is a mask of shape \[4\], not one truth value: use Where`
			return v
		}
		return vec(n)
	}, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		var w tile.F32T1[A] // want `a variable of type tile.F32T1\[A\] cannot start at zero in a kernel`
		return v + vec(w.Sum0())
	}, z)
	cutile.Launch(ctx, dev, mapped[A], x, func(v tile.F32T1[A]) tile.F32T1[A] { return v * tile.F32T1[A](n) }, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v tile.F32T1[A]) tile.F32T1[A] { return -v }, z)
	f := func(v tile.F32T1[A]) tile.F32T1[A] { return v }
	cutile.Launch(ctx, dev, mapped[A], x, f, z)
	cutile.Launch(ctx, dev, func(x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) { z.Store(x.Load(0)) }, x, z)
	cutile.Launch(ctx, dev, func(x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
		z.Store(tile.F32T1[A](n)) // want `n is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant`
	}, x, z)
}

type scaled struct{ by float32 }

func (s scaled) run(v vec) vec { return v * vec(s.by) }

// run is what the method of this name is not.
func run(v vec) vec { return v }

func methods(ctx context.Context, dev *cutile.Device, x, z tensor, of interface{ run(vec) vec }) {
	s := scaled{}
	m := s.run
	cutile.Launch(ctx, dev, mapped[tile.D4], x, s.run, z)  // want `s.run is a method: a kernel must be a function`
	cutile.Launch(ctx, dev, mapped[tile.D4], x, of.run, z) // want `of.run is a method: a kernel must be a function`
	cutile.Launch(ctx, dev, mapped[tile.D4], x, m, z)      // want `m is a method: a kernel must be a function`
	cutile.Launch(ctx, dev, mapped[tile.D4], x, run, z)
	cutile.Launch(ctx, dev, func(x tile.In[vec], f func(scaled, vec) vec, z tile.Out[vec]) { z.Store(x.Load(0)) }, x, scaled.run, z) // want `scaled.run is a method: a kernel must be a function`
}

// places are those where a launch does not find literals.
func places(ctx context.Context, dev *cutile.Device, x, z tensor) {
	cutile.Launch(ctx, dev, both, x, func(v vec) vec { return v }, func(v vec) vec { return -v }, z) // want `2 functions with the same number of parameters are at kernels.go:\d+: put each function literal` `2 functions with the same number of parameters are at kernels.go:\d+: put each function literal`
	cutile.Launch(ctx, dev, both, x, func(v vec) vec { return v }, func(v vec) vec {                 // want `2 functions with the same number of parameters are at kernels.go`
		return -v
	}, z)
	cutile.Launch(ctx, dev, both, x,
		func(v vec) vec { return v },
		func(v vec) vec { return -v }, z)
}

func init() {
	cutile.Launch(nil, nil, mapped[tile.D4], nil, func(v vec) vec { return v }, nil)                 // want `expects argument #1 \(x\)` `expects argument #3 \(z\)`
	cutile.Launch(nil, nil, mapped[tile.D4], tensor(nil), func(v vec) vec { return v }, tensor(nil)) // want `no function literal of registered source is at kernels.go:\d+: embed every file of the package, and keep the literal out of functions init`
}
