package cute_test

import (
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// shiftBy runs a kernel that shifts by each count: the negative ones are reported if wanted.
func shiftBy[N counted](t *testing.T, dev *cutile.Device, report bool, run func(N, cute.Tensor[int64]) error, counts ...N) {
	t.Helper()
	for _, n := range counts {
		x, err := cutile.FromSlice(dev, []int64{5})
		if err != nil {
			t.Fatal(err)
		}
		if err = run(n, cute.Of[int64](x)); err == nil {
			err = dev.Sync(t.Context())
		}
		if !report || n >= 0 {
			if err != nil {
				t.Errorf("%T %d: %v", n, n, err)
			}
			continue
		}
		for _, part := range []string{"shift_kernels_test.go:", "the shift count", "is negative", "thread (0, 0, 0)"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%T %d: %v: %q is missing", n, n, err, part)
			}
		}
	}
}

// TestNegativeShiftCounts: a device that checks reports what Go panics for, for counts of every type, and no large counts.
func TestNegativeShiftCounts(t *testing.T) {
	for _, checks := range []string{"off", "on"} {
		t.Setenv("CUTILE_CHECKS", checks)
		dev, err := cutile.Open("cpu")
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		report := checks == "on"
		shiftBy(t, dev, report, shiftI8, 0, 7, 127, -1, -128)
		shiftBy(t, dev, report, shiftI16, 3, math.MaxInt16, -1, math.MinInt16)
		shiftBy(t, dev, report, shiftI32, 31, math.MaxInt32, -1, math.MinInt32)
		shiftBy(t, dev, report, shiftI64, 63, math.MaxInt64, 1<<32, -1, math.MinInt64)
		shiftBy(t, dev, report, shiftInt, 5, -5)
		shiftBy(t, dev, report, shiftZero, 5, -5)
		shiftBy(t, dev, false, shiftAside, 5, 0, -1, -6)
		shiftBy(t, dev, report, shiftU8, 255)
		shiftBy(t, dev, report, shiftU16, 1<<15)
		shiftBy(t, dev, report, shiftU32, 31, 1<<31)
		shiftBy(t, dev, report, shiftU64, 1<<63)
	}
}
