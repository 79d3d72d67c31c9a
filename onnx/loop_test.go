package onnx_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
)

// TestLoopWithout: both the number of iterations and the condition may be left out. Without both, a loop goes on as long as its body says.
func TestLoopWithout(t *testing.T) {
	body := func(on string) graphProto {
		return graphProto{nodes: []message{nodeProto("Add", []string{"s", "one"}, []string{"t"}), nodeProto(on, []string{"i", "limit"}, []string{"next"}), nodeProto("Add", []string{"t", "none"}, []string{"next_s"})},
			inputs: []message{infoProto("i", 7), infoProto("on", 9), infoProto("s", 1, 2)}, outputs: []message{infoProto("next", 9), infoProto("next_s", 1, 2)}}
	}
	dev := open(t)
	run := func(on string, limit int, in ...string) ([]float32, error) {
		s := sessionOf(t, dev, 18, []message{infoProto("x", 1, 2)}, []string{"y"},
			nodeProto("Constant", nil, []string{"n"}, attribute("value_int", 3)), nodeProto("Constant", nil, []string{"limit"}, attribute("value_int", limit)),
			nodeProto("Constant", nil, []string{"yes"}, attribute("value", tensorProto("", 9, []byte{1}))), nodeProto("Constant", nil, []string{"one"}, attribute("value_float", 1.0)),
			nodeProto("Constant", nil, []string{"none"}, attribute("value_float", 0.0)), nodeProto("Loop", append(in, "x"), []string{"y"}, attribute("body", body(on))))
		x, err := device.FromSlice(dev, []float32{5, 7})
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Run(t.Context(), map[string]device.AnyTensor{"x": x})
		if err != nil {
			return nil, err
		}
		return out["y"].(*device.Tensor[float32]).Slice()
	}
	for _, c := range []struct {
		on    string
		limit int
		in    []string
		want  []float32
	}{
		{"Less", 9, []string{"n", ""}, []float32{8, 10}}, {"Less", 1, []string{"", "yes"}, []float32{7, 9}},
		{"Less", 4, []string{"", ""}, []float32{10, 12}}, {"Less", 4, []string{"n", "yes"}, []float32{8, 10}},
	} {
		if got, err := run(c.on, c.limit, c.in...); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("inputs %q, below %d: got %v (%v), expected %v", c.in, c.limit, got, err, c.want)
		}
	}
	if _, err := run("GreaterOrEqual", 0, "", ""); err == nil || !strings.Contains(err.Error(), "iterations") {
		t.Errorf("a loop that never ends gives %v", err)
	}
}

// TestSessionClose: a closed session gives its memory back, and refuses runs.
func TestSessionClose(t *testing.T) {
	dev := open(t)
	before := dev.Stats().MemoryBytes
	weights := make([]byte, 4*200*200)
	s := sessionOf(t, dev, 18, []message{infoProto("x", 1, -1, 200)}, []string{"y"},
		nodeProto("Constant", nil, []string{"w"}, attribute("value", tensorProto("", 1, weights, 200, 200))), nodeProto("MatMul", []string{"x", "w"}, []string{"y"}))
	x, err := device.NewTensor[float32](dev, 3, 200)
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]device.AnyTensor{"x": x}
	out, err := s.Run(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := out["y"].(*device.Tensor[float32]).Slice(); err != nil {
		t.Errorf("a result of a closed session: %v", err)
	}
	if _, err := s.Run(t.Context(), in); !errors.Is(err, device.ErrClosed) {
		t.Errorf("a run of a closed session gives %v", err)
	}
	out["y"].(*device.Tensor[float32]).Close()
	x.Close()
	if err := dev.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := dev.Stats().MemoryBytes; got != before {
		t.Errorf("%d bytes are left, expected %d", got, before)
	}
}
