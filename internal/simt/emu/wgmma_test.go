package emu_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// layout is how a matrix for wgmma lies in shared memory: rows are those of A or columns of B.
type layout struct {
	swizzle int // bytes
	along   bool
	lead    int // byte offsets
	stride  int
}

// layouts for elements whose k takes 32 bytes, as all forms have it; along: rows lie side by side, for 16-bit elements.
var layouts = []layout{
	{0, false, 128, 256},      // two pieces of k side by side, then groups of 8 rows
	{0, false, 8 * 1024, 128}, // all rows of a piece, then the next piece
	{32, false, 16, 256}, {64, false, 16, 512}, {128, false, 16, 1024},
	{0, true, 16 * 1024, 128}, // pieces of 8 rows with 8 of k, rows first
	{32, true, 512, 8 * 1024}, {64, true, 1024, 8 * 1024}, {128, true, 2048, 1024},
}

// at gives where element k of a row lies.
func (y layout) at(row, k, size int) int {
	if y.along {
		if y.swizzle == 0 {
			return row/8*y.stride + k/8*y.lead + k%8*16 + row%8*2
		}
		per := y.swizzle / 2 // rows side by side
		return row/per*y.lead + k/8*y.stride + swizzled(k%8, row%per/8, y.swizzle) + row%8*2
	}
	b := k * size
	if y.swizzle == 0 {
		return row/8*y.stride + b/16*y.lead + row%8*16 + b%16
	}
	return row/8*y.stride + swizzled(row%8, b/16, y.swizzle) + b%16
}

// descriptor is the 64 bits for a matrix at an address.
func (y layout) descriptor(addr int) uint64 {
	mode := map[int]uint64{0: 0, 128: 1, 64: 2, 32: 3}[y.swizzle]
	return uint64(addr>>4) | uint64(y.lead>>4)<<16 | uint64(y.stride>>4)<<32 | mode<<62
}

type wgmmaCase struct {
	n          int
	d, a, b    string
	la, lb     layout
	registers  bool // A
	scale      int64
	signs      [2]int64
	noFence    bool
	noWait     bool
	late       string // a fragment of which a register is written behind the fence: "a" or "d"
	proxyFence bool
}

const bBase = 32 << 10

// run multiplies small random matrices and compares with sums of integers.
func (c wgmmaCase) run(t *testing.T, races bool) error {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(c.n), 91))
	bits := elementBits[c.a]
	k := 256 / bits
	fill := func(rows, cols int, ty string) (x [][]int) {
		for range rows {
			var row []int
			for range cols {
				v := rng.IntN(9) - 4
				if ty[0] == 'u' {
					v += 4
				}
				row = append(row, v)
			}
			x = append(x, row)
		}
		return x
	}
	ma, mb, md := fill(64, k, c.a), fill(c.n, k, c.b), fill(64, c.n, "s8")
	smem := make([]byte, 64<<10)
	put := func(off int, v uint64) {
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], v)
		copy(smem[off:off+bits/8], w[:])
	}
	for r := range ma {
		for i := range k {
			put(c.la.at(r, i, bits/8), small(c.a, ma[r][i]))
		}
	}
	for r := range mb {
		for i := range k {
			put(bBase+c.lb.at(r, i, bits/8), small(c.b, mb[r][i]))
		}
	}
	out := make([]byte, 128*4*c.n)
	if err := launch(c.kernel(k), emu.Launch{Shared: len(smem), Races: races}, smem, c.spread(md), c.fragmentsA(ma, k), out); err != nil {
		return err
	}
	for r := range md {
		for col := range md[r] {
			sum := 0
			for i := range k {
				sum += ma[r][i] * mb[col][i]
			}
			md[r][col] = md[r][col]*int(c.scale) + sum*int(c.signs[0]*c.signs[1])
		}
	}
	want := c.spread(md)
	for i := range len(want) / 4 {
		if c.noWait == (word(out, i) == word(want, i)) && md[0][0] != 0 {
			return fmt.Errorf("%+v: register %d of thread %d is %#x, want %#x", c, i/128, i%128, word(out, i), word(want, i))
		}
		if c.noWait {
			return nil
		}
	}
	return nil
}

// spread writes D as registers: by register and thread, as the table of the PTX ISA says.
func (c wgmmaCase) spread(x [][]int) []byte {
	per := 1
	if c.d == "f16" {
		per = 2
	}
	out := make([]byte, 128*4*c.n/2/per)
	for th := range 128 {
		for i := range c.n / 2 {
			row := th/32*16 + th%32/4 + 8*(i/2%2)
			col := i/4*8 + th%4*2 + i%2
			at := 4 * (i/per*128 + th)
			old := binary.LittleEndian.Uint32(out[at:])
			binary.LittleEndian.PutUint32(out[at:], old|uint32(small(c.d, x[row][col])<<(i%per*16)))
		}
	}
	return out
}

// fragmentsA writes A as registers.
func (c wgmmaCase) fragmentsA(x [][]int, k int) []byte {
	shape := map[int]string{16: "m16n8k16 16", 32: "m16n8k8 32", 8: "m16n8k32 8"}[elementBits[c.a]]
	out := make([]byte, 4*4*128)
	for w := range 4 {
		for r, regs := range registers(x[16*w:16*w+16], c.a, fragments[shape][0]) {
			for l, v := range regs {
				binary.LittleEndian.PutUint32(out[4*(r*128+32*w+l):], uint32(v))
			}
		}
	}
	return out
}

// kernel fills shared memory, loads D and perhaps A, multiplies once and stores D.
func (c wgmmaCase) kernel(k int) *simt.Builder {
	b := kernel(128, 4)
	i := tid(b)
	n := b.Value(simt.B32, "shl.b32", i, simt.I(2))
	top := b.NewLabel()
	b.Place(top)
	line(b, 30)
	b.Emit("st.shared.b32", nil, simt.At(n.Reg, 0), b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), n, 1), 0)))
	b.Emit("add.u32", []simt.Operand{n}, n, simt.I(512))
	b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(64<<10)).Reg, true, top)
	load := func(p, count int) (rs []simt.Operand) {
		for r := range count {
			rs = append(rs, b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, p), i, 4), int64(512*r))))
		}
		return rs
	}
	per := 2
	if c.d == "f16" {
		per = 4
	}
	d := load(1, c.n/per)
	a := simt.V(load(2, 4)...)
	if !c.registers {
		a = b.Value(simt.B64, "mov.b64", simt.B(c.la.descriptor(0)))
	}
	if !c.proxyFence {
		b.Emit("fence.proxy.async.shared::cta", nil)
	}
	b.Emit("bar.sync", nil, simt.I(0))
	line(b, 40)
	if !c.noFence {
		b.Emit("wgmma.fence.sync.aligned", nil)
	}
	if r, ok := map[string]simt.Operand{"a": a, "d": simt.V(d...)}[c.late]; ok {
		b.Emit("mov.b32", []simt.Operand{r.Vec[1]}, r.Vec[0])
	}
	src := []simt.Operand{a, b.Value(simt.B64, "mov.b64", simt.B(c.lb.descriptor(bBase))), b.Value(simt.Pred, "mov.pred", simt.I(c.scale))}
	if c.d != "s32" {
		src = append(src, simt.I(c.signs[0]), simt.I(c.signs[1]))
	}
	trans := func(y layout) simt.Operand {
		if y.along {
			return simt.I(1)
		}
		return simt.I(0)
	}
	if elementBits[c.a] == 16 {
		if !c.registers {
			src = append(src, trans(c.la))
		}
		src = append(src, trans(c.lb))
	}
	b.Emit(fmt.Sprintf("wgmma.mma_async.sync.aligned.m64n%dk%d.%s.%s.%s", c.n, k, c.d, c.a, c.b), []simt.Operand{simt.V(d...)}, src...)
	b.Emit("wgmma.commit_group.sync.aligned", nil)
	if !c.noWait {
		b.Emit("wgmma.wait_group.sync.aligned", nil, simt.I(0))
	}
	for r, v := range d {
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 3), i, 4), int64(512*r)), v)
	}
	return b
}

func TestWGMMA(t *testing.T) {
	plain := wgmmaCase{n: 64, d: "f32", a: "f16", b: "f16", la: layouts[4], lb: layouts[4], scale: 1, signs: [2]int64{1, 1}}
	for _, y := range layouts { // all layouts of A and B
		c := plain
		c.la, c.lb = y, layouts[1]
		must(t, c.run(t, false))
		c.la, c.lb = layouts[0], y
		must(t, c.run(t, false))
	}
	for _, types := range [][3]string{
		{"f32", "bf16", "bf16"}, {"f16", "f16", "f16"}, {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e5m2"}, {"f16", "e5m2", "e4m3"}, {"s32", "s8", "u8"},
	} {
		for _, registers := range []bool{false, true} {
			c := plain
			c.d, c.a, c.b, c.registers = types[0], types[1], types[2], registers
			must(t, c.run(t, false))
		}
	}
	for _, n := range []int{8, 24, 128, 256} {
		c := plain
		c.n = n
		must(t, c.run(t, false))
	}
	for _, c := range []wgmmaCase{
		{scale: 0, signs: [2]int64{1, 1}}, {scale: 1, signs: [2]int64{-1, 1}}, {scale: 1, signs: [2]int64{1, -1}}, {scale: 0, signs: [2]int64{-1, -1}},
	} {
		c.n, c.d, c.a, c.b, c.la, c.lb = 16, "f32", "f16", "f16", layouts[3], layouts[2]
		must(t, c.run(t, true))
	}
}

func TestWGMMAMistakes(t *testing.T) {
	c := wgmmaCase{n: 16, d: "f32", a: "f16", b: "f16", la: layouts[4], lb: layouts[4], scale: 0, signs: [2]int64{1, 1}}
	noFence, noWait, noProxy, outside := c, c, c, c
	noFence.noFence = true
	wantError(t, noFence.run(t, false), 40, "wgmma.fence must come before the first one")
	for _, late := range []string{"a", "d"} {
		x := c
		x.registers, x.late = true, late
		wantError(t, x.run(t, false), 40, "there is no wgmma.fence since another instruction has written a register that it uses")
	}
	noWait.noWait = true
	must(t, noWait.run(t, false)) // has the old results
	noProxy.proxyFence = true
	wantError(t, noProxy.run(t, true), 40, "there is no fence.proxy.async between them", "k.go:30:1")
	must(t, noProxy.run(t, false))
	outside.lb.stride = 48 << 10
	d := make([]byte, 128*4*8)
	err := launch(outside.kernel(16), emu.Launch{Shared: 64 << 10}, make([]byte, 64<<10), d, make([]byte, 2048), d)
	wantError(t, err, 40, "outside of shared memory, which has 65536 bytes")
}
