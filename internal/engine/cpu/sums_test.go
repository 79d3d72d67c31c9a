package cpu_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestSums adds numbers atomically to few places, some of them in a second buffer and some outside of all, which a mask may hold
// back. Blocks of several workers add to the same places. Memory and faults are those of the interpreter.
func TestSums(t *testing.T) {
	const n = 512
	for _, e := range []tileir.Elem{tileir.I32, tileir.I64} {
		for _, places := range []int{1, 16, 100, 300, 2000} {
			for _, mask := range []string{"none", "all", "some", "no"} {
				for _, far := range []int{0, 40, 1} { // one in so many is outside
					t.Run(fmt.Sprint(e, places, mask, far), func(t *testing.T) {
						c := &sumCase{t: t, elem: e, n: n, places: places, mask: mask, far: far}
						want, wantErr := c.run(newDevice(t, cpu.Options{Interpret: true, Workers: 1}))
						for _, l := range cpu.NativeLevels() {
							d := newDevice(t, cpu.Options{Workers: 3})
							cpu.SetLevel(d, l)
							got, err := c.run(d)
							if (err == nil) != (wantErr == nil) {
								t.Errorf("%s: %v, want %v", l, err, wantErr)
							}
							if err == nil && !bytes.Equal(got, want) {
								t.Errorf("%s: memory differs", l)
							}
						}
					})
				}
			}
		}
	}
}

type sumCase struct {
	t              *testing.T
	elem           tileir.Elem
	n, places, far int
	mask           string
}

func (c *sumCase) run(d *cpu.Device) ([]byte, error) {
	k := newKernel(c.t, tileir.PointerTile(c.elem), tileir.PointerTile(c.elem))
	rng := generator(uint64(c.places))
	var at []int32
	var mask, second []bool
	for range c.n {
		x := int32(rng() % uint64(c.places))
		outside := c.far > 0 && rng()%uint64(c.far) == 0
		if outside {
			x += 1 << 20
		}
		at, second = append(at, x), append(second, rng()%50 == 0)
		mask = append(mask, c.mask != "no" && !outside && (c.mask == "all" || rng()%3 > 0))
	}
	p := k.one("select", vals{k.bools(second...), k.pointersTo(k.entry.Params[1], at...), k.pointersTo(k.entry.Params[0], at...)}, nil,
		tileir.PointerTile(c.elem, c.n))
	arg := constant(k, tileir.Tile(c.elem, c.n), bytesOf(randomInput(c.elem, c.n, 5).data)...)
	groups := []vals{{p}, {arg}, nil, nil}
	if c.mask != "none" {
		groups[2] = vals{k.bools(mask...)}
	}
	k.opGroups("atomic_rmw_tko", groups, attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice,
		"mode": tileir.AtomicAdd}, nil, tileir.Tile(c.elem, c.n), tileir.Token)
	k.ret()
	x, y := upload(c.t, d, make([]byte, c.places*c.elem.Bytes())), upload(c.t, d, make([]byte, c.places*c.elem.Bytes()))
	err := launch(c.t, d, k.compile(d), [3]uint32{7, 1, 1}, x.Address(), y.Address())
	return bytes.Join([][]byte{x.Host(), y.Host()}, nil), err
}

// TestSumsAreSeen: a load behind an addition, by its token, reads the sums.
func TestSumsAreSeen(t *testing.T) {
	const n, places = 512, 16
	for _, l := range cpu.NativeLevels() {
		d := newDevice(t, cpu.Options{Workers: 1})
		cpu.SetLevel(d, l)
		k := newKernel(t, tileir.PointerTile(tileir.I32), tileir.PointerTile(tileir.I32))
		var at []int32
		var ones []int32
		for i := range n {
			at, ones = append(at, int32(i%places)), append(ones, 1)
		}
		token := k.opGroups("atomic_rmw_tko", []vals{{k.pointersTo(k.entry.Params[0], at...)}, {constant(k, tileir.Tile(tileir.I32, n), ones...)}, nil, nil},
			attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": tileir.AtomicAdd}, nil,
			tileir.Tile(tileir.I32, n), tileir.Token)[1]
		from := k.view(k.entry.Params[0], []int{places}, places)
		sums := k.opGroups("load_view_tko", []vals{{from}, {k.i32(0)}, {token}}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil,
			tileir.Tile(tileir.I32, places), tileir.Token)[0]
		k.store(sums, k.view(k.entry.Params[1], []int{places}, 3*places), k.ids()[0])
		k.ret()
		x, y := upload(t, d, make([]int32, places)), upload(t, d, make([]int32, 3*places))
		if err := launch(t, d, k.compile(d), [3]uint32{3, 1, 1}, x.Address(), y.Address()); err != nil {
			t.Fatal(err)
		}
		for i, v := range as[int32](y.Host()) {
			if want := int32(i/places+1) * n / places; v != want {
				t.Fatalf("%s: block %d reads %d, want %d", l, i/places, v, want)
			}
		}
	}
}
