package cute_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// TestMarks: which leaves of a tensor's layout are dynamic.
func TestMarks(t *testing.T) {
	dev, _ := open(t)
	m := must(cutile.NewTensor[float32](dev, 6, 8))(t)
	block := must(cutile.NewTensor[float32](dev, 4, 6, 8))(t)
	for _, c := range []struct {
		name string
		got  cute.Tensor[float32]
		want string
	}{
		{"rows", cute.Of[float32](m), "(?,?):(?,1), 16 bytes aligned"},
		{"columns", cute.Of[float32](m.T()), "(?,?):(1,?), 16 bytes aligned"},
		{"vector", cute.Of[float32](must(cutile.NewTensor[float32](dev, 5))(t)), "(?):(1), 16 bytes aligned"},
		{"one column", cute.Of[float32](must(cutile.NewTensor[float32](dev, 5, 1))(t)), "(?,?):(?,1), 16 bytes aligned"},
		{"every other", cute.Of[float32](m.Select(1, 3)), "(?):(?), 4 bytes aligned"},
		{"repeated", cute.Of[float32](m.Select(0, 2).Broadcast(3, 8)), "(?,?):(0,1), 16 bytes aligned"},
		{"number", cute.Of[float32](must(cutile.NewTensor[float32](dev))(t)), "(?):(1), 16 bytes aligned"},
		{"far", cute.Of[float32](m.Select(0, 0).Select(0, 0).Broadcast(1<<31, 2)), "(?{i64},?{i64}):(0,0), 16 bytes aligned"},
		{"static", cute.Of[float32](m, cute.Static()), "(6,8):(8,1), 16 bytes aligned"},
		{"leading", cute.Of[float32](m.T(), cute.Dynamic(0)), "(?,?):(1,?), 16 bytes aligned"},
		{"rows by 2", cute.Of[float32](m, cute.CompactDynamic(0, nil, 2)), "(?{div=2},8):(8,1), 16 bytes aligned"},
		{"columns by 4", cute.Of[float32](m, cute.CompactDynamic(1, nil, 4)), "(6,?{div=4}):(?{div=4},1), 16 bytes aligned"},
		{"two modes", cute.Of[float32](block, cute.CompactDynamic(0, nil, 1), cute.CompactDynamic(2, []int{0, 1, 2}, 8)),
			"(?,6,?{div=8}):(?{div=48},?{div=8},1), 16 bytes aligned"},
		{"in order", cute.Of[float32](m.T(), cute.CompactDynamic(0, []int{1, 0}, 8)), "(?{div=8},6):(1,?{div=8}), 16 bytes aligned"},
		{"no columns", cute.Of[float32](must(cutile.NewTensor[float32](dev, 3, 0))(t), cute.CompactDynamic(1, nil, 4)), "(3,?{div=4}):(?{div=4},1), 16 bytes aligned"},
		{"no rows", cute.Of[float32](must(cutile.NewTensor[float32](dev, 0, 4))(t), cute.CompactDynamic(0, nil, 4)), "(?{div=4},4):(4,1), 16 bytes aligned"},
		{"aligned", cute.Of[float32](m, cute.Align(4)), "(?,?):(?,1), 4 bytes aligned"},
	} {
		if got, want := c.got.String(), "tensor of float32, "+c.want; got != want {
			t.Errorf("%s: got %q (%v), want %q", c.name, got, c.got.Err(), want)
		}
	}
	for want, got := range map[string]cute.Tensor[float32]{
		"Dynamic(0): the tensor with shape [6 8] and strides [8 1] has no mode 0 of stride 1": cute.Of[float32](m, cute.Dynamic(0)),
		"extent 6 of mode 0 is not a multiple of 4":                                           cute.Of[float32](m, cute.CompactDynamic(0, nil, 4)),
		"shape [6 8] has no mode 2":                                                           cute.Of[float32](m, cute.CompactDynamic(2, nil, 1)),
		"order [0 0] does not name each mode of shape [6 8] once":                             cute.Of[float32](m, cute.CompactDynamic(0, []int{0, 0}, 1)),
		"have gaps in the order [1 0]":                                                        cute.Of[float32](m, cute.CompactDynamic(0, []int{1, 0}, 1)),
		"Align(3): the number must be a power of two":                                         cute.Of[float32](m, cute.Align(3)),
		"is not a multiple of 32 bytes, which Align promises":                                 cute.Of[float32](m.Narrow(1, 1, 3), cute.Align(32)),
		"expected memory of float32 for a cute.Tensor[float32], but got *cutile.Tensor[float16]": cute.Of[float32](
			must(cutile.NewTensor[dtype.Float16](dev, 3))(t)),
		"range [5, 9) is not within axis 0": cute.Of[float32](m.Narrow(0, 5, 9)),
	} {
		wantError(t, got.Err(), want)
		wantError(t, cute.Jit(runScale)(got, 1), "argument #1 (x): ", want)
	}
	if l := cute.Of[float32](m).Layout(); l.String() != "(6,8):(8,1)" || l.Size() != 48 {
		t.Errorf("on the host the layout is %v", l)
	}
}

// TestMarkedPrograms: what the marks say is what the program may rely on.
func TestMarkedPrograms(t *testing.T) {
	dev, _ := open(t)
	call := cute.Jit(fillRows)
	before := cute.CompileStats()
	for _, rows := range []int{2, 6, 10} {
		for _, marks := range [][]cute.Mark{nil, {cute.CompactDynamic(0, nil, 2)}} {
			x := must(cutile.NewTensor[float32](dev, rows, 4))(t)
			check(t, call(cute.Of[float32](x, marks...)))
			wantEach(t, x, func(i int) float32 { return float32(i/4*100 + i%4) })
			y := must(cutile.NewTensor[float32](dev, 4, rows))(t)
			check(t, call(cute.Of[float32](y.T())))
			wantEach(t, y, func(i int) float32 { return float32(i%rows*100 + i/rows) })
		}
	}
	if got := since(before); got.Evaluated != 3 {
		t.Errorf("got %+v", got)
	}
}
