// Package cutecases runs the examples of the SIMT level on small data, on any device and with any options: for tests that
// compare devices, or that break the examples on purpose.
package cutecases

import (
	"context"
	"errors"
	"math/big"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/examples/cute/attention"
	"github.com/cutile-go/cutile/examples/cute/custom"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/examples/cute/persistent"
	"github.com/cutile-go/cutile/examples/cute/rmsnorm"
	"github.com/cutile-go/cutile/examples/cute/sgemm"
	"github.com/cutile-go/cutile/examples/cute/tensorop"
	"github.com/cutile-go/cutile/examples/cute/transpose"
)

// Case is an example on some data.
type Case struct {
	Name string
	// Tolerance is how far results may differ between devices, relative to the larger one: 0 for not at all.
	Tolerance float64
	// Only is the architecture that the example is for, as a device's description has it: "" for all.
	Only string
	// Run gives what the example wrote, and what lies beside that in memory.
	Run func(dev *cutile.Device, o cute.Options) ([]float32, error)
}

// Cases is all of them.
var Cases = []Case{
	{"elementwise", 0, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 19, 139)
		return call(elementwise.Add, z, o, []any{matrix(dev, 1, 19, 139), matrix(dev, 2, 19, 139), c}, elementwise.ReLU)
	}},
	{"custom", 0, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 7, 45)
		q, err := cutile.FromSlice(dev, bytes(7*45), 7, 45)
		if err != nil {
			return nil, err
		}
		y := custom.Quantized{Data: q, Scale: 0.25, Zero: 3}
		return call(custom.Apply, z, o, []any{matrix(dev, 1, 7, 45), y, big.NewRat(3, 2), c}, custom.ScaledSum)
	}},
	{"transpose", 0, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 40, 69)
		return call(transpose.Transpose, z, o, []any{matrix(dev, 1, 69, 40), c})
	}},
	{"sgemm", 0, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 70, 66)
		g := sgemm.Config{BM: 64, BN: 32, BK: 8, TM: 8, TN: 8, Stages: 3}
		return call(sgemm.Run, z, o, []any{matrix(dev, 1, 70, 37), matrix(dev, 2, 66, 37), c}, g, sgemm.Identity)
	}},
	{"rmsnorm", 1e-5, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		var all []float32
		for _, shape := range [][2]int{{11, 300}, {3, 1100}} { // a kernel for short rows, and one for long ones
			m, n := shape[0], shape[1]
			z, c := out(dev, m, n)
			got, err := call(rmsnorm.Float32, z, o, []any{matrix(dev, 1, m, n), vector(dev, n), c, float32(1e-3)})
			if err != nil {
				return nil, err
			}
			all = append(all, got...)
		}
		return all, nil
	}},
	{"tensorop", 1e-3, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, d := out(dev, 37, 50)
		g := tensorop.Config{BM: 32, BN: 32, BK: 32, Stages: 3}
		a, b := tensorop.Matrix(halves(dev, 1, 37, 104)), tensorop.Matrix(halves(dev, 2, 50, 104))
		return call(tensorop.Run, z, o, []any{a, b, nil, d}, g, tensorop.ReLU)
	}},
	{"attention", 1e-2, "", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z := halves(dev, 0, 2, 70, 32)
		g := attention.Config{D: 32, BM: 32, BN: 32, Causal: true}
		q, k, v := halves(dev, 1, 2, 70, 32), halves(dev, 2, 2, 90, 32), halves(dev, 3, 2, 90, 32)
		return call(attention.Run, z, o, []any{attention.Heads(q), attention.Heads(k), attention.Heads(v), attention.Heads(z)}, g)
	}},
	{"persistent", 1e-3, "sm_90", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, err := cutile.NewTensor[float32](dev, 130, 36)
		if err != nil {
			return nil, err
		}
		g := persistent.Config{BM: 64, BN: 32, BK: 16, Stages: 3, Groups: 1, Cluster: 1}
		a, b := g.A(halves(dev, 1, 130, 72)), g.B(halves(dev, 2, 36, 72))
		return call(persistent.RunFloat32, z, o, []any{a, b, persistent.To[float32](g, z, nil), 2}, g, persistent.ReLU)
	}},
}

// beside is the columns of a buffer behind those of the matrix in it: who reads or writes them is noticed.
const beside = 3

func number(seed, i int) float32 { return float32((i*i+seed*i+7*seed)%17-8) / 8 }

// matrix makes a matrix of small numbers that are exact in every type, with large ones beside it.
func matrix(dev *cutile.Device, seed, m, n int) cute.Tensor[float32] {
	data := make([]float32, m*(n+beside))
	for i := range data {
		data[i] = number(seed, i)
		if i%(n+beside) >= n {
			data[i] = 1000
		}
	}
	x, err := cutile.FromSlice(dev, data, m, n+beside)
	if err != nil {
		panic(err)
	}
	return cute.Of[float32](x.Narrow(1, 0, n))
}

func vector(dev *cutile.Device, n int) cute.Tensor[float32] {
	data := make([]float32, n)
	for i := range data {
		data[i] = 1 + number(3, i)
	}
	x, err := cutile.FromSlice(dev, data)
	if err != nil {
		panic(err)
	}
	return cute.Of[float32](x)
}

func bytes(n int) []int8 {
	data := make([]int8, n)
	for i := range data {
		data[i] = int8(8 * number(5, i))
	}
	return data
}

// halves makes a tensor of float16; of seed 0 it is zero.
func halves(dev *cutile.Device, seed int, shape ...int) *cutile.Tensor[dtype.Float16] {
	n := 1
	for _, s := range shape {
		n *= s
	}
	data := make([]dtype.Float16, n)
	for i := range data {
		if seed > 0 {
			data[i] = dtype.Float16FromFloat32(number(seed, i))
		}
	}
	x, err := cutile.FromSlice(dev, data, shape...)
	if err != nil {
		panic(err)
	}
	return x
}

// out makes a matrix for results, and the buffer that it is in.
func out(dev *cutile.Device, m, n int) (*cutile.Tensor[float32], cute.Tensor[float32]) {
	x, err := cutile.NewTensor[float32](dev, m, n+beside)
	if err != nil {
		panic(err)
	}
	return x, cute.Of[float32](x.Narrow(1, 0, n))
}

// endless is how long a kernel may take that runs for milliseconds where it is right.
const endless = 5 * time.Second

// call compiles what cute.Jit gave, with a receiver in front and functions behind the dynamic arguments, runs it and reads
// what is in z.
func call[E float32 | dtype.Float16](f any, z *cutile.Tensor[E], o cute.Options, dynamic []any, static ...any) ([]float32, error) {
	args := []any{o}
	for _, s := range static {
		if isConfig(s) {
			args = append(args, s)
		}
	}
	args = append(args, dynamic...)
	for _, s := range static {
		if !isConfig(s) {
			args = append(args, s)
		}
	}
	e, err := cute.Compile(context.Background(), f, args...)
	if err != nil {
		return nil, err
	}
	dynamic = without(dynamic, nil)
	if _, err := e.Run(context.Background(), dynamic...); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	if err := z.Device().Sync(ctx); err != nil {
		return nil, err
	}
	got, err := z.Slice()
	return floats(got), errors.Join(err, e.Close()) // not where it is endless, which the device ends
}

func isConfig(s any) bool {
	switch s.(type) {
	case sgemm.Config, tensorop.Config, attention.Config, persistent.Config:
		return true
	}
	return false
}

// without leaves out a value: nil is static.
func without(all []any, what any) (rest []any) {
	for _, a := range all {
		if a != what {
			rest = append(rest, a)
		}
	}
	return rest
}

func floats[E float32 | dtype.Float16](x []E) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		switch v := any(v).(type) {
		case float32:
			out[i] = v
		case dtype.Float16:
			out[i] = v.Float32()
		}
	}
	return out
}
