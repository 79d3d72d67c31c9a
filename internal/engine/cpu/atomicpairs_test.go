package cpu_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestAddPairs adds floats atomically to adjacent elements and others, from an even or an odd one on. One worker gives the results
// and the old values of the interpreter; several workers add whole numbers, so that the order does not count.
func TestAddPairs(t *testing.T) {
	const n = 64
	orders := map[string]func(i int) int32{
		"adjacent": func(i int) int32 { return int32(i) }, "odd": func(i int) int32 { return int32(i) + 1 },
		"backward": func(i int) int32 { return int32(n - i) }, "same": func(i int) int32 { return int32(i / 4) },
		"beyond": func(i int) int32 { return int32(i) + 10 },
	}
	for name, order := range orders {
		for _, masked := range []bool{false, true} {
			t.Run(fmt.Sprint(name, masked), func(t *testing.T) {
				run := func(d *cpu.Device, blocks uint32) ([]byte, []byte, error) {
					k := newKernel(t, tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.F32))
					var at []int32
					var mask []bool
					data := make([]float32, n)
					for i := range n {
						at, mask = append(at, order(i)), append(mask, i%5 != 3 && order(i) < n+1)
						data[i] = float32(i%7 + 1)
					}
					groups := []vals{{k.pointersTo(k.entry.Params[0], at...)}, {constant(k, tileir.Tile(tileir.F32, n), data...)}, nil, nil}
					if masked {
						groups[2] = vals{k.bools(mask...)}
					}
					old := k.opGroups("atomic_rmw_tko", groups, attrs{"memory_ordering_semantics": tileir.MemoryRelaxed,
						"memory_scope": tileir.ScopeDevice, "mode": tileir.AtomicAddF}, nil, tileir.Tile(tileir.F32, n), tileir.Token)[0]
					k.store(old, k.view(k.entry.Params[1], []int{n}, int64(blocks)*n), k.ids()[0])
					k.ret()
					x, y := upload(t, d, make([]float32, n+1)), upload(t, d, make([]float32, blocks*n))
					err := launch(t, d, k.compile(d), [3]uint32{blocks, 1, 1}, x.Address(), y.Address())
					return x.Host(), y.Host(), err
				}
				for _, blocks := range []uint32{1, 200} {
					sums, olds, wantErr := run(newDevice(t, cpu.Options{Interpret: true, Workers: 1}), blocks)
					for _, l := range cpu.NativeLevels() {
						d := newDevice(t, cpu.Options{Workers: 4})
						cpu.SetLevel(d, l)
						got, old, err := run(d, blocks)
						if (err == nil) != (wantErr == nil) || err == nil && (!bytes.Equal(got, sums) || blocks == 1 && !bytes.Equal(old, olds)) {
							t.Errorf("%s, %d blocks: %v, want %v, or memory differs", l, blocks, err, wantErr)
						}
					}
				}
			})
		}
	}
}
