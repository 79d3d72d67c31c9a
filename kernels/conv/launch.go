package conv

import (
	"context"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/window"
	"github.com/cutile-go/cutile/tile"
)

// narrow is how many channels a group has at most for which a product of matrices would be mostly empty.
const narrow = 2

// tap is a weight: how far its element is away from the window's begin.
type tap struct{ offset, down, right int }

// tableOf writes taps to memory of a device, up to a multiple of an extent.
func tableOf(dev *cutile.Device, list []tap, extent int) (*cutile.Tensor[int32], error) {
	n := max(1, shape.Tiles(len(list), extent)) * extent
	data := make([]int32, 3*n)
	for i := range n {
		t := tap{down: far}
		if i < len(list) {
			t = list[i]
		}
		data[i], data[n+i], data[2*n+i] = int32(t.offset), int32(t.down), int32(t.right)
	}
	return cutile.FromSlice(dev, data, 3, n)
}

// placesFor gives the rows and columns of a tile of outputs: of those with about most elements the one that fills an image best, and of these
// the widest.
func placesFor(rows, cols, least, most int) (r, c int) {
	n := shape.Fit(rows*cols, least, most)
	waste := math.MaxInt
	for w := n; w >= 1; w /= 2 {
		if all := shape.Tiles(rows, n/w) * shape.Tiles(cols, w); all < waste {
			r, c, waste = n/w, w, all
		}
	}
	return r, c
}

// farthest is the greatest offset of kernels.
const farthest = math.MaxInt32

// near checks that kernels can reach all elements by offsets of 32 bits.
func near[E Float](function, name string, t *cutile.Tensor[E]) error {
	if n := window.Reach(t); n > farthest {
		return shape.Wrong(function, "%s reaches over %d elements of memory, expected at most %d", name, n, farthest)
	}
	return nil
}

// launch is one kernel: outputs that have taps in common.
type launch[E Float] struct {
	x       *cutile.Tensor[E]
	from    Source
	taps    []tap
	weights *cutile.Tensor[E] // groups, channels, taps
	bias    *cutile.Tensor[E] // groups, channels
	y       *cutile.Tensor[E]
	to      Target
	batch   int
}

// queue queues the kernel.
func (l launch[E]) queue(ctx context.Context, on cutile.Target, function string, f Func) error {
	s := l.weights.Shape()
	groups, channels, taps := s[0], s[1], s[2]
	few := channels <= narrow
	k, m, least, most := shape.Fit(taps, 16, 64), shape.Fit(channels, 16, 128), 16, 64
	if few {
		k, m, least, most = 1, 1, 1, 256
	}
	r, c := placesFor(int(l.to.Rows), int(l.to.Cols), least, most)
	table, err := tableOf(l.y.Device(), l.taps, k)
	if err != nil {
		return err
	}
	defer table.Close() // after the kernel
	tiles := shape.Tiles(int(l.to.Rows), r) * shape.Tiles(int(l.to.Cols), c)
	if on, err = shape.Grid(function, on, tiles, groups*shape.Tiles(channels, m), l.batch); err != nil {
		return err
	}
	if f == nil {
		f = gemm.Identity[tile.F32T2[one, one]]
	}
	kernel := cutile.Sized(Product[E, one, one, one, one], m, r, c, k)
	if few {
		kernel = cutile.Sized(Narrow[E, one, one], r, c)
	}
	return cutile.Launch(ctx, on, kernel, l.x.Span(), l.from, table.Select(0, 0), table.Select(0, 1), table.Select(0, 2), l.weights, l.bias,
		l.y.Span(), l.to, f)
}

// biasOf gives a bias as [groups, channels]: zeros for nil, which free frees.
func biasOf[E Float](dev *cutile.Device, bias *cutile.Tensor[E], groups, channels int) (b *cutile.Tensor[E], free func(), err error) {
	if bias != nil {
		return bias.Reshape(groups, channels), func() {}, nil
	}
	b, err = cutile.NewTensor[E](dev, groups, channels)
	return b, func() { b.Close() }, err
}

// arranged queues a copy of weights in the order of taps, which are offsets into w.
func arranged[E Float](ctx context.Context, on cutile.Target, w *cutile.Tensor[E], taps []tap, group, row int, to *cutile.Tensor[E]) error {
	if to.Len() == 0 {
		return nil
	}
	m, k := shape.Fit(to.Shape()[1], 1, 16), shape.Fit(to.Shape()[2], 1, 64)
	table, err := tableOf(to.Device(), taps, k)
	if err != nil {
		return err
	}
	defer table.Close() // after the kernel
	return cutile.Launch(ctx, on, cutile.Sized(Arrange[E, one, one], m, k), w.Span(), int32(group), int32(row), table.Select(0, 0), to)
}

// pointwise queues a convolution with windows of one element. w is [groups, features, inner].
func pointwise[E Float](ctx context.Context, on cutile.Target, function string, x, w, bias, y *cutile.Tensor[E], f Func) error {
	s := y.Shape()
	t := []int{shape.Fit(w.Shape()[1], 16, 128), shape.Fit(s[3], 16, 128), shape.Fit(w.Shape()[2], 16, 64)}
	on, err := shape.Grid(function, on, shape.Tiles(s[3], t[1]), s[1]*shape.Tiles(s[2], t[0]), s[0])
	if err != nil {
		return err
	}
	if f == nil {
		f = gemm.Identity[tile.F32T2[one, one]]
	}
	return cutile.Launch(ctx, on, cutile.Sized(Pointwise[E, one, one, one], t...), x, w, bias, y, f)
}
