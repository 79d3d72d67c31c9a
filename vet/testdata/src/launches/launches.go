// want package:"registers 1 files"

// Package launches has launches that are wrong whatever the arguments hold.
package launches

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *.go
var source embed.FS
var _ = cutile.Module(source)

type vec = tile.F32T1[tile.D8]

type pair struct {
	x tile.In[vec]
	z tile.Out[vec]
}

func negate(p pair) { p.z.Store(-p.x.Load(p.z.Index(0))) }

func negateSized[A tile.Dim](x tile.In[tile.F32T1[A]], z tile.Out[tile.F32T1[A]]) {
	z.Store(-x.Load(z.Index(0)))
}

func fill(z tile.InOut[vec]) { z.Store(1, tile.BlockID(0)) }

func plus(x, y tile.In[vec], z tile.Out[vec]) { z.Store(x.Load(z.Index(0)) + y.Load(z.Index(0))) }

type step struct{ by float32 }

func (step) kernel(z tile.Out[vec]) { z.Store(1) }

func structs(ctx context.Context, dev *cutile.Device, a, b *cutile.Tensor[float32]) {
	type shown struct{ X, Z *cutile.Tensor[float32] }
	type hidden struct{ x, z *cutile.Tensor[float32] }
	type adapted struct{ x, z *cutile.Tensor[float32] }
	cutile.RegisterAdapter[adapted](func(s adapted) (any, error) { return shown{s.x, s.z}, nil })
	cutile.Launch(ctx, dev, negate, shown{a, b})
	cutile.Launch(ctx, dev, negate, adapted{a, b})
	cutile.Launch(ctx, dev, negate, hidden{a, b}) // want `argument #1 \(p.x\): cannot pass the struct launches.hidden field by field: x is not exported` `argument #2 \(p.z\): cannot pass the struct launches.hidden field by field: z is not exported`
}

func functions(ctx context.Context, dev *cutile.Device, z *cutile.Tensor[float32]) {
	s := step{by: 2}
	by := float32(3)
	cutile.Launch(ctx, dev, s.kernel, z)    // want `s.kernel is a method: a kernel must be a function`
	cutile.Launch(ctx, dev, step.kernel, z) // want `step.kernel is a method: a kernel must be a function`
	cutile.Launch(ctx, dev, func(z tile.Out[vec]) {
		two := vec(2)
		z.Store(vec(by) + two) // want `by is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant`
	}, z)
}

func sized(ctx context.Context, dev *cutile.Device, n int) {
	_ = cutile.Sized(negateSized[tile.D1], 128)
	_ = cutile.Sized(negateSized[tile.D1], n)
	_ = cutile.Sized(negateSized[tile.D1], 100)   // want `the extent A of launches.negateSized\[D1\] cannot be 100: extents are powers of two up to 65536`
	_ = cutile.Sized(negateSized[tile.D1], 1<<20) // want `the extent A of launches.negateSized\[D1\] cannot be 1048576`
	_ = cutile.Sized(negateSized[tile.D1], n, 16) // want `.*extents.*`
}

func grids(ctx context.Context, dev *cutile.Device, s *cutile.Stream, z *cutile.Tensor[float32], on cutile.Target) {
	cutile.Launch(ctx, dev.Grid(4), fill, z)
	cutile.Launch(ctx, on, fill, z)
	cutile.Launch(ctx, dev, fill, z) // want `kernel launches.fill has no Out that says how many blocks to run: give the grid`
	cutile.Prepare(ctx, s, fill, z)  // want `kernel launches.fill has no Out that says how many blocks to run: give the grid`
}

func aliases(ctx context.Context, dev *cutile.Device, a, b *cutile.Tensor[float32], of struct{ A, B *cutile.Tensor[float32] }) {
	cutile.Launch(ctx, dev, plus, a, a, b)
	cutile.Launch(ctx, dev, plus, a, b, b)          // want `kernel launches.plus argument #3 \(z\) is written, but shares memory with argument #2 \(y\): pass a copy, or use one InOut for both`
	cutile.Launch(ctx, dev, plus, of.A, of.B, of.A) // want `argument #3 \(z\) is written, but shares memory with argument #1 \(x\)`
	cutile.Launch(ctx, dev, plus, of.A, a, of.B)
	spec := cutile.SpecOf[float32](8)
	cutile.Export(ctx, "", nil, plus, spec, spec, spec)
}

func picked(xs [2]tile.In[vec], by [2]float32, f [1]func(vec) vec, z tile.Out[vec]) {
	z.Store(f[0](xs[0].Load(z.Index(0)))*vec(by[0]) + xs[1].Load(z.Index(0))*vec(by[1]))
}

func twice(x vec) vec { return 2 * x }

func arrays(ctx context.Context, dev *cutile.Device, a, b *cutile.Tensor[float32]) {
	type pair = [2]*cutile.Tensor[float32]
	cutile.Launch(ctx, dev, picked, pair{a, a}, [2]float32{1, 2}, [1]func(vec) vec{twice}, b)
	cutile.Launch(ctx, dev, picked, a, a, [2]float32{1, 2}, twice, b)
	cutile.Launch(ctx, dev, picked, pair{a, a}, [1]float32{1}, [1]func(vec) vec{twice}, b)   // want `kernel launches.picked expects 6 arguments \(xs\[0\], xs\[1\], by\[0\], by\[1\], f\[0\], z\), but got 5`
	cutile.Launch(ctx, dev, picked, []*cutile.Tensor[float32]{a, a}, [2]float32{}, twice, b) // want `xs\[0\], xs\[1\], by\[0\], by\[1\], f\[0\], z\), but got 5: xs is an array, but a slice was given: pass an array of \*cutile.Tensor\[float32\], of the same length`
	cutile.Launch(ctx, dev, picked, pair{a, a}, [2]float32{}, []func(vec) vec{twice}, b)     // want `argument #5 \(f\[0\]\) to be .* but got \[\]func\(.*: f is an array, but a slice was given`
	cutile.Launch(ctx, dev, picked, [2]*cutile.Tensor[int32]{}, [2]float32{}, twice, b)      // want `argument #1 \(xs\[0\]\).*int32` `argument #2 \(xs\[1\]\).*int32`
}
