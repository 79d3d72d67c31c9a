package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile"
)

// usual are the workloads that are measured by default.
const usual = "gemm:1024x1024x1024,gemm:4096x4096x4096,softmax:8192x4096,attention:4x16x2048x128,add:67108864"

// workload is a kind of work with its extents.
type workload struct {
	name string // such as gemm:1024x1024x1024
	kind *kind
	dims []int
}

// kind is a kind of work.
type kind struct {
	name, axes string
	unit       string // of speeds: TFLOP/s or GB/s
	work       func(d []int) float64
	problem    func(d []int) *problem
	// prepare compiles the kernel for a device that has the problem's arrays.
	prepare func(ctx context.Context, dev *cutile.Device, d []int, p *problem) (*job, error)
}

// problem is the data of a workload.
type problem struct {
	in    []array
	out   []int // the extents of the result
	check func(out []float32) error
}

// array is an argument: numbers that its elements have exactly.
type array struct {
	shape []int
	data  []float32
}

// job is a workload on a device.
type job struct {
	clear  func(ctx context.Context) error // fills the result with NaN
	launch func(ctx context.Context) error // queues one launch
	sync   func(ctx context.Context) error
	read   func(ctx context.Context) ([]float32, error)
	close  func() error
}

// parse reads a list such as gemm:256x256x256,add:1000.
func parse(list string) (out []workload, err error) {
	for text := range strings.SplitSeq(list, ",") {
		name, extents, _ := strings.Cut(text, ":")
		at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
		if at < 0 {
			return nil, fmt.Errorf("%q is no workload: expected a list such as %s", text, usual)
		}
		w := workload{name: text, kind: &kinds[at]}
		for part := range strings.SplitSeq(extents, "x") {
			n, err := strconv.Atoi(part)
			if err != nil || n < 1 || n > 1<<30 {
				return nil, fmt.Errorf("%q: %q is no extent", text, part)
			}
			w.dims = append(w.dims, n)
		}
		if want := strings.Fields(w.kind.axes); len(want) != len(w.dims) {
			return nil, fmt.Errorf("%q has %d extents, expected those of %s", text, len(w.dims), strings.Join(want, ", "))
		}
		out = append(out, w)
	}
	return out, nil
}

// size is the number of elements of a shape.
func size(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}
