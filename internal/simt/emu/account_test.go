package emu_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// counted runs a kernel and gives the counts of the instructions whose opcode begins with some text, in order.
func counted(t *testing.T, b *simt.Builder, l emu.Launch, op string, buffers ...[]byte) (found []emu.Count, a *emu.Account) {
	t.Helper()
	a = new(emu.Account)
	l.Account = a
	must(t, launch(b, l, buffers...))
	for i := range b.Body {
		if strings.HasPrefix(b.Body[i].Op, op) {
			found = append(found, a.Counts[i])
		}
	}
	return found, a
}

// offsets is a kernel of one warp in which each lane finds an offset of its own in a table, for the access that do makes.
func offsets(do func(b *simt.Builder, off simt.Operand)) *simt.Builder {
	b := kernel(32, 2)
	off := b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), tid(b), 4), 0))
	do(b, off)
	b.Emit("exit", nil)
	return b
}

// accesses are the sizes and opcodes of accesses whose traffic is counted.
var accesses = []struct {
	size int
	op   string
	vec  int
}{{1, "ld.%s.b8", 1}, {2, "ld.%s.b16", 1}, {4, "ld.%s.b32", 1}, {8, "ld.%s.v2.b32", 2}, {16, "ld.%s.v4.b32", 4}, {4, "st.%s.b32", 1}, {8, "st.%s.v2.b32", 2},
	{16, "st.%s.v4.b32", 4}, {4, "atom.%s.add.u32", 1}}

func emitAccess(b *simt.Builder, op, space string, n int, base simt.Reg) {
	var values []simt.Operand
	for range n {
		values = append(values, mov(b, 7))
	}
	value := values[0]
	if n > 1 {
		value = simt.V(values...)
	}
	switch op = fmt.Sprintf(op, space); {
	case strings.HasPrefix(op, "ld"):
		b.Emit(op, []simt.Operand{value}, simt.At(base, 0))
	case strings.HasPrefix(op, "st"):
		b.Emit(op, nil, simt.At(base, 0), value)
	default:
		b.Emit(op, []simt.Operand{value}, simt.At(base, 0), mov(b, 1))
	}
}

// patterns are offsets of lanes, in elements.
func patterns(rng *rand.Rand) map[string][]uint32 {
	p := map[string][]uint32{}
	add := func(name string, f func(i int) int) {
		var list []uint32
		for i := range 32 {
			list = append(list, uint32(f(i)))
		}
		p[name] = list
	}
	add("side by side", func(i int) int { return i })
	add("every second", func(i int) int { return 2 * i })
	add("a column of 32", func(i int) int { return 32 * i })
	add("a column of 33", func(i int) int { return 33 * i })
	add("one", func(i int) int { return 5 })
	add("pairs", func(i int) int { return i / 2 })
	add("pairs of the second bit", func(i int) int { return i/4*2 + i%2 })
	for n := range 8 {
		add(fmt.Sprint("random ", n), func(int) int { return rng.IntN(16 << n) })
	}
	return p
}

// TestGlobalTraffic compares sectors and lines with those that a map of all bytes has.
func TestGlobalTraffic(t *testing.T) {
	for name, list := range patterns(rand.New(rand.NewPCG(1, 2))) {
		for _, c := range accesses {
			b := offsets(func(b *simt.Builder, off simt.Operand) {
				emitAccess(b, c.op, "global", c.vec, slot(b, param(b, 1), off, int64(c.size)))
			})
			touched := map[int]map[uint32]bool{1: {}, 32: {}, 128: {}}
			for _, e := range list {
				for k := range uint32(c.size) {
					for unit, set := range touched {
						set[(e*uint32(c.size)+k)/uint32(unit)] = true
					}
				}
			}
			want := emu.Global{Requests: 1, Asked: int64(32 * c.size), Sectors: int64(len(touched[32])), Lines: int64(len(touched[128])),
				Ideal: int64(len(touched[1])+31) / 32}
			in := words(32, func(i int) uint32 { return list[i] })
			got, a := counted(t, b, emu.Launch{}, fmt.Sprintf(c.op, "global"), in, make([]byte, 64<<10))
			if n := len(got) - 1; got[n].Global != want {
				t.Errorf("%s, %s: %+v, want %+v", name, c.op, got[n].Global, want)
			}
			read, written := int64(128), int64(0) // the table
			if c.op[0] != 's' {
				read += 32 * want.Sectors
			}
			if c.op[0] != 'l' {
				written = 32 * want.Sectors
			}
			if a.Read != read || a.Written != written {
				t.Errorf("%s, %s: %d bytes read and %d written, want %d and %d", name, c.op, a.Read, a.Written, read, written)
			}
		}
	}
}

// TestBanks compares passes over the banks of shared memory with a count by hand.
func TestBanks(t *testing.T) {
	for name, list := range patterns(rand.New(rand.NewPCG(3, 4))) {
		for _, c := range accesses {
			b := offsets(func(b *simt.Builder, off simt.Operand) {
				smem := b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
				at := b.Value(simt.B32, "mad.lo.u32", off, simt.I(int64(c.size)), smem).Reg
				value := mov(b, 0)
				if c.size == 16 {
					b.Emit("st.shared.v4.b32", nil, simt.At(at, 0), simt.V(value, value, value, value))
				} else {
					b.Emit(fmt.Sprintf("st.shared.b%d", 8*c.size), nil, simt.At(at, 0), map[int]simt.Operand{
						1: b.Value(simt.B16, "mov.b16", simt.I(0)), 2: b.Value(simt.B16, "mov.b16", simt.I(0)), 4: value, 8: b.Value(simt.B64, "mov.b64", simt.I(0)),
					}[c.size])
				}
				b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
				emitAccess(b, c.op, "shared", c.vec, at)
			})
			want := emu.Shared{Requests: 1, Asked: int64(32 * c.size)}
			passes := max(1, c.size/4)
			if passes > 1 && c.op[0] == 'l' && slices.Contains([]string{"one", "pairs", "pairs of the second bit"}, name) {
				passes /= 2
			}
			for p := range passes {
				banks := map[uint32][]uint32{}
				for _, e := range list[32/passes*p : 32/passes*(p+1)] {
					for k := range uint32(max(1, c.size/4)) {
						word := e*uint32(c.size)/4 + k
						if c.op[0] == 'a' || !slices.Contains(banks[word%32], word) {
							banks[word%32] = append(banks[word%32], word)
						}
					}
				}
				most := 0
				for _, words := range banks {
					most = max(most, len(words))
				}
				want.Wavefronts += int64(most)
				want.Ideal++
			}
			in := words(32, func(i int) uint32 { return list[i] })
			got, _ := counted(t, b, emu.Launch{Shared: 64 << 10}, fmt.Sprintf(c.op, "shared"), in, make([]byte, 4))
			if n := len(got) - 1; got[n].Shared != want {
				t.Errorf("%s, %s: %+v, want %+v", name, c.op, got[n].Shared, want)
			}
		}
	}
}

// TestMatrixBanks: a matrix of 8 rows takes one pass if its rows are in different banks.
func TestMatrixBanks(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(row int64) int64
		want  int64 // passes of four matrices
	}{
		{"rows of 16 bytes side by side", func(r int64) int64 { return 16 * r }, 4},
		{"rows of 128 bytes", func(r int64) int64 { return 128 * r }, 32},
		{"rows of 128 bytes, swizzled", func(r int64) int64 { return 128*r + 16*(r%8) }, 4},
		{"rows of 144 bytes", func(r int64) int64 { return 144 * r }, 4},
		{"rows of 64 bytes", func(r int64) int64 { return 64 * r }, 16},
		{"rows of 64 bytes, swizzled", func(r int64) int64 { return 64*r + 16*(r/2%4) }, 4},
	} {
		for _, op := range []string{"ldmatrix", "stmatrix"} {
			b := offsets(func(b *simt.Builder, off simt.Operand) {
				at := b.Value(simt.B32, "add.u32", off, b.Value(simt.B32, "mov.u32", simt.Sym("smem"))).Reg
				v := simt.V(mov(b, 0), mov(b, 1), mov(b, 2), mov(b, 3))
				b.Emit("st.shared.v4.b32", nil, simt.At(at, 0), v)
				b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
				if op == "ldmatrix" {
					b.Emit("ldmatrix.sync.aligned.m8n8.x4.shared.b16", []simt.Operand{v}, simt.At(at, 0))
				} else {
					b.Emit("stmatrix.sync.aligned.m8n8.x4.shared.b16", nil, simt.At(at, 0), v)
				}
			})
			in := words(32, func(i int) uint32 { return uint32(c.place(int64(i))) })
			got, _ := counted(t, b, emu.Launch{Shared: 8 << 10}, op, in, make([]byte, 4))
			if want := (emu.Shared{Requests: 1, Asked: 512, Wavefronts: c.want, Ideal: 4}); got[0].Shared != want || got[0].Executed != 1 || got[0].Lanes != 32 {
				t.Errorf("%s, %s: %+v, want %+v", c.name, op, got[0], want)
			}
		}
	}
}

// TestFlowCounts: a loop whose turns depend on the thread, a barrier where lanes come apart, and a guard that is false.
func TestFlowCounts(t *testing.T) {
	b := kernel(64, 1)
	i := tid(b)
	n, top := mov(b, 0), b.NewLabel()
	b.Place(top)
	b.Emit("add.u32", []simt.Operand{n}, n, simt.I(1))
	half := b.Value(simt.B32, "shr.u32", b.Value(simt.B32, "and.b32", i, simt.I(31)), simt.I(4)) // lanes 16 to 31 have a turn more
	more := b.Value(simt.B32, "add.u32", half, simt.I(3))
	b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, more).Reg, true, top)
	b.Emit("bar.sync", nil, simt.I(0))
	only(b, b.Value(simt.B32, "shr.u32", i, simt.I(5)), 1, func() {
		b.Emit("popc.b32", []simt.Operand{mov(b, 0)}, i)
	})
	never := b.Value(simt.Pred, "mov.pred", simt.I(0)).Reg
	b.Emit("brev.b32", []simt.Operand{mov(b, 0)}, i).Guard = never
	b.Emit("exit", nil)
	for op, want := range map[string]emu.Count{
		"add.u32":  {Executed: 2 * 4, Lanes: 2 * (32*3 + 16), Warps: 2},
		"bra":      {Executed: 2 * 4, Lanes: 2 * (32*2 + 16), Warps: 2, Diverged: 2},
		"bar.sync": {Executed: 2, Lanes: 64, Warps: 2},
		"popc":     {Executed: 1, Lanes: 32, Warps: 1},
		"brev":     {Executed: 2, Idle: 2, Warps: 2},
	} {
		got, a := counted(t, b, emu.Launch{Grid: [3]int{3, 1, 1}}, op, make([]byte, 4))
		for _, n := range []*int64{&want.Executed, &want.Idle, &want.Lanes, &want.Warps, &want.Diverged} {
			*n *= 3 // blocks
		}
		if op == "bra" { // of the lanes 16 to 31 the loop's last branch has none
			want.Executed, want.Idle = 3*2*4, 3*2
		}
		if got[0] != want {
			t.Errorf("%s: %+v, want %+v", op, got[0], want)
		}
		if a.Blocks != 3 || a.Warps != 2 {
			t.Errorf("%d blocks of %d warps", a.Blocks, a.Warps)
		}
	}
}

// TestOverlap: copies are under way during a product unless the program waits for them before.
func TestOverlap(t *testing.T) {
	const mma = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
	for _, c := range []struct {
		wait       bool
		overlapped int64
	}{{false, 1}, {true, 0}} {
		b := kernel(64, 1)
		at := b.Value(simt.B32, "mad.lo.u32", tid(b), simt.I(16), b.Value(simt.B32, "mov.u32", simt.Sym("smem"))).Reg
		b.Emit("cp.async.cg.shared.global", nil, simt.At(at, 0), simt.At(slot(b, param(b, 0), tid(b), 16), 0), simt.I(16))
		b.Emit("cp.async.commit_group", nil)
		if c.wait {
			b.Emit("cp.async.wait_group", nil, simt.I(0))
		}
		var r []simt.Operand
		for range 10 {
			r = append(r, mov(b, 0))
		}
		b.Emit(mma, []simt.Operand{simt.V(r[:4]...)}, simt.V(r[4:8]...), simt.V(r[8:]...), simt.V(r[:4]...))
		b.Emit("cp.async.wait_all", nil)
		b.Emit("exit", nil)
		got, _ := counted(t, b, emu.Launch{Shared: 1024}, "mma", make([]byte, 1024))
		want := emu.Count{Executed: 2, Lanes: 64, Warps: 2, MultiplyAdds: 2 * 16 * 8 * 16, Overlapped: 2 * c.overlapped, InFlight: 2 * 512 * c.overlapped}
		if got[0] != want {
			t.Errorf("wait %v: %+v, want %+v", c.wait, got[0], want)
		}
		if copies, _ := counted(t, b, emu.Launch{Shared: 1024}, "cp.async.cg", make([]byte, 1024)); copies[0].Begun != 1024 ||
			copies[0].Shared != (emu.Shared{Requests: 2, Asked: 1024, Wavefronts: 8, Ideal: 8}) || copies[0].Global.Sectors != 32 {
			t.Errorf("copies: %+v", copies[0])
		}
	}
}

// TestBulkCounts: a box at the edge of a tensor, of which some rows lie in it.
func TestBulkCounts(t *testing.T) {
	m := &emu.TensorMap{Type: "f16", Rank: 2, Addr: start, Dims: [5]uint64{50, 21}, Strides: [5]uint64{0, 128}, Box: [5]uint32{32, 16}, Swizzle: 64}
	raw, err := m.Encode()
	must(t, err)
	b, i, bar := bulkKernel(1, 32*16*2)
	b.Params = append(b.Params, simt.Param{Name: "map", Type: "b8", Bytes: 128, Align: 64})
	data := b.Value(simt.B32, "add.u32", bar, simt.I(1024))
	only(b, i, 0, func() {
		b.Emit("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", nil, simt.At(data.Reg, 0),
			tensorMap(b, "map"), simt.V(mov(b, 40), mov(b, 10)), simt.At(bar.Reg, 0))
	})
	tryWait(b, bar, simt.I(0))
	b.Emit("exit", nil)
	l := emu.Launch{Shared: 4096, Args: []uint64{start, 0}, Bytes: map[int][]byte{1: raw}}
	got, a := counted(t, b, l, "cp.async.bulk", make([]byte, 21*128))
	want := emu.Count{Executed: 1, Lanes: 1, Warps: 1, Begun: 1024, Shared: emu.Shared{Requests: 1, Asked: 1024, Wavefronts: 8, Ideal: 8},
		Global: emu.Global{Requests: 1, Asked: 11 * 20, Sectors: 11 * 2, Lines: 11, Ideal: 11}} // 11 rows of 10 elements, bytes 80 to 99 of each
	if got[0] != want || a.Read != 32*11*2 {
		t.Errorf("%+v, want %+v; %d bytes read", got[0], want, a.Read)
	}
	if waits, _ := counted(t, b, l, "mbarrier.try_wait", make([]byte, 21*128)); waits[0].Executed != 1 {
		t.Errorf("the wait is counted %d times", waits[0].Executed)
	}
}

// TestGroupCounts: wgmma is the work of four warps, which read A and B.
func TestGroupCounts(t *testing.T) {
	for _, registers := range []bool{false, true} {
		c := wgmmaCase{n: 64, d: "f32", a: "f16", b: "f16", la: layouts[4], lb: layouts[4], scale: 1, signs: [2]int64{1, 1}, registers: registers}
		d := make([]byte, 128*4*64)
		got, _ := counted(t, c.kernel(16), emu.Launch{Shared: 64 << 10}, "wgmma.mma_async", make([]byte, 64<<10), d, make([]byte, 2048), d)
		want := emu.Count{Executed: 4, Lanes: 128, Warps: 4, MultiplyAdds: 64 * 64 * 16, Operand: 2 * 64 * 16}
		if !registers {
			want.Operand += 2 * 64 * 16
		}
		if got[0] != want {
			t.Errorf("registers %v: %+v, want %+v", registers, got[0], want)
		}
	}
}
