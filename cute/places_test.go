package cute_test

import (
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// TestPlacesAreElements: reports of races and of addresses outside say which element of which tensor is meant, as the
// kernel's source calls it.
func TestPlacesAreElements(t *testing.T) {
	for _, c := range []struct {
		name     string
		kind, at int
		want     string
	}{
		{"blocks", blocksRace, 5, "data race in global memory at element 5 of x: "},
		{"threads", threadsRace, 7, "data race in global memory at element 7 of s.To: "},
		{"outside", storeBeside, 1000, "offset 1000 of x, whose memory has 64 elements"},
		{"before", loadBefore, -3, "offset -3 of s.From, whose memory has 16 elements"},
		{"in a struct", storeThroughStruct, 17, "offset 17 of s.To, whose memory has 16 elements"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, err := cutile.Open("cpu", cutile.WithChecks())
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			x, err := cutile.NewTensor[int64](dev, 64)
			if err != nil {
				t.Fatal(err)
			}
			err = touch(c.kind, c.at, cute.Of[int64](x), cute.Of[float32](vector(t, dev, 16)), cute.Of[float32](vector(t, dev, 16)))
			if err == nil {
				err = dev.Sync(t.Context())
			}
			wantError(t, err, "places_kernels_test.go:", "kernel touchKernel, block (", c.want)
		})
	}
}

// TestKernelsHaveTheirNames: errors name a kernel as its source does, also where the host function
// launches another kernel with the same code, whose symbol and text are the same.
func TestKernelsHaveTheirNames(t *testing.T) {
	for _, c := range []struct {
		e    edge
		want string
	}{{far{}, "beyond"}, {near{}, "behind"}, {far{}, "beyond"}} {
		dev, _ := open(t)
		err := cute.Jit(runEither)(c.e, cute.Of[float32](vector(t, dev, 4)))
		if err == nil {
			err = dev.Sync(t.Context())
		}
		wantError(t, err, "places_kernels_test.go:", "kernel "+c.want+", block (0, 0, 0)")
	}
}
