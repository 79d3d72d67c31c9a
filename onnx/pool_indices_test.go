package onnx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/device"
)

// TestMaxIndices compares the indices of MaxPool with a loop over each window, also where its elements are all the lowest number, and
// with types whose lowest number is no infinity.
func TestMaxIndices(t *testing.T) {
	dev := open(t)
	r := rand.New(rand.NewPCG(5, 7))
	for i := range 60 {
		p := maxPooled{size: [2]int{1 + r.IntN(3), 1 + r.IntN(3)}, shape: [4]int{1 + r.IntN(2), 1 + r.IntN(2), 5 + r.IntN(3), 5 + r.IntN(3)}, columns: r.IntN(2)}
		for a := range 2 {
			p.stride[a], p.dilation[a], p.pads[a], p.pads[2+a] = 1+r.IntN(2), 1+r.IntN(2), r.IntN(p.size[a]), r.IntN(p.size[a])
		}
		t.Run(fmt.Sprint(i, p), func(t *testing.T) {
			switch i % 3 {
			case 0:
				numbers := []float32{float32(math.Inf(-1)), float32(math.Inf(-1)), float32(math.NaN()), -1, 2, 2}
				comparePooled(t, dev, p, 1, func() float32 { return numbers[r.IntN(2+r.IntN(5))%len(numbers)] })
			case 1:
				comparePooled(t, dev, p, 3, func() int8 { return []int8{-128, -128, 5, 127}[r.IntN(4)] })
			case 2:
				comparePooled(t, dev, p, 2, func() uint8 { return []uint8{0, 0, 9}[r.IntN(3)] })
			}
		})
	}
}

// maxPooled is a MaxPool of pictures.
type maxPooled struct {
	shape                  [4]int
	size, stride, dilation [2]int
	pads                   [4]int
	columns                int
}

func comparePooled[E float32 | int8 | uint8](t *testing.T, dev *device.Device, p maxPooled, elem int64, element func() E) {
	data := make([]E, p.shape[0]*p.shape[1]*p.shape[2]*p.shape[3])
	for i := range data {
		data[i] = element()
	}
	x, err := device.FromSlice(dev, data, p.shape[:]...)
	if err != nil {
		t.Fatal(err)
	}
	n := nodeProto("MaxPool", []string{"x"}, []string{"y", "at"}, attribute("kernel_shape", p.size[:]), attribute("strides", p.stride[:]),
		attribute("dilations", p.dilation[:]), attribute("pads", p.pads[:]), attribute("storage_order", p.columns))
	dims := []int64{int64(p.shape[0]), int64(p.shape[1]), int64(p.shape[2]), int64(p.shape[3])}
	out, err := runModel(t, dev, graphProto{[]message{n}, nil, []message{infoProto("x", elem, dims...)}, []message{infoProto("y", elem), infoProto("at", 7)}}, 18,
		map[string]device.AnyTensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	got, err := out["at"].(*device.Tensor[int64]).Slice()
	if err != nil {
		t.Fatal(err)
	}
	if want := indices(p, data); !slices.Equal(got, want) {
		t.Errorf("the indices are %v, expected %v, of %v", got, want, data)
	}
}

// indices finds the first of the greatest elements of each window.
func indices[E float32 | int8 | uint8](p maxPooled, data []E) (all []int64) {
	places := func(a int) int {
		return (p.shape[2+a]+p.pads[a]+p.pads[2+a]-(p.size[a]-1)*p.dilation[a]-1)/p.stride[a] + 1
	}
	for plane := range p.shape[0] * p.shape[1] {
		for i := range places(0) {
			for j := range places(1) {
				best, at := -1, int64(0)
				for u := range p.size[0] {
					for v := range p.size[1] {
						row, col := i*p.stride[0]-p.pads[0]+u*p.dilation[0], j*p.stride[1]-p.pads[1]+v*p.dilation[1]
						if row < 0 || col < 0 || row >= p.shape[2] || col >= p.shape[3] {
							continue
						}
						k := (plane*p.shape[2]+row)*p.shape[3] + col
						if best < 0 || data[best] == data[best] && (data[k] > data[best] || data[k] != data[k]) {
							best, at = k, int64(k)
							if p.columns == 1 {
								at = int64(plane*p.shape[2]*p.shape[3] + col*p.shape[2] + row)
							}
						}
					}
				}
				all = append(all, at)
			}
		}
	}
	return all
}
