package onnx_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/onnx"
)

func int64Tensor(name string, x int64) message {
	return tensorProto(name, 7, protowire.AppendFixed64(nil, uint64(x)))
}

// TestDFT compares transforms of signals [2, 6, 3, parts] with the definition: versions 17 and 20, axes, lengths that pad and cut, and
// halves.
func TestDFT(t *testing.T) {
	dev := open(t)
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		opset               int64
		parts, axis, length int
		inverse, oneSided   int
	}{
		{17, 2, 1, 6, 0, 0}, {17, 1, 2, 3, 0, 1}, {19, 1, -3, 9, 0, 0}, {20, 2, 1, 4, 1, 0}, {20, 1, -2, 8, 0, 1}, {20, 1, 0, 2, 1, 0}, {22, 2, 2, 1, 0, 0},
	} {
		shape := []int{2, 6, 3}
		x := make([]float32, 36*c.parts)
		for i := range x {
			x[i] = float32(r.NormFloat64())
		}
		initial := []message{int64Tensor("n", int64(c.length)), int64Tensor("axis", int64(c.axis))}
		attrs, inputs := []message{attribute("inverse", c.inverse), attribute("onesided", c.oneSided)}, []string{"x", "n"}
		if c.opset < 20 {
			attrs = append(attrs, attribute("axis", c.axis))
		} else {
			inputs = append(inputs, "axis")
		}
		m, err := onnx.Parse(modelProto(graphProto{[]message{nodeProto("DFT", inputs, []string{"y"}, attrs...)}, initial, []message{infoProto("x", 1, 2, 6, 3, int64(c.parts))}, []message{infoProto("y", 1)}}, c.opset))
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.Session(dev, nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := device.FromSlice(dev, x, 2, 6, 3, c.parts)
		if err != nil {
			t.Fatal(err)
		}
		got := draw(t, s, map[string]device.AnyTensor{"x": in}, "y")
		axis := c.axis
		if axis < 0 {
			axis += 4
		}
		after := []int{18, 3, 1}[axis]
		have, rows := shape[axis], c.length
		if c.oneSided == 1 {
			rows = c.length/2 + 1
		}
		sign, scale := -1.0, 1.0
		if c.inverse == 1 {
			sign, scale = 1, 1/float64(c.length)
		}
		if len(got) != 36/have*rows*2 {
			t.Errorf("%+v: %d numbers", c, len(got))
			continue
		}
		for i := range len(got) / 2 {
			k, first := i/after%rows, i/(after*rows)*after*have+i%after
			var want complex128
			for j := range min(have, c.length) {
				at := (first + j*after) * c.parts
				v := complex(float64(x[at]), 0)
				if c.parts == 2 {
					v = complex(float64(x[at]), float64(x[at+1]))
				}
				want += v * cmplx.Rect(scale, sign*2*math.Pi*float64(j*k)/float64(c.length))
			}
			if d := cmplx.Abs(want - complex(got[2*i], got[2*i+1])); d > 1e-5 {
				t.Fatalf("%+v: number %d is %v, expected %v", c, i, got[2*i:2*i+2], want)
			}
		}
	}
}

// TestFourierRefused: wrong arguments.
func TestFourierRefused(t *testing.T) {
	for _, c := range []struct {
		node    message
		n, want string
	}{
		{nodeProto("DFT", []string{"x", "n"}, []string{"y"}), "0", "dft_length is 0"},
		{nodeProto("DFT", []string{"x", "n"}, []string{"y"}), fmt.Sprint(1 << 40), "dft_length is"},
		{nodeProto("DFT", []string{"x", "", "n"}, []string{"y"}), "2", "axis 2 is that of the real and imaginary parts"},
		{nodeProto("DFT", []string{"x"}, []string{"y"}, attribute("onesided", 1)), "0", "onesided is 1 for complex numbers"},
		{nodeProto("STFT", []string{"x", "n"}, []string{"y"}, attribute("onesided", 0)), "1", "frames of 0 elements"},
		{nodeProto("STFT", []string{"x", "n", "", "n"}, []string{"y"}), "3", "onesided is 1 for complex numbers"},
		{nodeProto("STFT", []string{"x", "n", "", "n"}, []string{"y"}), "9", "frames of 9 elements that begin 9 apart in a signal of 8"},
		{nodeProto("MelWeightMatrix", []string{"n", "n", "n", "n", "n"}, []string{"y"}), fmt.Sprint(1 << 39), "at most 65536 weights"},
		{nodeProto("MelWeightMatrix", []string{"n", "n", "n", "n", "n"}, []string{"y"}), "0", "expected at least 1"},
		{nodeProto("MelWeightMatrix", []string{"n", "n", "n", "n", "n"}, []string{"y"}), "9", "is none of the 5 frequencies"},
	} {
		var n int64
		fmt.Sscan(c.n, &n)
		m, err := onnx.Parse(modelProto(graphProto{[]message{c.node}, []message{int64Tensor("n", n)}, []message{infoProto("x", 1, 2, 8, 2)}, []message{infoProto("y", 1)}}, 20))
		if err == nil {
			err = onnx.Build(t.Context(), m, open(t), 1<<16)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected one with %q", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}
