package emu_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// Every width, sign and vector, through every space and through generic addresses.
func TestLoadStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	in := make([]byte, 32*32)
	for i := range in {
		in[i] = byte(rng.Uint32())
	}
	for _, ty := range []string{"b8", "u8", "s8", "b16", "s16", "u16", "b32", "s32", "f32", "b64", "f64"} {
		for _, vec := range []int{1, 2, 4} {
			n := width(ty)
			if n*vec > 128 {
				continue
			}
			for _, space := range []string{".global", ".shared", ".local", "", "generic shared", "generic local"} {
				out := make([]byte, len(in))
				must(t, launch(copier(ty, vec, space), emu.Launch{Shared: len(in)}, in, out))
				if size := n / 8 * vec; !bytes.Equal(out[:32*size], in[:32*size]) {
					t.Errorf("%s of %d through %q: other bytes", ty, vec, space)
				}
			}
		}
	}
}

// copier copies 32 elements from one buffer to another, through a space.
func copier(ty string, vec int, through string) *simt.Builder {
	b := kernel(32, 2)
	b.Local = 16
	size := int64(width(ty) / 8 * vec)
	name, regs := "", []simt.Operand{}
	for range vec {
		regs = append(regs, simt.R(b.NewReg(classOf[width(ty)])))
	}
	value := regs[0]
	if vec > 1 {
		name, value = fmt.Sprintf(".v%d", vec), simt.V(regs...)
	}
	i := tid(b)
	b.Emit("ld.global"+name+"."+ty, []simt.Operand{value}, simt.At(slot(b, param(b, 0), i, size), 0))
	place, op := slot(b, param(b, 1), i, size), through
	switch through {
	case ".shared":
		place = b.Value(simt.B32, "mad.lo.u32", i, simt.I(size), b.Value(simt.B32, "mov.u32", simt.Sym("smem"))).Reg
	case ".local":
		place = b.Value(simt.B32, "mov.u32", simt.Sym("local")).Reg
	case "generic shared", "generic local":
		op = ""
		base := b.Value(simt.B64, "mov.u64", simt.Sym(map[string]string{"generic shared": "smem", "generic local": "local"}[through]))
		base = b.Value(simt.B64, "cvta."+through[len("generic "):]+".u64", base)
		if through == "generic shared" {
			base = b.Value(simt.B64, "mad.wide.u32", i, simt.I(size), base)
		}
		place = base.Reg
	}
	b.Emit("st"+op+name+"."+ty, nil, simt.At(place, 0), value)
	b.Emit("ld"+op+name+"."+ty, []simt.Operand{value}, simt.At(place, 0))
	b.Emit("st.global"+name+"."+ty, nil, simt.At(slot(b, param(b, 1), i, size), 0), value)
	return b
}

// Small signed numbers fill their registers.
func TestLoadExtends(t *testing.T) {
	b := kernel(1, 2)
	r := b.Value(simt.B32, "ld.global.s8", simt.At(param(b, 0), 1))
	b.Emit("st.global.b32", nil, simt.At(param(b, 1), 0), r)
	u := b.Value(simt.B32, "ld.global.u8", simt.At(param(b, 0), 1))
	b.Emit("st.global.b32", nil, simt.At(param(b, 1), 4), u)
	out := make([]byte, 8)
	must(t, launch(b, emu.Launch{}, []byte{0, 0x85}, out))
	if word(out, 0) != 0xffffff85 || word(out, 1) != 0x85 {
		t.Errorf("%#x %#x", word(out, 0), word(out, 1))
	}
}

func TestParameters(t *testing.T) {
	f := &simt.Func{Name: "k", Block: [3]int{1, 1, 1}, Params: []simt.Param{
		{Name: "out", Type: "u64"}, {Name: "h", Type: "b16"}, {Name: "w", Type: "s32"}, {Name: "bytes", Type: "b8", Bytes: 24, Align: 64},
		{Name: "d", Type: "f64"},
	}}
	b := &simt.Builder{Func: f}
	out := b.Value(simt.B64, "ld.param.u64", simt.AtName("out", 0))
	h := b.Value(simt.B16, "ld.param.b16", simt.AtName("h", 0))
	w := b.Value(simt.B32, "ld.param.s32", simt.AtName("w", 0))
	inside := b.Value(simt.B32, "ld.param.b32", simt.AtName("bytes", 20))
	ptr := b.Value(simt.B64, "mov.u64", simt.Sym("bytes"))
	through := b.Value(simt.B32, "ld.b32", simt.At(b.Value(simt.B64, "cvta.param.u64", ptr).Reg, 4))
	d := b.Value(simt.B64, "ld.param.f64", simt.AtName("d", 0))
	b.Emit("st.global.b16", nil, simt.At(out.Reg, 0), h)
	b.Emit("st.global.b32", nil, simt.At(out.Reg, 4), w)
	b.Emit("st.global.b32", nil, simt.At(out.Reg, 8), inside)
	b.Emit("st.global.b32", nil, simt.At(out.Reg, 12), through)
	b.Emit("st.global.b64", nil, simt.At(out.Reg, 16), d)
	res := make([]byte, 24)
	raw := words(6, func(i int) uint32 { return uint32(100 + i) })
	must(t, launch(b, emu.Launch{Args: []uint64{start, 0x1234, 0xfffffffe, 0, math.Float64bits(2.5)}, Bytes: map[int][]byte{3: raw}}, res))
	if word(res, 0) != 0x1234 || word(res, 1) != 0xfffffffe || word(res, 2) != 105 || word(res, 3) != 101 || math.Float64frombits(long(res, 2)) != 2.5 {
		t.Errorf("% x", res)
	}
}

func TestAtomics(t *testing.T) {
	const n = 96 // threads of each of 4 blocks, all at one place
	f := func(x float32) uint32 { return math.Float32bits(x) }
	for _, c := range []struct {
		op         string
		bits       int
		init, want uint64
	}{
		{"add.u32", 32, 5, 5 + 4*n*(n-1)/2}, {"add.s32", 32, 0xffffffff, 4*n*(n-1)/2 - 1}, {"add.u64", 64, 1 << 40, 1<<40 + 4*n*(n-1)/2},
		{"min.s32", 32, 0xfffffff0, 0xfffffff0}, {"min.u32", 32, 0xfffffff0, 0}, {"max.u32", 32, 3, n - 1}, {"max.s64", 64, 1 << 63, n - 1},
		{"or.b32", 32, 0, 127}, {"and.b32", 32, 0xff, 0}, {"xor.b64", 64, 7, 7}, {"inc.u32", 32, 0, 0}, {"exch.b32", 32, 7, 0},
	} {
		for _, space := range []string{"global", "shared"} {
			b := kernel(n, 2)
			i := tid(b)
			place := param(b, 0)
			r := simt.R(b.NewReg(classOf[c.bits]))
			if space == "shared" {
				ld := b.Value(classOf[c.bits], fmt.Sprintf("ld.global.b%d", c.bits), simt.At(place, 0))
				b.Shared = 8
				place = b.Value(simt.B32, "mov.u32", simt.Sym("smem")).Reg
				b.Emit(fmt.Sprintf("st.shared.b%d", c.bits), nil, simt.At(place, 0), ld)
				b.Emit("bar.sync", nil, simt.I(0))
			}
			v := i
			if c.bits == 64 {
				v = b.Value(simt.B64, "cvt.u64.u32", i)
			}
			b.Emit("atom."+space+"."+c.op, []simt.Operand{r}, simt.At(place, 0), v)
			grid := 4
			if space == "shared" {
				grid = 1
				b.Emit("bar.sync", nil, simt.I(0))
				r := b.Value(classOf[c.bits], fmt.Sprintf("ld.shared.b%d", c.bits), simt.At(place, 0))
				b.Emit(fmt.Sprintf("st.global.b%d", c.bits), nil, simt.At(param(b, 0), 0), r)
			}
			mem := longs([]uint64{c.init})
			must(t, launch(b, emu.Launch{Grid: [3]int{grid, 1, 1}, Shared: 8}, mem, make([]byte, 8)))
			want := c.want
			if c.op[:3] == "add" && space == "shared" {
				want = c.init + n*(n-1)/2
			}
			if mask := ^uint64(0) >> (64 - c.bits); c.op[:3] != "exc" && c.op[:3] != "inc" && long(mem, 0)&mask != want&mask {
				t.Errorf("%s in %s memory: %#x, want %#x", c.op, space, long(mem, 0), want)
			}
		}
	}
	// The old values of a counter are all different; inc wraps; cas changes once; floats add.
	b := kernel(n, 2)
	i := tid(b)
	at := slot(b, param(b, 1), b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x")), simt.I(n), i), 4)
	old := b.Value(simt.B32, "atom.global.add.u32", simt.At(param(b, 0), 0), simt.I(1))
	b.Emit("st.global.b32", nil, simt.At(at, 0), old)
	b.Emit("red.global.inc.u32", nil, simt.At(param(b, 0), 4), simt.I(9))
	b.Emit("atom.global.cas.b32", []simt.Operand{old}, simt.At(param(b, 0), 8), simt.I(77), i)
	b.Emit("red.global.add.f32", nil, simt.At(param(b, 0), 12), simt.B(uint64(f(0.5))))
	b.Emit("red.global.add.noftz.f16x2", nil, simt.At(param(b, 0), 16), b.Value(simt.B32, "mov.b32", simt.I(0x38003c00)))
	mem, olds := words(6, func(i int) uint32 { return map[int]uint32{2: 77}[i] }), make([]byte, 4*4*n)
	must(t, launch(b, emu.Launch{Grid: [3]int{4, 1, 1}, Workers: 3}, mem, olds))
	seen := map[uint32]bool{}
	for i := range 4 * n {
		seen[word(olds, i)] = true
	}
	if len(seen) != 4*n || !seen[4*n-1] {
		t.Errorf("%d different old values", len(seen))
	}
	if word(mem, 1) != 4*n%10 || word(mem, 2) >= n || math.Float32frombits(word(mem, 3)) != 2*n || word(mem, 4) != 0x5a005e00 {
		t.Errorf("%x", mem)
	}
}

func TestMove(t *testing.T) {
	b := kernel(1, 1)
	lo, hi := b.NewReg(simt.B32), b.NewReg(simt.B32)
	x := b.Value(simt.B64, "mov.b64", simt.B(0x1122334455667788))
	b.Emit("mov.b64", []simt.Operand{simt.V(simt.R(lo), simt.R(hi))}, x)
	y := b.Value(simt.B64, "mov.b64", simt.V(simt.R(hi), simt.R(lo)))
	b.Emit("st.global.b64", nil, simt.At(param(b, 0), 0), y)
	h0, h1 := b.NewReg(simt.B16), b.NewReg(simt.B16)
	b.Emit("mov.b32", []simt.Operand{simt.V(simt.R(h0), simt.R(h1))}, simt.R(lo))
	z := b.Value(simt.B32, "mov.b32", simt.V(simt.R(h1), simt.R(h0)))
	b.Emit("st.global.b32", nil, simt.At(param(b, 0), 8), z)
	out := make([]byte, 16)
	must(t, launch(b, emu.Launch{}, out))
	if long(out, 0) != 0x5566778811223344 || word(out, 2) != 0x77885566 {
		t.Errorf("%x", out)
	}
}

func TestCarry(t *testing.T) { // 128-bit sums and differences out of 32-bit parts
	rng := rand.New(rand.NewPCG(53, 54))
	for range 50 {
		b := kernel(1, 3)
		in := func(p, i int) simt.Operand {
			return b.Value(simt.B32, "ld.global.b32", simt.At(param(b, p), int64(4*i)))
		}
		for k, ops := range [][2]string{{"add.cc.u32", "addc.cc.u32"}, {"sub.cc.u32", "subc.cc.u32"}} {
			for i := range 4 {
				r := b.Value(simt.B32, ops[min(i, 1)], in(0, i), in(1, i))
				b.Emit("st.global.b32", nil, simt.At(param(b, 2), int64(16*k+4*i)), r)
			}
		}
		x, y := [2]uint64{rng.Uint64(), rng.Uint64()}, [2]uint64{rng.Uint64() | 0xffffffff00000000, rng.Uint64()}
		out := make([]byte, 32)
		must(t, launch(b, emu.Launch{}, longs(x[:]), longs(y[:]), out))
		sum, diff := x[0]+y[0], x[0]-y[0]
		high, low := x[1]+y[1], x[1]-y[1]
		if sum < x[0] {
			high++
		}
		if x[0] < y[0] {
			low--
		}
		if long(out, 0) != sum || long(out, 1) != high || long(out, 2) != diff || long(out, 3) != low {
			t.Fatalf("%x and %x: %x", x, y, out)
		}
	}
}

func TestIncDec(t *testing.T) {
	old := []uint32{0, 3, 5, 7}
	mem := words(8, func(i int) uint32 { return old[i%4] })
	b := kernel(1, 1)
	for i := range int64(8) {
		op := []string{"red.global.dec.u32", "red.global.inc.u32"}[i/4]
		b.Emit(op, nil, simt.At(param(b, 0), 4*i), simt.I(5))
	}
	must(t, launch(b, emu.Launch{}, mem))
	for i, want := range []uint32{5, 2, 4, 5, 1, 4, 0, 0} {
		if word(mem, i) != want {
			t.Errorf("%d becomes %d, want %d", old[i%4], word(mem, i), want)
		}
	}
}
