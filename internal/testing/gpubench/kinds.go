package main

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/softmax"
	"github.com/cutile-go/cutile/tile"
)

type (
	f16 = dtype.Float16
	one = tile.D1
)

// kinds are the kinds of work. Kernels and tiles are those that the functions of the packages choose: launches that are prepared once cost
// the program next to nothing, and so short ones are measured and not the calls.
var kinds = []kind{
	{
		name: "gemm", axes: "m n k", unit: "TFLOP/s",
		work:    func(d []int) float64 { return 2 * float64(d[0]) * float64(d[1]) * float64(d[2]) },
		problem: gemmProblem,
		prepare: on(func(dev *cutile.Device, d []int, in []*cutile.Tensor[f16], c *cutile.Tensor[f16]) (cutile.Target, any, []any) {
			m, n := 128, 128
			if tiles(d[0], m)*tiles(d[1], n) < 128 {
				m, n = 64, 64
			}
			m, n = fit(d[0], 16, m), fit(d[1], 16, n)
			k := cutile.Sized(gemm.Grouped[f16, float32, f16, one, one, one], m, n, fit(d[2], 16, 64))
			return dev.Grid(tiles(d[0], m) * tiles(d[1], n)), k, []any{in[0], in[1], c, gemm.Identity[tile.F32T2[one, one]]}
		}),
	},
	{
		name: "softmax", axes: "rows cols", unit: "GB/s",
		work:    func(d []int) float64 { return 2 * 4 * float64(d[0]) * float64(d[1]) },
		problem: softmaxProblem,
		prepare: on(func(dev *cutile.Device, d []int, in []*cutile.Tensor[float32], y *cutile.Tensor[float32]) (cutile.Target, any, []any) {
			if d[1] > 8192 {
				return dev.Grid(d[0]), cutile.Sized(softmax.LongRows[float32, one, one], 1, 2048), []any{in[0], y}
			}
			c := fit(d[1], 1, 8192)
			r := fit(d[0], 1, max(1, min(16, 2048/c)))
			return dev, cutile.Sized(softmax.Rows[float32, one, one], r, c), []any{in[0], y}
		}),
	},
	{
		name: "attention", axes: "batch heads rows dim", unit: "TFLOP/s",
		work: func(d []int) float64 {
			return 4 * float64(d[0]) * float64(d[1]) * float64(d[2]) * float64(d[2]) * float64(d[3])
		},
		problem: attentionProblem,
		prepare: on(func(dev *cutile.Device, d []int, in []*cutile.Tensor[f16], o *cutile.Tensor[f16]) (cutile.Target, any, []any) {
			rows, dim := 128, fit(d[3], 16, 256)
			if dim > 128 {
				rows = 64
			}
			rows = fit(d[2], 16, rows)
			k := cutile.Sized(attention.Full[f16, one, one, one], rows, fit(d[2], 16, 64), dim)
			return dev.Grid(tiles(d[2], rows), d[1], d[0]), k, []any{in[0], in[1].T(), in[2], o, attention.Scale(d[3]) * log2E}
		}),
	},
	{
		name: "add", axes: "n", unit: "GB/s",
		work:    func(d []int) float64 { return 3 * 4 * float64(d[0]) },
		problem: addProblem,
		prepare: on(func(dev *cutile.Device, d []int, in []*cutile.Tensor[float32], z *cutile.Tensor[float32]) (cutile.Target, any, []any) {
			k := cutile.Sized(pointwise.Zip[float32, float32, one], fit(d[0], 1, 1024))
			return dev, k, []any{in[0], in[1], z, pointwise.Add[tile.F32T1[one]]}
		}),
	},
}

// fit is the smallest power of two that holds n, from least to most.
func fit(n, least, most int) int {
	for least < n && least < most {
		least *= 2
	}
	return least
}

// tiles is how many tiles of an extent cover n elements.
func tiles(n, extent int) int { return (n + extent - 1) / extent }

// on makes the jobs of a kind whose arrays all have elements of E. build says what is launched on what, with which arguments.
func on[E f16 | float32](build func(dev *cutile.Device, d []int, in []*cutile.Tensor[E], out *cutile.Tensor[E]) (cutile.Target, any, []any)) func(
	context.Context, *cutile.Device, []int, *problem) (*job, error) {
	return func(ctx context.Context, dev *cutile.Device, d []int, p *problem) (j *job, err error) {
		var all []*cutile.Tensor[E]
		release := func() (err error) {
			for _, t := range all {
				if e := t.Close(); err == nil {
					err = e
				}
			}
			return err
		}
		defer func() {
			if err != nil {
				_ = release() // the first error counts
			}
		}()
		for _, a := range p.in {
			t, err := cutile.FromSlice(dev, elements[E](a.data), a.shape...)
			if err != nil {
				return nil, err
			}
			all = append(all, t)
		}
		out, err := cutile.NewTensor[E](dev, p.out...)
		if err != nil {
			return nil, err
		}
		all = append(all, out)
		target, kernel, args := build(dev, d, all, out)
		prepared, err := cutile.Prepare(ctx, target, kernel, args...)
		if err != nil {
			return nil, err
		}
		return &job{
			clear:  func(ctx context.Context) error { return out.Fill(ctx, elements[E]([]float32{nan})[0]) },
			launch: func(ctx context.Context) error { return prepared.Launch(ctx) },
			sync:   dev.Sync,
			read: func(ctx context.Context) ([]float32, error) {
				data := make([]E, out.Len())
				err := out.Read(ctx, data)
				return numbers(data), err
			},
			close: release,
		}, nil
	}
}

// elements converts numbers to elements.
func elements[E f16 | float32](x []float32) []E {
	out := make([]E, len(x))
	switch to := any(out).(type) {
	case []float32:
		copy(to, x)
	case []f16:
		dtype.Float16sFromFloat32s(to, x)
	}
	return out
}

// numbers is the reverse of elements.
func numbers[E f16 | float32](x []E) []float32 {
	switch from := any(x).(type) {
	case []float32:
		return from
	case []f16:
		out := make([]float32, len(x))
		dtype.Float16sToFloat32s(out, from)
		return out
	}
	panic("BUG: no other elements")
}
