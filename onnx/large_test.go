package onnx_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cutile-go/cutile/device"
)

// TestLargeNumbers: errors have the numbers of the model with all their digits, not the limit that they were brought to.
func TestLargeNumbers(t *testing.T) {
	const large = 1 << 62
	dev := open(t)
	x, err := device.Full[float32](dev, 1, 1, 1, 4)
	if err != nil {
		t.Fatal(err)
	}
	n := int64Tensor("n", large)
	for _, c := range []struct {
		want string
		node message
	}{
		{`(Softmax): the attribute "axis" has 4611686018427387904, expected`, nodeProto("Softmax", []string{"x"}, []string{"y"}, attribute("axis", large))},
		{`(Conv): the attribute "group" has -4611686018427387904, expected`, nodeProto("Conv", []string{"x", "x"}, []string{"y"}, attribute("group", -large))},
		{`(MaxPool): the attribute "kernel_shape" has 4611686018427387904, expected`, nodeProto("MaxPool", []string{"x"}, []string{"y"}, attribute("kernel_shape", []int{large}))},
		{`(Reshape): input 1 has 4611686018427387904, expected`, nodeProto("Reshape", []string{"x", "n"}, []string{"y"})},
		{`(CumSum): input 1 has 4611686018427387904, expected`, nodeProto("CumSum", []string{"x", "n"}, []string{"y"})},
		{`(CumSum): input 1 is 4611686018427387904, expected`, nodeProto("CumSum", []string{"x", "f"}, []string{"y"})},
		{`(Gather): index 4611686018427387904 of input 1`, nodeProto("Gather", []string{"x", "n"}, []string{"y"})},
		{`(Range): from -4611686018427387904 to 4611686018427387904 by 1 are more than`, nodeProto("Range", []string{"below", "n", "one"}, []string{"y"})},
	} {
		g := graphProto{[]message{c.node}, []message{n, int64Tensor("below", -large), int64Tensor("one", 1), tensorProto("f", 1, protowire.AppendFixed32(nil, math.Float32bits(large)))}, []message{infoProto("x", 1, 1, 1, 4)}, []message{infoProto("y", 1)}}
		_, err := runModel(t, dev, g, 18, map[string]device.AnyTensor{"x": x})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected one with %q", err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}

// TestLargeValues: constants of large integers are exact, and what lies far behind an end of an axis means that end.
func TestLargeValues(t *testing.T) {
	dev := open(t)
	x, err := device.FromSlice(dev, []float32{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	g := graphProto{
		nodes: []message{
			nodeProto("Constant", nil, []string{"one"}, attribute("value_int", math.MaxInt64)),
			nodeProto("Constant", nil, []string{"list"}, attribute("value_ints", []int{math.MinInt64, 1<<53 + 1})),
			nodeProto("Slice", []string{"x", "from", "to", "axes", "step"}, []string{"back"}),
			nodeProto("Shape", []string{"x"}, []string{"shape"}, attribute("start", math.MinInt64), attribute("end", math.MaxInt64)),
			nodeProto("Range", []string{"near", "nearer", "two"}, []string{"range"}),
			nodeProto("Range", []string{"nearer", "near", "back two"}, []string{"down"}),
			nodeProto("Trilu", []string{"m", "far"}, []string{"upper"}),
		},
		initializers: []message{int64Tensor("from", math.MaxInt64), int64Tensor("to", math.MinInt64), int64Tensor("axes", 0), int64Tensor("step", -1),
			int64Tensor("near", 1<<60+1), int64Tensor("nearer", 1<<60+6), int64Tensor("two", 2), int64Tensor("back two", -2),
			int64Tensor("far", math.MinInt64), tensorProto("m", 7, make([]byte, 8), 1, 1)},
		inputs:  []message{infoProto("x", 1, 4)},
		outputs: []message{infoProto("one", 7), infoProto("list", 7), infoProto("back", 1), infoProto("shape", 7), infoProto("upper", 7), infoProto("range", 7), infoProto("down", 7)},
	}
	out, err := runModel(t, dev, g, 18, map[string]device.AnyTensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]int64{"one": {math.MaxInt64}, "list": {math.MinInt64, 1<<53 + 1}, "shape": {4}, "upper": {0},
		"range": {1<<60 + 1, 1<<60 + 3, 1<<60 + 5}, "down": {1<<60 + 6, 1<<60 + 4, 1<<60 + 2}} {
		if got, err := out[name].(*device.Tensor[int64]).Slice(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %v, %v, expected %v", name, got, err, want)
		}
	}
	if got, err := out["back"].(*device.Tensor[float32]).Slice(); err != nil || !slices.Equal(got, []float32{4, 3, 2, 1}) {
		t.Errorf("the slice is %v, %v, expected [4 3 2 1]", got, err)
	}
}
