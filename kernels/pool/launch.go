package pool

import (
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/internal/window"
)

// table is a list of spans in memory of a device.
type table struct {
	begin, count *cutile.Tensor[int32]
	scale        *cutile.Tensor[float32] // nil if the list has none
}

func tableOf(dev *cutile.Device, s spanList) (t table, err error) {
	if t.begin, err = cutile.FromSlice(dev, s.begin, len(s.begin)); err == nil {
		t.count, err = cutile.FromSlice(dev, s.count, len(s.count))
	}
	if err == nil && s.scale != nil {
		t.scale, err = cutile.FromSlice(dev, s.scale, len(s.scale))
	}
	if err != nil {
		t.close()
	}
	return t, err
}

// close frees the memory when the queued work has run.
func (t table) close() {
	for _, x := range []interface{ Close() error }{t.begin, t.count} {
		x.Close()
	}
	if t.scale != nil {
		t.scale.Close()
	}
}

// launch is what the launches of all kernels have in common.
type launch struct {
	on      cutile.Target
	extents []int
	y, x    table
	walk    Walk
}

// begin prepares a launch that writes a tensor [batch, channels, rows, cols].
func begin(name string, on cutile.Target, dev *cutile.Device, s [2]spanList, to []int) (l launch, err error) {
	planes := to[0] * to[1]
	if planes > math.MaxInt32 {
		return l, shape.Wrong(name, "there are %d planes, expected at most %d", planes, math.MaxInt32)
	}
	const most = 512 // elements of a tile
	c := shape.Fit(to[3], 1, 64)
	r := shape.Fit(to[2], 1, most/c)
	p := shape.Fit(planes, 1, most/(c*r))
	l.extents = []int{p, r, c}
	if l.on, err = shape.Grid(name, on, shape.Tiles(planes, p)*shape.Tiles(to[2], r)*shape.Tiles(to[3], c)); err != nil {
		return l, err
	}
	if l.y, err = tableOf(dev, s[0]); err != nil {
		return l, err
	}
	if l.x, err = tableOf(dev, s[1]); err != nil {
		l.y.close()
		return l, err
	}
	l.walk = Walk{Down: int32(s[0].most()), Right: int32(s[1].most()), StepY: int32(s[0].step), StepX: int32(s[1].step),
		Planes: int32(planes), Channels: int32(to[1])}
	return l, nil
}

func (l launch) sized(kernel any) any { return cutile.Sized(kernel, l.extents...) }

func (l launch) close() { l.y.close(); l.x.close() }

// layoutOf says where the planes of a tensor [batch, channels, rows, cols] lie.
func layoutOf[E dtype.Elem](t *cutile.Tensor[E]) Layout {
	s := t.Strides()
	return Layout{Batch: int32(s[0]), Channel: int32(s[1]), Y: int32(s[2]), X: int32(s[3]), Cols: int32(t.Shape()[3])}
}

// part is the sequences of a batch from b on, n of them.
func part[E dtype.Elem](t *cutile.Tensor[E], b, n int) *cutile.Tensor[E] { return t.Narrow(0, b, b+n) }

// overBatch runs a function on tensors with two spatial axes: all of them or, where offsets of 32 bits do not reach over them, those of
// single sequences, of which b is the first.
func overBatch[E Float](name string, from, to *cutile.Tensor[E], run func(from, to *cutile.Tensor[E], b int) error) error {
	from, to = window.Planar(from), window.Planar(to)
	if window.Reach(from) <= math.MaxInt32 && window.Reach(to) <= math.MaxInt32 {
		return run(from, to, 0)
	}
	for b := range to.Shape()[0] {
		x, y := part(from, b, 1), part(to, b, 1)
		if n := max(window.Reach(x), window.Reach(y)); n > math.MaxInt32 {
			return shape.Wrong(name, "a sequence reaches over %d elements of memory, expected at most %d", n, math.MaxInt32)
		}
		if err := run(x, y, b); err != nil {
			return err
		}
	}
	return nil
}
