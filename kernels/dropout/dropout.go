// Package dropout sets random elements to zero, for training networks.
package dropout

import (
	"context"
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed dropout.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

// Random computes y = x/(1-p) or, with probability p, 0. The choice depends only on the seed and an element's index, so that
// the same kernel with the same seed computes the gradient: no mask is stored.
//
//cutile:entry
func Random[E tile.FloatElem, B tile.Dim](x tile.In[tile.FloatTile1[E, B]], y tile.Out[tile.FloatTile1[E, B]], p float32, seed int) {
	i := y.Index(0)
	at := tile.U32T1[B](i*tile.Extent[B]()) + tile.IotaOf[tile.U32T1[B]]()
	kept := tile.Uniform[tile.F32T1[B]](seed, at) >= tile.F32T1[B](p)
	t := tile.F32T1[B](x.LoadUnpadded(i)) * tile.F32T1[B](1/(1-p))
	y.Store(tile.FloatTile1[E, B](tile.Where(kept, t, 0)))
}

// Masked computes y = x/(1-p) where the element of random is at least p, else 0.
//
//cutile:entry
func Masked[E tile.FloatElem, B tile.Dim](x tile.In[tile.FloatTile1[E, B]], random tile.In[tile.F32T1[B]],
	y tile.Out[tile.FloatTile1[E, B]], p float32) {
	i := y.Index(0)
	t := tile.F32T1[B](x.LoadUnpadded(i)) * tile.F32T1[B](1/(1-p))
	y.Store(tile.FloatTile1[E, B](tile.Where(random.LoadUnpadded(i) >= tile.F32T1[B](p), t, 0)))
}

func check(function string, p float32, args ...shape.Arg) error {
	if !(p >= 0 && p < 1) {
		return shape.Wrong(function, "p is %v, expected at least 0 and less than 1", p)
	}
	return shape.Same(function, args...)
}

func arg(name string, t shape.Array) shape.Arg { return shape.Arg{Name: name, Tensor: t} }

// Run queues y = x/(1-p) or, with probability p, 0, for contiguous tensors of the same shape. The same seed makes the same
// choices on every device; a backward pass passes dy as x. Beyond 2^32 elements choices repeat.
func Run[E Float](ctx context.Context, on cutile.Target, x, y *cutile.Tensor[E], p float32, seed int) error {
	if err := check("dropout.Run", p, arg("x", x), arg("y", y)); err != nil {
		return err
	}
	k := cutile.Sized(Random[E, tile.D1], shape.Fit(x.Len(), 1, 1024))
	return cutile.Launch(ctx, on, k, x.Flatten(), y.Flatten(), p, seed)
}

// RunMasked queues y = x/(1-p) where random, numbers between 0 and 1 drawn by the caller, is at least p, else 0.
func RunMasked[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], random *cutile.Tensor[float32], y *cutile.Tensor[E], p float32) error {
	if err := check("dropout.RunMasked", p, arg("x", x), arg("random", random), arg("y", y)); err != nil {
		return err
	}
	k := cutile.Sized(Masked[E, tile.D1], shape.Fit(x.Len(), 1, 1024))
	return cutile.Launch(ctx, on, k, x.Flatten(), random.Flatten(), y.Flatten(), p)
}
