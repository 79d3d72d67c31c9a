package onnx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/onnx"
)

// TestPoolPads: padding as wide as a window is refused where ONNX Runtime 1.23 refuses it, whatever the dilations and auto_pad are.
func TestPoolPads(t *testing.T) {
	dev := open(t)
	x, err := device.Full[float32](dev, 1, 1, 1, 6, 6)
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range []string{"MaxPool", "AveragePool", "LpPool"} {
		for _, c := range []struct {
			pads    []int
			more    []message
			refused bool
		}{
			{[]int{1, 2, 1, 2}, nil, false},
			{[]int{1, 2, 1, 2}, []message{attribute("dilations", []int{2, 2})}, false},
			{[]int{2, 0, 0, 0}, nil, true},
			{[]int{0, 0, 0, 3}, nil, true},
			{[]int{2, 0, 2, 0}, []message{attribute("dilations", []int{3, 3})}, true},
			{[]int{0, 9, 0, 0}, []message{attribute("auto_pad", "SAME_UPPER")}, true},
			{[]int{0, 9, 0, 0}, []message{attribute("auto_pad", "VALID")}, true},
		} {
			n := nodeProto(op, []string{"x"}, []string{"y"}, append(c.more, attribute("kernel_shape", []int{2, 3}), attribute("pads", c.pads))...)
			_, err := runModel(t, dev, graphProto{[]message{n}, nil, []message{infoProto("x", 1, 1, 1, 6, 6)}, []message{infoProto("y", 1)}}, 22, map[string]device.AnyTensor{"x": x})
			want := fmt.Sprintf("node 0 \"the %s\" (%s): pads is %v for windows of size [2 3], expected less padding", op, op, c.pads)
			switch {
			case !c.refused && err != nil:
				t.Errorf("%s with pads %v: %v", op, c.pads, err)
			case c.refused && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s with pads %v: the error is %v, expected one with %q", op, c.pads, err, want)
			}
		}
	}
}

// runModel runs a model once.
func runModel(t *testing.T, dev *device.Device, g graphProto, opset int64, inputs map[string]device.AnyTensor) (map[string]device.AnyTensor, error) {
	t.Helper()
	m, err := onnx.Parse(modelProto(g, opset))
	if err != nil {
		return nil, err
	}
	s, err := m.Session(dev, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.Run(t.Context(), inputs)
}
