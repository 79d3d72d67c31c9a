package onnx_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/onnx"
)

// TestUndefined: an attribute must say of which type it is, as onnx.checker asks for.
func TestUndefined(t *testing.T) {
	axis := message{}.text(1, "axis").number(3, 1)
	x, y := []message{infoProto("x", 1, 2, 4)}, []message{infoProto("y", 1)}
	for _, c := range []struct {
		want string
		data []byte
	}{
		{`onnx: node 0 "the Softmax" (Softmax): the attribute "axis" has the type UNDEFINED (0), expected that of its value`, modelProto(graphProto{[]message{nodeProto("Softmax", []string{"x"}, []string{"y"}, axis)}, nil, x, y}, 18)},
		{`onnx: node 0 "the Softmax" (Softmax): the attribute "axis" has the type UNDEFINED (0)`, modelProto(graphProto{[]message{nodeProto("Softmax", []string{"x"}, []string{"y"}, axis.number(20, 0))}, nil, x, y}, 18)},
		{`onnx: function "F": node 0 "the Softmax" (Softmax): the attribute "axis" has the type UNDEFINED (0)`, message(modelProto(graphProto{[]message{nodeProto("Relu", []string{"x"}, []string{"y"})}, nil, x, y}, 18)).
			bytes(25, functionProto("F", nodeProto("Softmax", []string{"x"}, []string{"z"}, axis)))},
	} {
		if _, err := onnx.Parse(c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected one with %q", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}

// TestNoOutputs: a session computes something: outputs of the graph, or other values of it.
func TestNoOutputs(t *testing.T) {
	dev := open(t)
	x, err := device.FromSlice(dev, []float32{-1, 2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Parse(modelProto(graphProto{[]message{nodeProto("Relu", []string{"x"}, []string{"y"})}, nil, []message{infoProto("x", 1, 2)}, nil}, 18))
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []*onnx.Options{nil, {Outputs: []string{}}} {
		if _, err := m.Session(dev, opts); err == nil || !strings.Contains(err.Error(), "onnx: the graph has no outputs") {
			t.Errorf("a session without outputs: %v", err)
		}
	}
	s, err := m.Session(dev, &onnx.Options{Outputs: []string{"y"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out, err := s.Run(t.Context(), map[string]device.AnyTensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	if y, err := out["y"].(*device.Tensor[float32]).Slice(); err != nil || !slices.Equal(y, []float32{0, 2}) {
		t.Errorf("y is %v, %v, expected [0 2]", y, err)
	}
}

// TestNegativeExtents: exporters write -1 for an axis that is open, where ONNX has names and nothing for that.
func TestNegativeExtents(t *testing.T) {
	negative := func(name string) message {
		shape := message{}.bytes(1, message{}.number(1, -1)).bytes(1, message{}.number(1, 2))
		return message{}.text(1, name).bytes(2, message{}.bytes(1, message{}.number(1, 1).bytes(2, shape)))
	}
	g := graphProto{[]message{nodeProto("Relu", []string{"x"}, []string{"y"})}, nil, []message{negative("x")}, []message{negative("y")}}
	m, err := onnx.Parse(modelProto(g, 18))
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range slices.Concat(m.Inputs(), m.Outputs()) {
		if !slices.Equal(info.Dims, []onnx.Dim{{N: -1}, {N: 2}}) {
			t.Errorf("%s has the axes %v, expected an open one and one of 2", info.Name, info.Dims)
		}
	}
	dev := open(t)
	x, err := device.FromSlice(dev, []float32{-1, 2, 3, -4, 5, 6}, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	out, err := runModel(t, dev, g, 18, map[string]device.AnyTensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := out["y"].(*device.Tensor[float32]).Slice(); err != nil || !slices.Equal(got, []float32{0, 2, 3, 0, 5, 6}) {
		t.Errorf("y is %v, %v", got, err)
	}
}
