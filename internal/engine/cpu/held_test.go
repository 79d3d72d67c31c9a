package cpu_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// TestOneVectorStaysInRegisters: a loop that carries a tile of sixteen elements or less neither reads nor writes memory, and one that
// carries a longer tile does both.
func TestOneVectorStaysInRegisters(t *testing.T) {
	for _, level := range []string{"avx2", "avx512", "neon"} {
		target, err := host.Named(level)
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range map[int]bool{2: false, 8: false, 16: false, 32: true} {
			k := newKernel(t, tileir.PointerTile(tileir.F32))
			tile := tileir.Tile(tileir.F32, n)
			body := k.region([]tileir.Type{tileir.Tile(tileir.I32), tile}, func(args vals) {
				as := attrs{"rounding_mode": tileir.RoundingNearestEven}
				sum := k.one("addf", vals{args[1], args[1]}, as, tile)
				k.opGroups("continue", []vals{{sum}}, nil, nil)
			})
			first := constant(k, tile, make([]float32, n)...)
			v := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(100)}, {k.i32(1)}, {first}}, nil, []*tileir.Block{body}, tile)[0]
			k.store(v, k.view(k.entry.Params[0], []int{n}, int64(n)), k.i32(0))
			k.ret()
			x, err := cpu.Explain(t.Context(), k.module, "k", target)
			if err != nil {
				t.Fatal(err)
			}
			turn := turnOf(t, x)
			for _, op := range []string{"= load.f32", "store.f32"} {
				if strings.Contains(turn, op) != want {
					t.Errorf("%s, %d elements: %s is there: %v, want %v\n%s", level, n, op, !want, want, turn)
				}
			}
		}
	}
}

// turnOf is the listing of a turn of an entry's loop, from the addition in it on.
func turnOf(t *testing.T, x *cpu.Explanation) string {
	t.Helper()
	var b strings.Builder
	for _, l := range x.Code {
		if x.Entry != nil && l.Offset >= x.Entry.Offset {
			b.WriteString(l.Text + "\n")
		}
	}
	_, turn, ok := strings.Cut(b.String(), "addf\n")
	if !ok {
		t.Fatalf("no addition in:\n%s", b.String())
	}
	turn, _, _ = strings.Cut(turn, "# end")
	return turn
}
