package cpu_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestNativePointers loads and stores through pointers in many orders: adjacent ones, others, some in another buffer, and
// some outside of all, which a mask may hold back. Memory and faults are those of the interpreter.
func TestNativePointers(t *testing.T) {
	const n = 256
	orders := map[string]func(rng func() uint64, i int) int32{
		"adjacent": func(_ func() uint64, i int) int32 { return int32(i) },
		"shifted":  func(_ func() uint64, i int) int32 { return int32(i) + 3 },
		"backward": func(_ func() uint64, i int) int32 { return int32(n - 1 - i) },
		"any":      func(rng func() uint64, _ int) int32 { return int32(rng() % n) },
		"rows":     func(_ func() uint64, i int) int32 { return int32(i%32 + i/32*16) },
		"beyond":   func(_ func() uint64, i int) int32 { return int32(i) + 70 },
		"before":   func(_ func() uint64, i int) int32 { return int32(i) - 70 },
		"far":      func(rng func() uint64, i int) int32 { return int32(rng()) },
	}
	for name, order := range orders {
		for i, mask := range []string{"none", "all", "first", "last", "some", "no"} {
			for _, e := range []tileir.Elem{tileir.I8, tileir.F16, tileir.F32, tileir.I64, tileir.I1} {
				t.Run(fmt.Sprint(name, mask, e), func(t *testing.T) {
					p := &pointerCase{t: t, n: n, elem: e, masked: mask != "none", seed: uint64(i)}
					rng := generator(uint64(len(name)))
					for i := range n {
						p.order = append(p.order, order(rng, i))
						p.mask = append(p.mask, map[string]bool{"all": true, "first": i < 75, "last": i >= 70, "some": rng()%3 > 0}[mask])
					}
					want, wantErr := p.run(newDevice(t, cpu.Options{Interpret: true, Workers: 1}))
					for _, l := range cpu.NativeLevels() {
						d := newDevice(t, cpu.Options{Workers: 1})
						cpu.SetLevel(d, l)
						got, err := p.run(d)
						if fmt.Sprint(err) != fmt.Sprint(wantErr) {
							t.Errorf("%s: %v, want %v", l, err, wantErr)
						}
						if !bytes.Equal(got, want) {
							t.Errorf("%s: memory differs", l)
						}
					}
				})
			}
		}
	}
}

type pointerCase struct {
	t      *testing.T
	n      int
	elem   tileir.Elem
	order  []int32
	mask   []bool
	masked bool
	seed   uint64
}

// run loads through pointers, some of which it moves to a second buffer, stores what it loaded, and stores through the
// same pointers. It gives all memory.
func (p *pointerCase) run(d *cpu.Device) ([]byte, error) {
	k := newKernel(p.t, tileir.PointerTile(p.elem), tileir.PointerTile(p.elem), tileir.PointerTile(p.elem))
	tt, as := tileir.Tile(p.elem, p.n), attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	from, other := k.pointersTo(k.entry.Params[0], p.order...), k.pointersTo(k.entry.Params[1], p.order...)
	var picks []bool
	for i := range p.n {
		picks = append(picks, p.seed%2 == 0 || i/40%2 == 0)
	}
	at := k.one("select", vals{k.bools(picks...), from, other}, nil, from.Type)
	load, store := []vals{{at}, {}, {}}, []vals{{at}, nil, {}}
	if p.masked {
		m := k.bools(p.mask...)
		pad := m
		if p.elem != tileir.I1 {
			pad = k.one("constant", nil, attrs{"value": &tileir.Constant{Type: tt, Data: randomInput(p.elem, p.n, 3).data}}, tt)
		}
		load[1], load[2], store[2] = vals{m}, vals{pad}, vals{m}
	}
	v := k.opGroups("load_ptr_tko", load, as, nil, tt, tileir.Token)[0]
	k.store(v, k.view(k.entry.Params[2], []int{p.n}, int64(p.n)), k.i32(0))
	loadAll := k.load(k.view(k.entry.Params[1], []int{p.n}, int64(p.n)), k.i32(0))
	store[1] = vals{loadAll}
	k.opGroups("store_ptr_tko", store, as, nil, tileir.Token)
	k.ret()
	x, y := upload(p.t, d, randomInput(p.elem, p.n, 1).data), upload(p.t, d, randomInput(p.elem, p.n, 2).data)
	z := upload(p.t, d, make([]byte, p.n*p.elem.Bytes()))
	err := launch(p.t, d, k.compile(d), [3]uint32{1, 1, 1}, x.Address(), y.Address(), z.Address())
	return bytes.Join([][]byte{x.Host(), y.Host(), z.Host()}, nil), err
}
