package cpu_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestFastBF16: devices that may do so take products in pairs for bf16 and for no other type, in loops that are products and, where
// a device checks, for each product alone. Results differ from those of other devices, by little.
func TestFastBF16(t *testing.T) {
	const k = 256
	for _, elem := range []tileir.Elem{tileir.BF16, tileir.F16} {
		for _, checks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/checks=%v", elem, checks), func(t *testing.T) {
				plain, fast := newDevice(t, cpu.Options{CheckAssumes: checks}), newDevice(t, cpu.Options{FastBF16: true, CheckAssumes: checks})
				active := cpu.TakePairs(fast)
				p := loopProduct{m: 64, n: 64, k: k, tm: 32, tn: 32, tk: 32, elem: elem, acc: tileir.F32}
				want, wrong := p.run(t, plain)
				got, text := p.run(t, fast)
				if wrong != "" || text != "" {
					t.Fatal(wrong, text)
				}
				if same := bytes.Equal(got, want); same == (active && elem == tileir.BF16) {
					t.Errorf("pairs may be taken: %v, the results are the same: %v", active, same)
				}
				const bound = 3 * k * k * 4.0 / (1 << 24) // of the difference: products are at most 4
				for i := 0; i < len(want); i += 4 {
					x, y := math.Float32frombits(binary.LittleEndian.Uint32(got[i:])), math.Float32frombits(binary.LittleEndian.Uint32(want[i:]))
					if math.Abs(float64(x-y)) > bound {
						t.Fatalf("element %d is %v, in the order of k %v", i/4, x, y)
					}
				}
			})
		}
	}
}
