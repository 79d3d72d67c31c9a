package emu_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// sgemm is C = A*B of n by n floats: 16 by 16 threads, each with one element, tiles of 16 by 16 in shared memory.
func sgemm(n int64) *simt.Builder {
	const tile = 16
	b := kernel(tile*tile, 3)
	b.Shared = 2 * 4 * tile * tile
	t := tid(b)
	x, y := b.Value(simt.B32, "and.b32", t, simt.I(15)), b.Value(simt.B32, "shr.u32", t, simt.I(4))
	row := b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "mov.u32", simt.S("%ctaid.y")), simt.I(tile), y)
	col := b.Value(simt.B32, "mad.lo.u32", b.Value(simt.B32, "mov.u32", simt.S("%ctaid.x")), simt.I(tile), x)
	pa := slot(b, param(b, 0), b.Value(simt.B32, "mad.lo.u32", row, simt.I(n), x), 4)
	pb := slot(b, param(b, 1), b.Value(simt.B32, "mad.lo.u32", y, simt.I(n), col), 4)
	pc := slot(b, param(b, 2), b.Value(simt.B32, "mad.lo.u32", row, simt.I(n), col), 4)
	smem := b.Value(simt.B32, "mov.u32", simt.Sym("smem"))
	mine := b.Value(simt.B32, "mad.lo.u32", t, simt.I(4), smem).Reg
	as := b.Value(simt.B32, "mad.lo.u32", y, simt.I(4*tile), smem).Reg
	bs := b.Value(simt.B32, "mad.lo.u32", x, simt.I(4), smem).Reg
	acc := b.Value(simt.B32, "mov.b32", simt.I(0))
	k := b.Value(simt.B32, "mov.b32", simt.I(0))
	loop := b.NewLabel()
	b.Place(loop)
	b.Emit("st.shared.b32", nil, simt.At(mine, 0), b.Value(simt.B32, "ld.global.b32", simt.At(pa, 0)))
	b.Emit("st.shared.b32", nil, simt.At(mine, 4*tile*tile), b.Value(simt.B32, "ld.global.b32", simt.At(pb, 0)))
	b.Emit("bar.sync", nil, simt.I(0))
	for i := range int64(tile) {
		va := b.Value(simt.B32, "ld.shared.b32", simt.At(as, 4*i))
		vb := b.Value(simt.B32, "ld.shared.b32", simt.At(bs, 4*tile*i+4*tile*tile))
		b.Emit("fma.rn.f32", []simt.Operand{acc}, va, vb, acc)
	}
	b.Emit("bar.sync", nil, simt.I(0))
	b.Emit("add.s64", []simt.Operand{simt.R(pa)}, simt.R(pa), simt.I(4*tile))
	b.Emit("add.s64", []simt.Operand{simt.R(pb)}, simt.R(pb), simt.I(4*tile*n))
	b.Emit("add.s32", []simt.Operand{k}, k, simt.I(tile))
	p := b.Value(simt.Pred, "setp.lt.s32", k, simt.I(n))
	b.BranchIf(p.Reg, true, loop)
	b.Emit("st.global.b32", nil, simt.At(pc, 0), acc)
	return b
}

func runSGEMM(tb testing.TB, n int, races bool, a *emu.Account) {
	value := func(i int) uint32 { return math.Float32bits(float32(i%7) - 3) }
	x, y, c := words(n*n, value), words(n*n, value), make([]byte, 4*n*n)
	l := emu.Launch{Grid: [3]int{n / 16, n / 16, 1}, Shared: 2048, Races: races, Account: a}
	if err := launch(sgemm(int64(n)), l, x, y, c); err != nil {
		tb.Fatal(err)
	}
	for _, i := range []int{0, n*n/2 + 5, n*n - 1} {
		var want float32
		for k := range n {
			want += math.Float32frombits(word(x, i/n*n+k)) * math.Float32frombits(word(y, k*n+i%n))
		}
		if got := math.Float32frombits(word(c, i)); got != want {
			tb.Fatalf("c[%d] = %v, want %v", i, got, want)
		}
	}
}

func TestSGEMM(t *testing.T) {
	runSGEMM(t, 64, false, nil)
	runSGEMM(t, 64, true, nil)
}

func BenchmarkSGEMM(b *testing.B) {
	for b.Loop() {
		runSGEMM(b, 256, false, nil)
	}
}

func BenchmarkSGEMMRaces(b *testing.B) {
	for b.Loop() {
		runSGEMM(b, 256, true, nil)
	}
}

func BenchmarkSGEMMCounted(b *testing.B) {
	for b.Loop() {
		runSGEMM(b, 256, false, new(emu.Account))
	}
}

// BenchmarkReaders shows how many times as long four times as many blocks take that read the same words and count themselves.
func BenchmarkReaders(b *testing.B) {
	took := func(blocks int) time.Duration {
		k := kernel(64, 2)
		i := tid(k)
		k.Value(simt.B32, "ld.global.b32", simt.At(slot(k, param(k, 0), i, 4), 0))
		only(k, i, 0, func() { k.Value(simt.B32, "atom.acq_rel.gpu.global.add.u32", simt.At(param(k, 1), 0), simt.I(1)) })
		k.Emit("ret", nil)
		begin := time.Now()
		if err := launch(k, emu.Launch{Grid: [3]int{blocks, 1, 1}, Races: true, Workers: 1}, make([]byte, 256), make([]byte, 4)); err != nil {
			b.Fatal(err)
		}
		return time.Since(begin)
	}
	for _, blocks := range []int{64, 256, 1024} {
		b.Run(fmt.Sprint(blocks), func(b *testing.B) {
			few, many := time.Hour, time.Hour
			for b.Loop() {
				few, many = min(few, took(blocks)), min(many, took(4*blocks))
			}
			b.ReportMetric(many.Seconds()/few.Seconds(), "times/4")
		})
	}
}

// BenchmarkInstruction has the time of an instruction of one lane, of those that kernels are mostly made of.
func BenchmarkInstruction(b *testing.B) {
	float := func(b *simt.Builder, r []simt.Operand) { b.Emit("fma.rn.f32", r[:1], r[1], r[2], r[0]) }
	integer := func(b *simt.Builder, r []simt.Operand) { b.Emit("mad.lo.s32", r[:1], r[1], r[2], r[0]) }
	load := func(b *simt.Builder, r []simt.Operand) { b.Emit("ld.shared.b32", r[:1], simt.At(r[3].Reg, 0)) }
	load4 := func(b *simt.Builder, r []simt.Operand) {
		b.Emit("ld.shared.v4.b32", []simt.Operand{simt.V(r[0], r[1], r[2], r[4])}, simt.At(r[3].Reg, 0))
	}
	global := func(b *simt.Builder, r []simt.Operand) { b.Emit("ld.global.b32", r[:1], simt.At(r[5].Reg, 0)) }
	for _, c := range []struct {
		name string
		do   func(b *simt.Builder, r []simt.Operand)
	}{{"fma", float}, {"mad", integer}, {"shared", load}, {"shared4", load4}, {"global", global}} {
		b.Run(c.name, func(b *testing.B) {
			const unroll, loops, threads = 100, 200, 128
			k := kernel(threads, 1)
			i := tid(k)
			at := k.Value(simt.B32, "shl.b32", i, simt.I(4))
			r := []simt.Operand{k.Value(simt.B32, "mov.b32", simt.I(0)), k.Value(simt.B32, "cvt.rn.f32.u32", i), k.Value(simt.B32, "cvt.rn.f32.u32",
				i), at, mov(k, 0), simt.R(slot(k, param(k, 0), i, 4))}
			k.Emit("st.shared.v4.b32", nil, simt.At(at.Reg, 0), simt.V(i, i, i, i))
			n, top := mov(k, loops), k.NewLabel()
			k.Place(top)
			for range unroll {
				c.do(k, r)
			}
			k.Emit("sub.s32", []simt.Operand{n}, n, simt.I(1))
			k.BranchIf(k.Value(simt.Pred, "setp.ne.s32", n, simt.I(0)).Reg, true, top)
			for b.Loop() {
				if err := launch(k, emu.Launch{Shared: 16 * threads}, make([]byte, 4*threads)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*unroll*loops*threads), "ns/lane")
		})
	}
}
