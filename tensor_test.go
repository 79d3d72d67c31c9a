package cutile_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

func TestTensor(t *testing.T) { onEach(t, testTensor) }

func testTensor(t *testing.T, dev *cutile.Device) {
	x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	must(t, err)
	if !slices.Equal(x.Shape(), []int{2, 3}) || !slices.Equal(x.Strides(), []int{3, 1}) || x.Rank() != 2 || x.Len() != 6 ||
		x.Device() != dev || x.DType() != dtype.F32 || !x.IsContiguous() || x.Err() != nil || x.Tensor() != x {
		t.Errorf("%v: strides %v, rank %d, %d elements", x, x.Strides(), x.Rank(), x.Len())
	}
	x.Shape()[0] = 7
	if want := "Tensor[float32] of shape [2 3] on " + dev.Name(); x.String() != want {
		t.Errorf("got %v, want %s", x, want)
	}
	one, err := cutile.FromSlice(dev, []int8{5})
	must(t, err)
	if n, err := one.Item(); n != 5 || err != nil {
		t.Errorf("Item is %d, %v", n, err)
	}
	scalar := zeros[float64](t, dev)
	must(t, scalar.Fill(t.Context(), 2.5))
	if n, err := scalar.Item(); n != 2.5 || err != nil || scalar.Rank() != 0 || scalar.Len() != 1 {
		t.Errorf("rank 0: %v, %v, %v", n, err, scalar)
	}
	_, err = x.Item()
	fails(t, err, "Tensor[float32] of shape [2 3] on "+dev.Name()+": Item needs one element, but it has 6: use Slice, or narrow it first")
	empty := zeros[int32](t, dev, 3, 0, 2)
	holds(t, "empty", empty, "[]")
	must(t, empty.Write(t.Context(), nil))
	holds(t, "empty part", x.Narrow(1, 2, 2), "[]")
}

// TestElements writes and reads each element type.
func TestElements(t *testing.T) { onEach(t, testElements) }

func testElements(t *testing.T, dev *cutile.Device) {
	roundTrip(t, dev, []bool{true, false, true})
	roundTrip(t, dev, []int8{-128, 127})
	roundTrip(t, dev, []int16{-32768, 32767})
	roundTrip(t, dev, []int32{math.MinInt32, math.MaxInt32})
	roundTrip(t, dev, []int64{math.MinInt64, math.MaxInt64})
	roundTrip(t, dev, []uint8{0, 255})
	roundTrip(t, dev, []uint16{0, 65535})
	roundTrip(t, dev, []uint32{0, math.MaxUint32})
	roundTrip(t, dev, []uint64{0, math.MaxUint64})
	roundTrip(t, dev, []dtype.Float16{dtype.Float16FromFloat32(0.5), 0x7c00})
	roundTrip(t, dev, []dtype.BFloat16{dtype.BFloat16FromFloat32(-2)})
	roundTrip(t, dev, []float32{1e-45, float32(math.Inf(-1))})
	roundTrip(t, dev, []float64{math.Pi, 5e-324})
}

func roundTrip[E dtype.Elem](t *testing.T, dev *cutile.Device, data []E) {
	t.Helper()
	x, err := cutile.FromSlice(dev, data)
	must(t, err)
	got, err := x.Slice()
	if !slices.Equal(got, data) || err != nil || x.DType() != dtype.Of[E]() {
		t.Errorf("%v: got %v, %v", x, got, err)
	}
}

func TestViews(t *testing.T) { onEach(t, testViews) }

func testViews(t *testing.T, dev *cutile.Device) {
	x := ramp(t, dev, 2, 3, 2)
	cases := []struct {
		name string
		view *cutile.Tensor[float32]
		want string
	}{
		{"Narrow", x.Narrow(1, 1, 3), "[2 2 2] [3 4 5 6 9 10 11 12]"},
		{"Select", x.Select(1, 2), "[2 2] [5 6 11 12]"},
		{"T", x.Select(0, 0).T(), "[2 3] [1 3 5 2 4 6]"},
		{"T of a batch", x.T(), "[2 2 3] [1 3 5 2 4 6 7 9 11 8 10 12]"},
		{"Permute", x.Permute(2, 0, 1), "[2 2 3] [1 3 5 7 9 11 2 4 6 8 10 12]"},
		{"Reshape", x.Reshape(4, 3), "[4 3] [1 2 3 4 5 6 7 8 9 10 11 12]"},
		{"Flatten", x.Narrow(0, 1, 2).Flatten(), "[6] [7 8 9 10 11 12]"},
		{"Broadcast", x.Select(1, 0).Select(0, 1).Broadcast(3, 2), "[3 2] [7 8 7 8 7 8]"},
		{"to rank 0", x.Select(0, 1).Select(0, 0).Select(0, 1), "[] [8]"},
		{"Reshape of a view", x.T().Reshape(1, 2, 2, 3), "[1 2 2 3] [1 3 5 2 4 6 7 9 11 8 10 12]"},
	}
	for _, c := range cases {
		data, err := c.view.Slice()
		if got := fmt.Sprint(c.view.Shape(), " ", data); got != c.want || err != nil {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
		// Contiguous and Copy keep shape and elements.
		dense, err := c.view.Contiguous()
		must(t, err)
		data, err = dense.Slice()
		if got := fmt.Sprint(dense.Shape(), " ", data); got != c.want || err != nil || !dense.IsContiguous() {
			t.Errorf("Contiguous of %s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	if same, _ := x.Contiguous(); same != x {
		t.Error("Contiguous copied a contiguous tensor")
	}
}

func TestWritesThroughViews(t *testing.T) { onEach(t, testWritesThroughViews) }

func testWritesThroughViews(t *testing.T, dev *cutile.Device) {
	x := zeros[float32](t, dev, 2, 3)
	must(t, x.T().Narrow(0, 1, 3).Write(t.Context(), []float32{1, 2, 3, 4}))
	holds(t, "Write", x, "[0 1 3 0 2 4]")
	must(t, x.Select(1, 1).Fill(t.Context(), 9))
	holds(t, "Fill", x, "[0 9 3 0 9 4]")
	must(t, x.Select(0, 1).Copy(t.Context(), x.Select(0, 0)))
	holds(t, "Copy of a row", x, "[0 9 3 0 9 3]")
	must(t, x.Narrow(1, 0, 2).Copy(t.Context(), x.Narrow(1, 1, 3)))
	holds(t, "Copy onto itself", x, "[9 3 3 9 3 3]")
	other := open(t)
	y := zeros[float32](t, other, 2, 3)
	must(t, y.Copy(t.Context(), x))
	holds(t, "Copy to another device", y, "[9 3 3 9 3 3]")
}

func TestTensorMistakes(t *testing.T) {
	dev := open(t)
	x := ramp(t, dev, 2, 3)
	_, short := cutile.FromSlice(dev, []int32{1, 2, 3}, 2, 2)
	_, negative := cutile.NewTensor[int8](dev, 2, -1)
	_, huge := cutile.NewTensor[int8](dev, 1<<40, 1<<40)
	_, none := cutile.NewTensor[int8](nil, 1)
	_, read := x.Select(0, 5).Slice()
	_, dense := x.Select(0, 5).Contiguous()
	const axis = "cutile: Select of Tensor[float32]: index 5 is not within axis 0 of shape [2 3]"
	cases := []struct {
		err  error
		want string
	}{
		{short, "cutile: shape [2 2] has 4 elements, but the slice has 3"},
		{negative, "cutile: tensor of int8: shape [2 -1]: the extent of axis 1 is negative"},
		{huge, "too many elements"},
		{none, "the device is nil"},
		{x.Select(0, 5).Err(), axis},
		{x.Select(0, 5).T().Narrow(7, 1, 1).Err(), axis},
		{read, axis},
		{dense, axis},
		{x.Select(0, 5).Write(t.Context(), nil), axis},
		{x.Select(0, 5).Fill(t.Context(), 1), axis},
		{x.Copy(t.Context(), x.Select(0, 5)), axis},
		{x.Narrow(1, 2, 4).Err(), "cutile: Narrow of Tensor[float32]: range [2, 4) is not within axis 1 of shape [2 3]"},
		{x.T().Reshape(6).Err(), "cannot be seen as shape [6] without a copy"},
		{x.T().Flatten().Err(), "cutile: Flatten of Tensor[float32]: shape [3 2] with strides [1 3]"},
		{x.Broadcast(2, 2).Err(), "shape [2 3] does not spread to [2 2]"},
		{x.Permute(0, 0).Err(), "axes [0 0] do not name each axis of shape [2 3] once"},
		{x.Select(0, 0).T().Err(), "shape [3] has no two axes to swap"},
		{x.Read(t.Context(), make([]float32, 5)), "it has 6 elements, but the slice has 5"},
		{x.Select(0, 0).Broadcast(2, 3).Fill(t.Context(), 1), "two of its indices are one element, as in a broadcast view, so that it cannot be written"},
		{x.Copy(t.Context(), x.T()), "cutile: Tensor[float32] of shape [2 3] on cpu: it cannot take a copy of a tensor of shape [3 2]: give both the same shape"},
		{x.Copy(t.Context(), x.Select(0, 0)), "of shape [2 3] on cpu: it cannot take a copy of a tensor of shape [3]: "},
		{x.Narrow(0, 0, 0).Copy(t.Context(), x.Narrow(1, 0, 0)), "of shape [0 3] on cpu: it cannot take a copy of a tensor of shape [2 0]: "},
	}
	for _, c := range cases {
		fails(t, c.err, c.want)
	}
	broken := x.Select(0, 5)
	if broken.Len() != 0 || broken.Rank() != 0 || broken.IsContiguous() || broken.Close() != nil {
		t.Errorf("a view that cannot be made: %s", broken)
	}
	fails(t, fmt.Errorf("%s", broken), "Tensor[float32] with the error")
	var zero cutile.Tensor[float32]
	const unmade = "cutile: the tensor was not made by NewTensor or FromSlice"
	_, err := zero.Slice()
	fails(t, err, unmade)
	fails(t, zero.T().Write(t.Context(), nil), unmade)
	fails(t, cutile.Launch(t.Context(), dev, double[tile.D2], &zero), "argument #1 (x): "+unmade)
	if zero.Len() != 0 || zero.IsContiguous() || zero.Close() != nil || zero.String() != "uninitialized Tensor[float32]" {
		t.Errorf("the zero Tensor: %v", &zero)
	}
}
