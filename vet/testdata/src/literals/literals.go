// Package literals launches kernels with function literals, in place and in variables.
package literals

import (
	"context"
	"embed"
	"os"

	"example.com/vetted/helper"
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

type vec = tile.F32T1[tile.D4]

type tensor = *cutile.Tensor[float32]

func mapped[A tile.Dim](x tile.In[tile.F32T1[A]], f func(tile.F32T1[A]) tile.F32T1[A], z tile.Out[tile.F32T1[A]]) {
	z.Store(f(x.Load(z.Index(0))))
}

func both(x tile.In[vec], f, g func(vec) vec, z tile.Out[vec]) { z.Store(g(f(x.Load(z.Index(0))))) }

func bad(v vec) vec {
	if v > 0 { // want `the condition is a mask of shape \[4\], not one truth value: use Where`
		return v
	}
	return -v
}

func inPlace(ctx context.Context, dev *cutile.Device, x, z tensor) {
	const two = 2
	n := float32(len(os.Args))
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec { return two * tile.Where(v > 0, v, -v) }, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, bad, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		if v > 0 { // want `the condition is a mask of shape \[4\], not one truth value: use Where`
			return v
		}
		return -v
	}, z)
	cutile.Prepare(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		return v * vec(n) // want `n is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant`
	}, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		return v * vec(float32(len(os.Args))) // want `os.Args cannot be used in a kernel: package os has no registered source`
	}, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		inner := func(w vec) vec {
			return w * vec(n) // want `n is a host variable`
		}
		return inner(v)
	}, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, (func(v vec) vec)(func(v vec) vec {
		n = 2 // want `n is a host variable: a kernel cannot write it`
		return v
	}), z)
	cutile.Launch(ctx, dev, both, x, func(v vec) vec { return bad(v) }, bad, z)
	cutile.Launch(ctx, dev, helper.Mapped[tile.D4], x, func(v vec) vec {
		return v * vec(n) // want `n is a host variable`
	}, z)
}

type host struct{ n float32 }

func (h host) method(ctx context.Context, dev *cutile.Device, x, z tensor) {
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec {
		return v * vec(h.n) // want `h is a host variable`
	}, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, func(v vec) vec { return -v }, z)
}

// leak and negate are given one function.
var leak = func(v vec) vec {
	for v > 0 { // want `a mask of shape \[4\]`
	}
	return v
}

var negate func(vec) vec = func(v vec) vec { return -v }

var hook = func(v vec) vec {
	for v > 0 { // setHook gives it another one
	}
	return v
}

func setHook(f func(vec) vec) { hook = f }

func inVariables(ctx context.Context, dev *cutile.Device, x, z tensor) {
	f := func(v vec) vec {
		if v > 0 { // want `the condition is a mask of shape \[4\], not one truth value: use Where`
			return v
		}
		return -v
	}
	g := f
	cutile.Launch(ctx, dev, mapped[tile.D4], x, f, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, g, z)
	cutile.Launch(ctx, dev, helper.Mapped[tile.D4], x, g, z)
	cutile.Prepare(ctx, dev, both, x, negate, f, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, leak, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, hook, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, negate, z)
	var late func(vec) vec
	late = func(v vec) vec {
		return v + vec(x.Rank()) // want `x is a host variable`
	}
	cutile.Launch(ctx, dev, mapped[tile.D4], x, late, z)
	right := func(v vec) vec { return v * v }
	cutile.Launch(ctx, dev, mapped[tile.D4], x, right, z)
	wide := func(v tile.F32T1[tile.D8]) tile.F32T1[tile.D8] { return -v }
	cutile.Launch(ctx, dev, mapped[tile.D8], x, wide, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, wide, z) // want `kernel literals.mapped\[D4\] expects argument #2 \(f\) to be a func\(tile.F32T1\[tile.D4\]\) tile.F32T1\[tile.D4\], but got func\(v tile.F32T1\[tile.D8\]\) tile.F32T1\[tile.D8\]`
	cutile.Launch(ctx, dev, mapped[tile.D4], x, both, z) // want `expects argument #2 \(f\) to be a func\(tile.F32T1\[tile.D4\]\) tile.F32T1\[tile.D4\], but got func\(x tile.In`
}

// unknown launches functions that only the running program knows: each of the literals would be wrong.
func unknown(ctx context.Context, dev *cutile.Device, x, z tensor, f func(vec) vec, k func(x tile.In[vec], z tile.Out[vec])) {
	wrong := func(v vec) vec { return vec(x.Rank()) }
	twice := func(v vec) vec { return vec(x.Rank()) }
	twice = f
	pointed := func(v vec) vec { return vec(x.Rank()) }
	change(&pointed)
	var a, b func(vec) vec
	a, b = b, a
	if f == nil {
		f = wrong
	}
	for _, each := range []func(vec) vec{wrong} {
		cutile.Launch(ctx, dev, mapped[tile.D4], x, each, z)
	}
	made, _ := make2(wrong)
	of := struct{ f func(vec) vec }{wrong}
	list := []any{x, wrong, z}
	for _, g := range []func(vec) vec{f, twice, pointed, a, made, of.f, made} {
		cutile.Launch(ctx, dev, mapped[tile.D4], x, g, z)
	}
	cutile.Launch(ctx, dev, mapped[tile.D4], x, f, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, twice, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, pointed, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, a, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, b, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, made, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, of.f, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], x, choose(wrong), z)
	cutile.Launch(ctx, dev, both, x, f, wrong, z)
	cutile.Launch(ctx, dev, mapped[tile.D4], list...)
	cutile.Launch(ctx, dev, k, x, z)
}

func change(*func(vec) vec) {}

func choose(f func(vec) vec) func(vec) vec { return f }

func make2(f func(vec) vec) (func(vec) vec, error) { return f, nil }
