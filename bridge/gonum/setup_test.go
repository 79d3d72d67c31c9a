package tileblas_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	tileblas "github.com/cutile-go/cutile/bridge/gonum"
)

// open makes an implementation with a threshold. checks says whether its device checks kernels, as devices do in tests; else it
// runs machine code only, as in programs.
func open(t testing.TB, threshold int, checks bool) *tileblas.Implementation {
	t.Helper()
	t.Setenv("CUTILE_CHECKS", map[bool]string{true: "on", false: "off"}[checks])
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	x, err := tileblas.New(dev, tileblas.Threshold(threshold))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// every runs a test with each way to open an implementation.
func every(t *testing.T, test func(t *testing.T, x *tileblas.Implementation)) {
	for _, threshold := range []int{0, tileblas.DefaultThreshold} {
		for _, checks := range []bool{false, true} {
			t.Run(fmt.Sprintf("threshold=%d,checks=%v", threshold, checks), func(t *testing.T) { test(t, open(t, threshold, checks)) })
		}
	}
}

// float lists the types of elements.
type float interface{ float32 | float64 }

// random makes n numbers between -1 and 1.
func random[E float](r *rand.Rand, n int) []E {
	s := make([]E, n)
	for i := range s {
		s[i] = E(2*r.Float64() - 1)
	}
	return s
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
