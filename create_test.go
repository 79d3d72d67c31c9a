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

// made checks the elements of a tensor that a function returned.
func made[E dtype.Elem](t *testing.T, what, want string) func(*cutile.Tensor[E], error) {
	return func(x *cutile.Tensor[E], err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		holds(t, what, x, want)
	}
}

// TestCreate: the values are those of numpy.full, arange, linspace and eye.
func TestCreate(t *testing.T) { onEach(t, testCreate) }

func testCreate(t *testing.T, dev *cutile.Device) {
	made[int8](t, "full", "[7 7 7 7 7 7]")(cutile.Full[int8](dev, 7, 2, 3))
	made[bool](t, "true", "[true]")(cutile.Full(dev, true))
	made[int32](t, "range", "[0 1 2 3]")(cutile.Arange[int32](dev, 0, 4, 1))
	made[int32](t, "range by 3", "[1 4 7]")(cutile.Arange[int32](dev, 1, 8, 3))
	made[int32](t, "range by 3, to 7", "[1 4]")(cutile.Arange[int32](dev, 1, 7, 3))
	made[int64](t, "range down", "[5 3 1 -1]")(cutile.Arange[int64](dev, 5, -2, -2))
	made[int32](t, "empty range", "[]")(cutile.Arange[int32](dev, 5, 1, 1))
	made[uint8](t, "range of bytes", "[0 100 200]")(cutile.Arange[uint8](dev, 0, 255, 100))
	made[int64](t, "wide range", "[-9223372036854775808 -1 9223372036854775806]")(cutile.Arange[int64](dev, math.MinInt64, math.MaxInt64, math.MaxInt64))
	made[uint64](t, "wide range", "[18446744073709551613 18446744073709551614]")(cutile.Arange[uint64](dev, math.MaxUint64-2, math.MaxUint64, 1))
	made[float32](t, "range by halves", "[0 0.5 1 1.5]")(cutile.Arange[float32](dev, 0, 2, 0.5))
	made[float64](t, "range by tenths", "[0 0.1 0.2 0.30000000000000004 0.4]")(cutile.Arange[float64](dev, 0, 0.5, 0.1))
	made[float64](t, "range down", "[1 0.25 -0.5]")(cutile.Arange[float64](dev, 1, -1, -0.75))
	made[float64](t, "distances", "[0 0.25 0.5 0.75 1]")(cutile.Linspace[float64](dev, 0, 1, 5))
	made[dtype.Float16](t, "half distances", "[2 1 0 -1]")(cutile.Linspace[dtype.Float16](dev, 2, -1, 4))
	made[float32](t, "one distance", "[3]")(cutile.Linspace[float32](dev, 3, 9, 1))
	made[float32](t, "no distance", "[]")(cutile.Linspace[float32](dev, 3, 9, 0))
	made[float32](t, "eye", "[1 0 0 0 1 0 0 0 1]")(cutile.Eye[float32](dev, 3))
	made[dtype.BFloat16](t, "half eye", "[1 0 0 1]")(cutile.Eye[dtype.BFloat16](dev, 2))
	made[bool](t, "eye of truth values", "[true false false true]")(cutile.Eye[bool](dev, 2))
	made[int64](t, "no eye", "[]")(cutile.Eye[int64](dev, 0))
	wide, err := cutile.Eye[float64](dev, 701) // several parts
	must(t, err)
	data, err := wide.Slice()
	must(t, err)
	for i, x := range data {
		if (x == 1) != (i%702 == 0) || x != 0 && x != 1 {
			t.Fatalf("element %d of the eye is %v", i, x)
		}
	}
	many, err := cutile.Arange[int32](dev, 0, 1<<19+5, 1)
	must(t, err)
	if data, err := many.Slice(); err != nil || data[len(data)-1] != 1<<19+4 || !slices.IsSorted(data) {
		t.Errorf("a long range ends in %d, %v", data[len(data)-1], err)
	}
}

func TestCreateWrong(t *testing.T) {
	dev := open(t)
	_, err := cutile.Arange[int32](dev, 0, 5, 0)
	fails(t, err, "cutile: Arange: the step is 0: expected a number other than 0")
	_, err = cutile.Arange[float32](dev, 0, float32(math.Inf(1)), 1)
	fails(t, err, "cutile: Arange: there is no number of elements from 0 to +Inf by 1")
	_, err = cutile.Arange[float64](dev, 0, 1, math.NaN())
	fails(t, err, "the step is NaN")
	_, err = cutile.Arange[uint64](dev, 0, math.MaxUint64, 1)
	fails(t, err, "cutile: Arange: 18446744073709551615 elements are too many")
	_, err = cutile.Linspace[float32](dev, 0, 1, -1)
	fails(t, err, "cutile: Linspace: the number of elements is -1")
	_, err = cutile.Linspace[float32](dev, 0, math.Inf(1), 2)
	fails(t, err, "cutile: Linspace: from 0 to +Inf: expected finite numbers")
	_, err = cutile.Eye[float32](dev, -1)
	fails(t, err, "cutile: Eye: the number of rows is -1")
	_, err = cutile.Eye[dtype.Float8E8M0FNU](dev, 2)
	fails(t, err, "cutile: Eye: float8_e8m0fnu has no zero")
	_, err = cutile.Full[float32](dev, 1, 2, -3)
	fails(t, err, "the extent of axis 1 is negative")
	_, err = cutile.Uniform[float32](dev, 1, 2, 1, 4)
	fails(t, err, "cutile: Uniform: from 2 to 1: expected finite numbers in this order")
	_, err = cutile.Normal[float32](dev, 1, 0, -1, 4)
	fails(t, err, "cutile: Normal: the mean is 0 and the standard deviation -1")
}

// TestRandom: the numbers are those of any device and any shape, and distributed as they should be.
func TestRandom(t *testing.T) {
	dev := open(t)
	const n = 400_000
	x, err := cutile.Uniform[float64](dev, 42, -1, 3, n)
	must(t, err)
	xs, err := x.Slice()
	must(t, err)
	var sum, squares float64
	var bins [100]int
	for _, x := range xs {
		if x < -1 || x >= 3 {
			t.Fatalf("%v is outside", x)
		}
		sum += x
		squares += x * x
		bins[int((x+1)*25)]++
	}
	chi := 0.0
	for _, k := range bins {
		chi += (float64(k) - n/100) * (float64(k) - n/100) / (n / 100)
	}
	if mean := sum / n; math.Abs(mean-1) > 5*math.Sqrt(16.0/12/n) || math.Abs(squares/n-mean*mean-16.0/12) > 0.02 || chi > 99+5*math.Sqrt(198) || chi < 99-5*math.Sqrt(198) {
		t.Errorf("uniform numbers have the mean %v, the variance %v and chi squared %v", mean, squares/n-mean*mean, chi)
	}
	y, err := cutile.Normal[float64](dev, 42, 2, 3, n)
	must(t, err)
	ys, err := y.Slice()
	must(t, err)
	var moments [5]float64
	within := 0
	for _, y := range ys {
		z := (y - 2) / 3
		for k := range moments {
			moments[k] += math.Pow(z, float64(k)) / n
		}
		if math.Abs(z) < 1 {
			within++
		}
	}
	for k, want := range [5]float64{1, 0, 1, 0, 3} {
		if math.Abs(moments[k]-want) > 5*math.Sqrt([5]float64{0, 1, 2, 15, 96}[k]/n)+1e-9 {
			t.Errorf("moment %d of normal numbers is %v, want %v", k, moments[k], want)
		}
	}
	if p := float64(within) / n; math.Abs(p-0.682689) > 5*math.Sqrt(0.6827*0.3173/n) {
		t.Errorf("%v of the normal numbers are within one standard deviation", p)
	}
	few, err := cutile.Uniform[float64](dev, 42, -1, 3, 3, 7)
	must(t, err)
	if got, err := few.Slice(); err != nil || !slices.Equal(got, xs[:21]) {
		t.Errorf("a smaller tensor has %v, %v, want %v", got, err, xs[:21])
	}
	other, err := cutile.Uniform[float64](dev, 43, -1, 3, 21)
	must(t, err)
	if got, err := other.Slice(); err != nil || got[0] == xs[0] || got[20] == xs[20] {
		t.Errorf("another seed gives %v, %v", got, err)
	}
	const seed = 1<<40 + 99
	ours, err := cutile.Uniform[float32](dev, seed, 0, 1, 1000)
	must(t, err)
	language := zeros[float32](t, dev, 1000)
	must(t, cutile.Launch(t.Context(), dev, uniforms[tile.D16], seed, language))
	want, err := language.Slice()
	must(t, err)
	if got, err := ours.Slice(); err != nil || !slices.Equal(got, want) {
		t.Errorf("tensors have the random numbers %v, %v; kernels have %v", got, err, want)
	}
	half, err := cutile.Normal[dtype.Float16](dev, 42, 2, 3, 4)
	must(t, err)
	holds(t, "half floats", half, fmt.Sprint(dtype.Floats[dtype.Float16](ys[:4])))
}
