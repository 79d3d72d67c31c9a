package emu_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// collect runs a kernel of one warp whose build gives a value of each lane.
func collect(t *testing.T, in []byte, build func(b *simt.Builder, lane, value simt.Operand) []simt.Operand) [][]uint32 {
	t.Helper()
	b := kernel(32, 2)
	i := tid(b)
	v := b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), i, 4), 0))
	rs := build(b, i, v)
	for k, r := range rs {
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 1), i, 4), int64(128*k)), r)
	}
	out := make([]byte, 128*len(rs))
	must(t, launch(b, emu.Launch{}, in, out))
	var res [][]uint32
	for k := range rs {
		var one []uint32
		for l := range 32 {
			one = append(one, word(out, 32*k+l))
		}
		res = append(res, one)
	}
	return res
}

func flagOf(b *simt.Builder, p simt.Operand) simt.Operand {
	return b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), p)
}

func TestShuffle(t *testing.T) {
	in := words(32, func(i int) uint32 { return uint32(1000 + i) })
	for _, mode := range []string{"up", "down", "bfly", "idx"} {
		for _, width := range []int{32, 16, 8, 2} {
			for _, by := range []int{0, 1, 3, 7, 16, 31} {
				segment := 32 - width
				c := int64(segment<<8 | 31)
				if mode == "up" {
					c = int64(segment << 8)
				}
				got := collect(t, in, func(b *simt.Builder, lane, v simt.Operand) []simt.Operand {
					d, p := simt.R(b.NewReg(simt.B32)), simt.R(b.NewReg(simt.Pred))
					b.Emit("shfl.sync."+mode+".b32", []simt.Operand{d, p}, v, simt.I(int64(by)), simt.I(c), simt.I(0xffffffff))
					return []simt.Operand{d, flagOf(b, p)}
				})
				for l := range 32 {
					lo := l / width * width
					from := map[string]int{"up": l - by, "down": l + by, "bfly": l ^ by, "idx": lo + by%width}[mode]
					ok := from >= lo && from < lo+width
					if mode == "bfly" { // may come from the segments below
						ok = from < lo+width
					}
					if !ok {
						from = l
					}
					if got[0][l] != uint32(1000+from) || got[1][l] == 1 != ok {
						t.Fatalf("%s of %d by %d, lane %d: %d %d, want lane %d, %v", mode, width, by, l, got[0][l], got[1][l], from, ok)
					}
				}
			}
		}
	}
}

// Collectives of the lanes of a divergent branch: the other lanes have their own.
func TestVotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	for range 20 {
		members := rng.Uint32() | 1
		in := words(32, func(int) uint32 { return rng.Uint32N(3) })
		got := collect(t, in, func(b *simt.Builder, lane, v simt.Operand) []simt.Operand {
			bit := b.Value(simt.B32, "and.b32", b.Value(simt.B32, "shr.u32", simt.I(int64(members)), lane), simt.I(1))
			member := b.Value(simt.Pred, "setp.ne.u32", bit, simt.I(0))
			mask := b.Value(simt.B32, "selp.b32", simt.I(int64(members)), simt.I(int64(^members)), member)
			rs := make([]simt.Operand, 10)
			for k := range rs {
				rs[k] = b.Value(simt.B32, "mov.b32", simt.I(0))
			}
			other, done := b.NewLabel(), b.NewLabel()
			b.BranchIf(member.Reg, false, other)
			votes(b, rs, v, mask)
			b.Branch(done)
			b.Place(other)
			votes(b, rs, v, mask)
			b.Place(done)
			return rs
		})
		for l := range 32 {
			mine := members
			if members>>l&1 == 0 {
				mine = ^members
			}
			var ones, same, or uint32
			sum, least := uint32(0), int32(1<<31-1)
			for k := range 32 {
				if v := word(in, k); mine>>k&1 == 1 {
					if v == 1 {
						ones |= 1 << k
					}
					if v == word(in, l) {
						same |= 1 << k
					}
					sum, least, or = sum+v, min(least, int32(v)-1), or|v
				}
			}
			flag := func(c bool) uint32 {
				if c {
					return 1
				}
				return 0
			}
			all := same
			if same != mine {
				all = 0
			}
			want := []uint32{ones, flag(ones != 0), flag(ones == mine), flag(ones == 0 || ones == mine), same, all, sum, uint32(least), or,
				uint32(bits.TrailingZeros32(mine))}
			for k := range want {
				if got[k][l] != want[k] {
					t.Fatalf("members %#x, lane %d, result %d: %#x, want %#x", members, l, k, got[k][l], want[k])
				}
			}
		}
	}
}

// votes appends one of each collective.
func votes(b *simt.Builder, rs []simt.Operand, v, mask simt.Operand) {
	one := b.Value(simt.Pred, "setp.eq.u32", v, simt.I(1))
	set := func(k int, v simt.Operand) { b.Emit("mov.b32", []simt.Operand{rs[k]}, v) }
	set(0, b.Value(simt.B32, "vote.sync.ballot.b32", one, mask))
	for k, mode := range []string{"any", "all", "uni"} {
		set(1+k, flagOf(b, b.Value(simt.Pred, "vote.sync."+mode+".pred", one, mask)))
	}
	set(4, b.Value(simt.B32, "match.any.sync.b32", v, mask))
	p := simt.R(b.NewReg(simt.Pred))
	b.Emit("match.all.sync.b32", []simt.Operand{rs[5], p}, v, mask)
	set(6, b.Value(simt.B32, "redux.sync.add.u32", v, mask))
	set(7, b.Value(simt.B32, "redux.sync.min.s32", b.Value(simt.B32, "sub.s32", v, simt.I(1)), mask))
	set(8, b.Value(simt.B32, "redux.sync.or.b32", v, mask))
	b.Emit("elect.sync", []simt.Operand{rs[9], p}, mask)
}

// TestReduxFloat: the least and the greatest float of some lanes, with NaN, zeros of both signs and infinities among them.
func TestReduxFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	some := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 3.5, -7, float32(math.Inf(1)), float32(math.Inf(-1)), 1e-40, -1e-40, float32(math.NaN())}
	for _, mask := range []uint32{0xffffffff, 1 << 9, 0x00ff00f0, 3} {
		for round := range 20 {
			var values [32]float32
			for l := range values {
				values[l] = some[rng.IntN(len(some)-round%2)] // in every second round without NaN
			}
			for _, op := range []string{"min", "max", "min.abs", "max.abs", "min.NaN", "max.NaN", "min.abs.NaN", "max.abs.NaN"} {
				in := words(32, func(i int) uint32 { return math.Float32bits(values[i]) })
				got := collect(t, in, func(b *simt.Builder, lane, v simt.Operand) []simt.Operand {
					r := b.Value(simt.B32, "mov.b32", simt.I(0))
					bit := b.Value(simt.B32, "shr.u32", simt.I(int64(mask)), lane)
					p := b.Value(simt.Pred, "setp.ne.u32", b.Value(simt.B32, "and.b32", bit, simt.I(1)), simt.I(0))
					b.Emit("redux.sync."+op+".f32", []simt.Operand{r}, v, simt.I(int64(mask))).Guard = p.Reg
					return []simt.Operand{r}
				})
				want := uint32(0x7fffffff)
				if best, ok := extremeOf(values[:], mask, op); ok {
					want = math.Float32bits(best)
				}
				for l := range 32 {
					if mask>>l&1 == 1 && got[0][l] != want {
						t.Fatalf("%s of %v in %#x: lane %d has %#x, want %#x", op, values, mask, l, got[0][l], want)
					}
				}
			}
		}
	}
}

// extremeOf is the least or greatest of the numbers in some lanes; ok is false where that is NaN.
func extremeOf(values []float32, mask uint32, op string) (best float32, ok bool) {
	for l, v := range values {
		if mask>>l&1 == 0 {
			continue
		}
		if strings.Contains(op, "abs") {
			v = float32(math.Abs(float64(v)))
		}
		negative := func(x float32) bool { return math.Signbit(float64(x)) }
		smaller := v < best || v == best && negative(v) && !negative(best)
		greater := v > best || v == best && !negative(v) && negative(best)
		switch {
		case v != v && strings.Contains(op, "NaN"):
			return 0, false
		case v == v && (!ok || smaller && op[:3] == "min" || greater && op[:3] == "max"):
			best, ok = v, true
		}
	}
	return best, ok
}

func TestBarrierReductions(t *testing.T) {
	const n = 96
	b := kernel(n, 1)
	i := tid(b)
	odd := b.Value(simt.Pred, "setp.eq.u32", b.Value(simt.B32, "and.b32", i, simt.I(1)), simt.I(1))
	count := b.Value(simt.B32, "bar.red.popc.u32", simt.I(2), odd)
	any := flagOf(b, b.Value(simt.Pred, "bar.red.or.pred", simt.I(2), odd))
	all := flagOf(b, b.Value(simt.Pred, "bar.red.and.pred", simt.I(3), odd))
	for k, r := range []simt.Operand{count, any, all} {
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), i, 12), int64(4*k)), r)
	}
	out := make([]byte, 12*n)
	must(t, launch(b, emu.Launch{}, out))
	for i := range n {
		if word(out, 3*i) != n/2 || word(out, 3*i+1) != 1 || word(out, 3*i+2) != 0 {
			t.Fatalf("thread %d: %d %d %d", i, word(out, 3*i), word(out, 3*i+1), word(out, 3*i+2))
		}
	}
}

// A producer warp hands numbers to a consumer warp, with two named barriers.
func TestNamedBarriers(t *testing.T) {
	const rounds = 10
	b := kernel(64, 1)
	b.Shared = 128
	i := tid(b)
	lane := b.Value(simt.B32, "and.b32", i, simt.I(31))
	place := b.Value(simt.B32, "shl.b32", lane, simt.I(2)).Reg
	n := b.Value(simt.B32, "mov.b32", simt.I(0))
	sum := b.Value(simt.B32, "mov.b32", simt.I(0))
	consumer, end := b.NewLabel(), b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.ge.u32", i, simt.I(32)).Reg, true, consumer)
	count := func(top int) {
		b.Emit("add.u32", []simt.Operand{n}, n, simt.I(1))
		b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(rounds)).Reg, true, top)
	}
	top := b.NewLabel()
	b.Place(top)
	b.Emit("st.shared.b32", nil, simt.At(place, 0), b.Value(simt.B32, "mad.lo.u32", n, simt.I(100), lane))
	b.Emit("bar.arrive", nil, simt.I(1), simt.I(64))
	b.Emit("bar.sync", nil, simt.I(2), simt.I(64))
	count(top)
	b.Branch(end)
	b.Place(consumer)
	again := b.NewLabel()
	b.Place(again)
	b.Emit("bar.sync", nil, simt.I(1), simt.I(64))
	b.Emit("add.u32", []simt.Operand{sum}, sum, b.Value(simt.B32, "ld.shared.b32", simt.At(place, 0)))
	b.Emit("bar.arrive", nil, simt.I(2), simt.I(64))
	count(again)
	b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), lane, 4), 0), sum)
	b.Place(end)
	out := make([]byte, 128)
	must(t, launch(b, emu.Launch{Shared: 128, Races: true}, out))
	for l := range 32 {
		if want := uint32(100*rounds*(rounds-1)/2 + rounds*l); word(out, l) != want {
			t.Fatalf("lane %d: %d, want %d", l, word(out, l), want)
		}
	}
}

// A warp counts in full at a barrier, also the last one with fewer threads.
func TestBarrierOfPartialWarp(t *testing.T) {
	b := kernel(48, 1)
	b.Emit("bar.sync", nil, simt.I(1), simt.I(64))
	b.Emit("red.global.add.u32", nil, simt.At(param(b, 0), 0), simt.I(1))
	out := make([]byte, 4)
	must(t, launch(b, emu.Launch{}, out))
	if word(out, 0) != 48 {
		t.Errorf("%d threads", word(out, 0))
	}
}
