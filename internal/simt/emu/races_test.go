package emu_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// raceKernel is 64 threads with 1024 bytes of shared memory, of which each has written the word of its number, with a
// barrier after it; i is the thread's number and at the address of its word.
func raceKernel(build func(b *simt.Builder, i simt.Operand, at simt.Reg)) *simt.Builder {
	b := kernel(64, 1)
	b.Shared = 1024
	i := tid(b)
	at := b.Value(simt.B32, "shl.b32", i, simt.I(2)).Reg
	b.Emit("st.shared.b32", nil, simt.At(at, 0), i)
	b.Emit("st.shared.b32", nil, simt.At(at, 256), i)
	b.Emit("bar.sync", nil, simt.I(0))
	build(b, i, at)
	return b
}

func store32(b *simt.Builder, n int, at simt.Reg, v simt.Operand) {
	line(b, n)
	b.Emit("st.shared.b32", nil, simt.At(at, 0), v)
}

func load32(b *simt.Builder, n int, at simt.Reg) simt.Operand {
	line(b, n)
	return b.Value(simt.B32, "ld.shared.b32", simt.At(at, 0))
}

// neighbour is the address of the word of another thread: the number with some bits changed.
func neighbour(b *simt.Builder, at simt.Reg, by int64) simt.Reg {
	return b.Value(simt.B32, "xor.b32", simt.R(at), simt.I(4*by)).Reg
}

// only lets the thread of one number do something.
func only(b *simt.Builder, i simt.Operand, n int64, do func()) {
	skip := b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.ne.u32", i, simt.I(n)).Reg, true, skip)
	do()
	b.Place(skip)
}

// byFlag hands a word from thread 0 to thread 32, which sees a flag change.
func byFlag(b *simt.Builder, i simt.Operand, at simt.Reg, fences bool) {
	fence := func() {
		if fences {
			b.Emit("fence.acq_rel.cta", nil)
		}
	}
	flag := b.Value(simt.B32, "mov.b32", simt.I(512))
	only(b, i, 0, func() { b.Emit("st.shared.b32", nil, simt.At(flag.Reg, 0), simt.I(0)) })
	b.Emit("bar.sync", nil, simt.I(0))
	only(b, i, 0, func() {
		store32(b, 20, at, i)
		fence()
		b.Emit("red.relaxed.cta.shared.add.u32", nil, simt.At(flag.Reg, 0), simt.I(1))
	})
	only(b, i, 32, func() {
		top := b.NewLabel()
		b.Place(top)
		v := b.Value(simt.B32, "ld.relaxed.cta.shared.b32", simt.At(flag.Reg, 0))
		b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", v, simt.I(0)).Reg, true, top)
		fence()
		load32(b, 21, neighbour(b, at, 32))
	})
}

func TestRaces(t *testing.T) {
	sync := func(b *simt.Builder) { b.Emit("bar.sync", nil, simt.I(0)) }
	for _, c := range []struct {
		name  string
		build func(b *simt.Builder, i simt.Operand, at simt.Reg)
		line  int // of the second access: 0 for no race
		want  []string
	}{
		{"write and read of another warp", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, at, i)
			load32(b, 21, neighbour(b, at, 32))
		}, 20, []string{"thread (32,0,0): data race in shared memory at 0x80: this write, and the read by thread (0,0,0) at k.go:21:1: nothing orders them"}},
		{"write and read of another warp, with a barrier", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, at, i)
			sync(b)
			load32(b, 21, neighbour(b, at, 32))
		}, 0, nil},
		{"write and read of another lane", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, at, i)
			load32(b, 21, neighbour(b, at, 1))
		}, 21, []string{"thread (0,0,0): data race", "the write by thread (1,0,0) at k.go:20:1"}},
		{"write and read of another lane, with a warp barrier", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, at, i)
			b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
			load32(b, 21, neighbour(b, at, 1))
		}, 0, nil},
		{"a warp barrier is no barrier of the block", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, at, i)
			b.Emit("bar.warp.sync", nil, simt.I(0xffffffff))
			load32(b, 21, neighbour(b, at, 32))
		}, 20, []string{"this write, and the read by thread (0,0,0) at k.go:21:1"}},
		{"read and later write", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			load32(b, 20, neighbour(b, at, 3))
			store32(b, 21, at, i)
		}, 21, []string{"this write, and the read by thread (3,0,0) at k.go:20:1"}},
		{"two writes", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, at, i)
			store32(b, 21, neighbour(b, at, 1), i)
		}, 21, []string{"this write, and the write by thread (1,0,0)"}},
		{"one place, different values", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			zero := b.Value(simt.B32, "mov.b32", simt.I(0))
			store32(b, 20, zero.Reg, b.Value(simt.B32, "and.b32", i, simt.I(31)))
		}, 20, []string{"lanes of one st.shared.b32 write different values to the same address"}},
		{"one place, one value, one warp", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			store32(b, 20, b.Value(simt.B32, "and.b32", simt.R(at), simt.I(128)).Reg, simt.I(5))
		}, 0, nil},
		{"the bytes beside", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			line(b, 20)
			b.Emit("st.shared.b8", nil, simt.At(i.Reg, 0), i)
		}, 0, nil},
		{"half a word", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			line(b, 20)
			half := b.Value(simt.B16, "cvt.u16.u32", i)
			b.Emit("st.shared.b16", nil, simt.At(b.Value(simt.B32, "shl.b32", i, simt.I(1)).Reg, 0), half)
			sync(b)
			line(b, 21)
			b.Emit("st.shared.b8", nil, simt.At(i.Reg, 0), i)
			line(b, 22)
			b.Value(simt.B16, "ld.shared.u16", simt.At(b.Value(simt.B32, "and.b32", i, simt.I(62)).Reg, 0))
		}, 22, []string{"thread (0,0,0): data race in shared memory at 0x0", "the write by thread (1,0,0) at k.go:21:1"}},
		{"one byte that all lanes read", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			line(b, 20)
			zero := b.Value(simt.B32, "mov.b32", simt.I(0))
			b.Value(simt.B16, "ld.shared.u8", simt.At(zero.Reg, 1))
			only(b, i, 0, func() {
				line(b, 21)
				b.Emit("st.shared.b8", nil, simt.At(zero.Reg, 1), i)
			})
		}, 21, []string{"thread (0,0,0): data race in shared memory at 0x1: this write, and the read by thread (1,0,0) at k.go:20:1"}},
		{"a write beside a byte that was read", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			line(b, 20)
			zero := b.Value(simt.B32, "mov.b32", simt.I(0))
			only(b, i, 3, func() { b.Value(simt.B16, "ld.shared.u8", simt.At(zero.Reg, 3)) })
			only(b, i, 5, func() {
				b.Emit("st.shared.b8", nil, simt.At(zero.Reg, 0), i)
				line(b, 21)
				b.Emit("st.shared.b8", nil, simt.At(zero.Reg, 3), i)
			})
		}, 21, []string{"thread (5,0,0): data race in shared memory at 0x3: this write, and the read by thread (3,0,0) at k.go:20:1"}},
		{"atomics", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			zero := b.Value(simt.B32, "mov.b32", simt.I(512))
			only(b, i, 0, func() { b.Emit("st.shared.b32", nil, simt.At(zero.Reg, 0), simt.I(0)) })
			sync(b)
			b.Emit("red.shared.add.u32", nil, simt.At(zero.Reg, 0), i)
			sync(b)
			load32(b, 21, zero.Reg)
		}, 0, nil},
		{"atomics and a read", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			line(b, 20)
			b.Emit("red.shared.add.u32", nil, simt.At(b.Value(simt.B32, "mov.b32", simt.I(0)).Reg, 0), i)
			only(b, i, 40, func() { load32(b, 21, b.Value(simt.B32, "mov.b32", simt.I(0)).Reg) })
		}, 21, []string{"this read, and the write by thread"}},
		{"a flag", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			flag := b.Value(simt.B32, "mov.b32", simt.I(512))
			only(b, i, 0, func() { b.Emit("st.shared.b32", nil, simt.At(flag.Reg, 0), simt.I(0)) })
			sync(b)
			only(b, i, 0, func() {
				store32(b, 20, at, i)
				b.Emit("st.release.cta.shared.b32", nil, simt.At(flag.Reg, 0), simt.I(1))
			})
			only(b, i, 32, func() {
				top := b.NewLabel()
				b.Place(top)
				v := b.Value(simt.B32, "ld.acquire.cta.shared.b32", simt.At(flag.Reg, 0))
				b.BranchIf(b.Value(simt.Pred, "setp.eq.u32", v, simt.I(0)).Reg, true, top)
				load32(b, 21, neighbour(b, at, 32))
			})
		}, 0, nil},
		{"a relaxed flag", func(b *simt.Builder, i simt.Operand, at simt.Reg) { byFlag(b, i, at, false) }, 21,
			[]string{"this read, and the write by thread (0,0,0) at k.go:20:1"}},
		{"a relaxed flag with fences", func(b *simt.Builder, i simt.Operand, at simt.Reg) { byFlag(b, i, at, true) }, 0, nil},
		{"a barrier that the writer only passes by", func(b *simt.Builder, i simt.Operand, at simt.Reg) {
			first, done := b.NewLabel(), b.NewLabel()
			b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", i, simt.I(32)).Reg, true, first)
			b.Emit("bar.arrive", nil, simt.I(1), simt.I(64))
			store32(b, 20, at, i)
			b.Branch(done)
			b.Place(first)
			b.Emit("bar.sync", nil, simt.I(1), simt.I(64))
			load32(b, 21, neighbour(b, at, 32))
			b.Place(done)
		}, 21, []string{"this read, and the write by thread (32,0,0) at k.go:20:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := raceKernel(c.build)
			err := launch(b, emu.Launch{Shared: 1024, Races: true}, make([]byte, 4))
			if c.line == 0 {
				must(t, err)
				return
			}
			wantError(t, err, c.line, c.want...)
			if err := launch(b, emu.Launch{Shared: 1024}, make([]byte, 4)); err != nil {
				t.Errorf("without the search: %v", err)
			}
		})
	}
}

// copyKernel copies 16 bytes of each of 32 threads to shared memory, and then the 16 bytes of the lane beside to the result.
func copyKernel(wait func(b *simt.Builder), beside int64) *simt.Builder {
	b := kernel(32, 2)
	b.Shared = 512
	i := tid(b)
	at := b.Value(simt.B32, "shl.b32", i, simt.I(4)).Reg
	zero := b.Value(simt.B32, "mov.b32", simt.I(0))
	for k := range int64(4) {
		b.Emit("st.shared.b32", nil, simt.At(at, 4*k), zero)
	}
	line(b, 20)
	b.Emit("cp.async.cg.shared.global", nil, simt.At(at, 0), simt.At(slot(b, param(b, 0), i, 16), 0), simt.I(16), b.Value(simt.B32, "mov.b32", simt.I(12)))
	b.Emit("cp.async.commit_group", nil)
	wait(b)
	line(b, 21)
	other := b.Value(simt.B32, "xor.b32", simt.R(at), simt.I(16*beside)).Reg
	var row []simt.Operand
	for range 4 {
		row = append(row, simt.R(b.NewReg(simt.B32)))
	}
	b.Emit("ld.shared.v4.b32", []simt.Operand{simt.V(row...)}, simt.At(other, 0))
	b.Emit("st.global.v4.b32", nil, simt.At(slot(b, param(b, 1), i, 16), 0), simt.V(row...))
	return b
}

func TestAsyncCopies(t *testing.T) {
	in := words(128, func(i int) uint32 { return uint32(i + 1) })
	waitAll := func(b *simt.Builder) { b.Emit("cp.async.wait_group", nil, simt.I(0)) }
	good := func(b *simt.Builder) { waitAll(b); b.Emit("bar.sync", nil, simt.I(0)) }
	out := make([]byte, 512)
	must(t, launch(copyKernel(good, 1), emu.Launch{Shared: 512, Races: true}, in, out))
	for i := range 128 {
		want := word(in, i^4)
		if i%4 == 3 { // beyond the 12 bytes that are read
			want = 0
		}
		if word(out, i) != want {
			t.Fatalf("word %d: %d, want %d", i, word(out, i), want)
		}
	}
	for name, c := range map[string]struct {
		wait   func(b *simt.Builder)
		beside int64
		want   string
	}{
		"no wait": {func(b *simt.Builder) { b.Emit("bar.sync", nil, simt.I(0)) }, 0, "the asynchronous write by thread (0,0,0) at k.go:20:1"},
		"one group left": {func(b *simt.Builder) { b.Emit("cp.async.wait_group", nil, simt.I(1)) }, 0,
			"the asynchronous write by thread (0,0,0) at k.go:20:1"},
		"no barrier":       {waitAll, 1, "the write by thread (1,0,0) at k.go:20:1"},
		"barrier too soon": {func(b *simt.Builder) { b.Emit("bar.sync", nil, simt.I(0)); waitAll(b) }, 1, "the write by thread (1,0,0) at k.go:20:1"},
	} {
		t.Run(name, func(t *testing.T) {
			b := copyKernel(c.wait, c.beside)
			wantError(t, launch(b, emu.Launch{Shared: 512, Races: true}, in, out), 21, c.want)
			must(t, launch(b, emu.Launch{Shared: 512}, in, out))
			if right := word(out, 0) == word(in, 0); right && c.beside == 0 {
				t.Error("the copy has landed before anybody waited")
			}
		})
	}
	b := kernel(1, 1)
	line(b, 9)
	b.Emit("cp.async.ca.shared.global", nil, simt.At(b.Value(simt.B32, "mov.b32", simt.I(4)).Reg, 0), simt.At(param(b, 0), 0), simt.I(8))
	wantError(t, launch(b, emu.Launch{Shared: 512}, in), 9, "not multiples of 8")
}
