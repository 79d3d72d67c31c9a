package emu_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// program is a tree of statements over a few variables, which is both compiled to branches and run for one thread in Go.
type program struct {
	kind       string // "set", "if", "loop", "break", "continue", "return"
	op         string
	dst, a, b  int
	body, rest []program
}

const variables = 4

// random makes a list of statements; depth is how many loops or branches may yet be nested.
func random(rng *rand.Rand, depth, loops int) (list []program) {
	for range 1 + rng.IntN(4) {
		p := program{kind: "set", op: []string{"add", "sub", "mul.lo", "xor"}[rng.IntN(4)], dst: 1 + rng.IntN(variables-1),
			a: rng.IntN(variables), b: rng.IntN(variables)}
		switch k := rng.IntN(10); {
		case k < 3 && depth > 0:
			p.kind = "if"
			p.body, p.rest = random(rng, depth-1, loops), random(rng, depth-1, loops)
		case k < 5 && depth > 0:
			p.kind = "loop"
			p.body = random(rng, depth-1, loops+1)
		case k == 5 && loops > 0:
			p.kind = "break"
		case k == 6 && loops > 0:
			p.kind = "continue"
		case k == 7 && depth < 2 && rng.IntN(4) == 0:
			p.kind = "return"
		}
		list = append(list, p)
	}
	return list
}

// condition is what "if", "break" and "continue" ask.
func condition(p program, v *[variables]uint32) bool { return v[p.a]%4 < v[p.b]%4 }

// simulate runs statements for one thread. It gives how they ended.
func simulate(list []program, v *[variables]uint32) string {
	for _, p := range list {
		switch p.kind {
		case "set":
			x, y := v[p.a], v[p.b]
			v[p.dst] = map[string]uint32{"add": x + y, "sub": x - y, "mul.lo": x * y, "xor": x ^ y}[p.op] + 1
		case "if":
			body := p.rest
			if condition(p, v) {
				body = p.body
			}
			if how := simulate(body, v); how != "" {
				return how
			}
		case "loop":
			for n := v[p.a]%5 + 1; n > 0; n-- {
				how := simulate(p.body, v)
				if how == "break" {
					break
				}
				if how == "return" {
					return how
				}
			}
		case "return":
			if condition(p, v) {
				return p.kind
			}
		default:
			if condition(p, v) {
				return p.kind
			}
		}
	}
	return ""
}

// compile appends the same statements to a kernel.
func compile(b *simt.Builder, list []program, v []simt.Operand, again, out, end int) {
	test := func(p program) simt.Reg {
		x, y := b.Value(simt.B32, "and.b32", v[p.a], simt.I(3)), b.Value(simt.B32, "and.b32", v[p.b], simt.I(3))
		return b.Value(simt.Pred, "setp.lt.u32", x, y).Reg
	}
	for _, p := range list {
		switch p.kind {
		case "set":
			suffix := ".s32"
			if p.op == "xor" {
				suffix = ".b32"
			}
			b.Emit("add.s32", []simt.Operand{v[p.dst]}, b.Value(simt.B32, p.op+suffix, v[p.a], v[p.b]), simt.I(1))
		case "if":
			no, done := b.NewLabel(), b.NewLabel()
			b.BranchIf(test(p), false, no)
			compile(b, p.body, v, again, out, end)
			b.Branch(done)
			b.Place(no)
			compile(b, p.rest, v, again, out, end)
			b.Place(done)
		case "loop":
			n := b.Value(simt.B32, "add.u32", b.Value(simt.B32, "rem.u32", v[p.a], simt.I(5)), simt.I(1))
			top, next, done := b.NewLabel(), b.NewLabel(), b.NewLabel()
			b.Place(top)
			compile(b, p.body, v, next, done, end)
			b.Place(next)
			b.Emit("sub.u32", []simt.Operand{n}, n, simt.I(1))
			b.BranchIf(b.Value(simt.Pred, "setp.ne.u32", n, simt.I(0)).Reg, true, top)
			b.Place(done)
		default:
			b.BranchIf(test(p), true, map[string]int{"break": out, "continue": again, "return": end}[p.kind])
		}
	}
}

func TestDivergence(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 61))
		list := random(rng, 4, 0)
		const n = 64
		b := kernel(n, 1)
		i := tid(b)
		v := []simt.Operand{i}
		for k := range variables - 1 {
			v = append(v, b.Value(simt.B32, "mov.b32", simt.I(int64(k*7))))
		}
		end := b.NewLabel()
		compile(b, list, v, 0, 0, end)
		b.Place(end)
		// The warps are whole again: a vote shows it.
		b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
		active := b.Value(simt.B32, "activemask.b32")
		for k, r := range append(v[1:], active) {
			b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), i, 4*variables), int64(4*k)), r)
		}
		out := make([]byte, 4*variables*n)
		must(t, launch(b, emu.Launch{}, out))
		for lane := range n {
			want := [variables]uint32{uint32(lane), 0, 7, 14}
			simulate(list, &want)
			for k := range variables - 1 {
				if got := word(out, lane*variables+k); got != want[k+1] {
					t.Fatalf("seed %d, lane %d, variable %d: %d, want %d\n%s", seed, lane, k+1, got, want[k+1], fmt.Sprint(list))
				}
			}
			if got := word(out, lane*variables+variables-1); got != 0xffffffff {
				t.Fatalf("seed %d, lane %d: the mask is %#x", seed, lane, got)
			}
		}
	}
}

// Lanes that spin let the lane go on that they wait for, although it is behind them in the program.
func TestSpinInWarp(t *testing.T) {
	b := kernel(32, 1)
	i := tid(b)
	set, done := b.NewLabel(), b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", i, simt.I(17)).Reg, true, set)
	loop := b.NewLabel()
	b.Place(loop)
	flag := b.Value(simt.B32, "ld.volatile.global.b32", simt.At(param(b, 0), 0))
	b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", flag, simt.I(0)).Reg, true, loop)
	b.Branch(done)
	b.Place(set)
	b.Emit("st.volatile.global.b32", nil, simt.At(param(b, 0), 0), simt.I(1))
	b.Place(done)
	b.Emit("red.global.add.u32", nil, simt.At(param(b, 0), 4), simt.I(1))
	out := make([]byte, 8)
	must(t, launch(b, emu.Launch{}, out))
	if word(out, 1) != 32 {
		t.Errorf("%d lanes arrived", word(out, 1))
	}
}

// Blocks that wait for a later one: it is begun although they have not ended.
func TestSpinBetweenBlocks(t *testing.T) {
	const blocks = 20
	b := kernel(32, 1)
	i := b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x"))
	next := b.Value(simt.B32, "add.u32", i, simt.I(1))
	last, loop, store := b.NewLabel(), b.NewLabel(), b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", next, simt.I(blocks)).Reg, true, last)
	b.Place(loop)
	v := b.Value(simt.B32, "ld.acquire.gpu.global.b32", simt.At(slot(b, param(b, 0), next, 4), 0))
	b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", v, simt.I(0)).Reg, true, loop)
	b.Emit("add.u32", []simt.Operand{v}, v, simt.I(1))
	b.Branch(store)
	b.Place(last)
	b.Emit("mov.b32", []simt.Operand{v}, simt.I(1))
	b.Place(store)
	b.Emit("st.release.gpu.global.b32", nil, simt.At(slot(b, param(b, 0), i, 4), 0), v)
	out := make([]byte, 4*blocks)
	must(t, launch(b, emu.Launch{Grid: [3]int{blocks, 1, 1}, Workers: 1}, out))
	if word(out, 0) != blocks {
		t.Errorf("%d", word(out, 0))
	}
}

func TestSpecialRegisters(t *testing.T) {
	f := &simt.Func{Name: "k", Block: [3]int{4, 3, 5}, Params: []simt.Param{{Name: "p0", Type: "u64"}}}
	b := &simt.Builder{Func: f}
	names := []string{"%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z", "%ntid.y", "%nctaid.y", "%laneid", "%warpid",
		"%lanemask_lt", "%lanemask_ge", "%dynamic_smem_size"}
	var v []simt.Operand
	for _, n := range names {
		v = append(v, b.Value(simt.B32, "mov.u32", simt.S(n)))
	}
	flat := v[5]
	for _, s := range []struct{ n, i int }{{2, 4}, {3, 3}, {5, 2}, {3, 1}, {4, 0}} {
		flat = b.Value(simt.B32, "mad.lo.u32", flat, simt.I(int64(s.n)), v[s.i])
	}
	for k, r := range v {
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), flat, int64(4*len(v))), int64(4*k)), r)
	}
	const count = 3 * 2 * 2 * 60
	out := make([]byte, count*4*len(names))
	must(t, launch(b, emu.Launch{Grid: [3]int{3, 2, 2}, Shared: 48}, out))
	for g := range count {
		th := g % 60
		bl := g / 60
		lane := th % 32
		// The flat number above has the block's x before y: block = (z*2 + y)*3 + x.
		want := []int{th % 4, th / 4 % 3, th / 12, bl % 3, bl / 3 % 2, bl / 6, 3, 2, lane, th / 32, 1<<lane - 1, 1<<32 - 1<<lane, 48}
		for k := range names {
			if got := word(out, g*len(names)+k); got != uint32(want[k]) {
				t.Fatalf("thread %d of block %d: %s is %d, want %d", th, bl, names[k], got, want[k])
			}
		}
	}
}

// What has no effect here is accepted, and clocks go on.
func TestNoEffect(t *testing.T) {
	b := kernel(128, 1)
	before := b.Value(simt.B64, "mov.u64", simt.S("%clock64"))
	b.Emit("nanosleep.u32", nil, simt.I(100))
	b.Emit("griddepcontrol.wait", nil)
	b.Emit("griddepcontrol.launch_dependents", nil)
	b.Emit("setmaxnreg.inc.sync.aligned.u32", nil, simt.I(240))
	b.Emit("prefetch.global.L2", nil, simt.At(param(b, 0), 0))
	b.Emit("membar.gl", nil)
	b.Emit("fence.acq_rel.gpu", nil)
	after := b.Value(simt.B64, "mov.u64", simt.S("%clock64"))
	later := b.Value(simt.Pred, "setp.gt.u64", after, before)
	b.Emit("assert", nil, later).Text = "time goes on"
	b.Emit("red.global.add.u32", nil, simt.At(param(b, 0), 0), simt.I(1))
	out := make([]byte, 4)
	must(t, launch(b, emu.Launch{}, out))
	if word(out, 0) != 128 {
		t.Errorf("%d threads", word(out, 0))
	}
}
