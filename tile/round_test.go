package tile_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
)

// TestRoundToEven compares the example with math.RoundToEven, bit by bit, at and beside halves, powers of 2 and the ends.
func TestRoundToEven(t *testing.T) {
	in := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, math.SmallestNonzeroFloat32}
	for e := -30; e <= 30; e++ {
		for _, add := range []float64{0, 0.5, 1, 1.5, 2.5} {
			at := float32(math.Ldexp(1, e) + add)
			in = append(in, at, math.Nextafter32(at, 0), math.Nextafter32(at, math.MaxFloat32))
		}
	}
	for bits := uint64(1); bits < 1<<32; bits += 104729 { // over all floats
		in = append(in, math.Float32frombits(uint32(bits)))
	}
	for _, x := range in[:len(in):len(in)] {
		in = append(in, -x)
	}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	y, err := cutile.NewTensor[float32](dev, len(in))
	if err != nil {
		t.Fatal(err)
	}
	launch(roundAll, x, y)
	got, err := y.Slice()
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range in {
		want := float32(math.RoundToEven(float64(x)))
		if math.Float32bits(got[i]) != math.Float32bits(want) && !(got[i] != got[i] && want != want) {
			t.Fatalf("%v (%#x) is rounded to %v, expected %v", x, math.Float32bits(x), got[i], want)
		}
	}
}
