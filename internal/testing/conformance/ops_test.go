package conformance

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestInBounds holds that a promise about a tile's place is passed on, and that the CPU engine checks it. It is no case
// of the suite, as tileiras 13.4.92 fails on such a load without a word.
func TestInBounds(t *testing.T) {
	r := newCPU(t)
	for _, n := range []int{1, 2} {
		c := Case{Name: "inbounds", Kernel: inst("inBounds"), Grid: []int{1}, Since: tileir.V13_4, Setup: func(*rand.Rand) Setup {
			x := arr(make([]int32, 17))
			s := Setup{Args: []any{x, n}, Want: []Want{exactly(x, append([]int32{1, 1, 1, 1, 1, 1, 1, 1}, make([]int32, 9)...))}}
			if n == 2 {
				s.Fault = &Fault{Text: "Load promised to be in bounds: index 2 of dimension 0 is elements 16 to 23 of 17", Line: "// inside"}
			}
			return s
		}}
		if err := r.Run(t.Context(), &c, Matrix["cpu"]); err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
}

// TestKernelHints holds that the hints of a kernel's doc comment reach the entry, by architecture.
func TestKernelHints(t *testing.T) {
	r := newCPU(t)
	for _, c := range Cases() {
		if c.Name != "hints/kernel" {
			continue
		}
		code, err := r.Module(t.Context(), &c)
		if err != nil {
			t.Fatal(err)
		}
		text := text.Sprint(code.Module)
		want := "optimization_hints=<default = {occupancy = 2}, sm_100 = {num_cta_in_cga = 2}>"
		if !strings.Contains(text, want) {
			t.Errorf("want %s in\n%s", want, text)
		}
		return
	}
	t.Error("no case hints/kernel")
}
