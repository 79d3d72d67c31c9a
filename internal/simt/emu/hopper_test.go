package emu_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// hopper is D = A*B of 64 by 64 with k in tiles of 64: a producer warp copies tiles of A and B through two stages, four
// warps multiply them. Of the consumers one thread says that a stage is empty again, when its warp has waited.
type hopper struct {
	tiles        int64
	earlyRelease bool // before the multiplications are waited for
	noFullWait   bool
}

func (h hopper) kernel() *simt.Builder {
	const tile, stage = 64 * 128, 2 * 64 * 128
	b := kernel(160, 1)
	b.Params = append(b.Params, simt.Param{Name: "a", Type: "b8", Bytes: 128, Align: 64}, simt.Param{Name: "b", Type: "b8", Bytes: 128, Align: 64})
	i := tid(b)
	bars := mov(b, 2*stage)
	only(b, i, 0, func() {
		for k := range int64(4) { // full 0, full 1, empty 0, empty 1
			b.Emit("mbarrier.init.shared.b64", nil, simt.At(bars.Reg, 8*k), simt.I(1))
		}
		b.Emit("fence.mbarrier_init.release.cluster", nil)
	})
	b.Emit("bar.sync", nil, simt.I(0))
	n := mov(b, 0)
	place := func() (full, empty, data, parity simt.Operand) {
		s := b.Value(simt.B32, "and.b32", n, simt.I(1))
		full = b.Value(simt.B32, "mad.lo.u32", s, simt.I(8), bars)
		return full, b.Value(simt.B32, "add.u32", full, simt.I(16)), b.Value(simt.B32, "mul.lo.u32", s, simt.I(stage)),
			b.Value(simt.B32, "and.b32", b.Value(simt.B32, "shr.u32", n, simt.I(1)), simt.I(1))
	}
	next := func(top int) {
		b.Emit("add.u32", []simt.Operand{n}, n, simt.I(1))
		b.BranchIf(b.Value(simt.Pred, "setp.lt.u32", n, simt.I(h.tiles)).Reg, true, top)
	}
	producer, end := b.NewLabel(), b.NewLabel()
	b.BranchIf(b.Value(simt.Pred, "setp.ge.u32", i, simt.I(128)).Reg, true, producer)
	h.consumer(b, i, place, next)
	b.Branch(end)
	b.Place(producer)
	b.BranchIf(b.Value(simt.Pred, "setp.ne.u32", i, simt.I(128)).Reg, true, end)
	top := b.NewLabel()
	b.Place(top)
	full, empty, data, parity := place()
	tryWait(b, empty, b.Value(simt.B32, "xor.b32", parity, simt.I(1)))
	b.Emit("mbarrier.arrive.expect_tx.shared.b64", []simt.Operand{sink}, simt.At(full.Reg, 0), simt.I(stage))
	k := b.Value(simt.B32, "shl.b32", n, simt.I(6))
	for m, name := range []string{"a", "b"} {
		line(b, 20+m)
		b.Emit("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", nil, simt.At(data.Reg, int64(m*tile)),
			tensorMap(b, name), simt.V(k, mov(b, 0)), simt.At(full.Reg, 0))
	}
	next(top)
	b.Place(end)
	return b
}

// consumer appends what the four warps do that multiply.
func (h hopper) consumer(b *simt.Builder, i simt.Operand, place func() (full, empty, data, parity simt.Operand), next func(top int)) {
	var d []simt.Operand
	for range 32 {
		d = append(d, mov(b, 0))
	}
	top := b.NewLabel()
	b.Place(top)
	full, empty, data, parity := place()
	if !h.noFullWait {
		tryWait(b, full, parity)
	}
	y := layout{swizzle: 128, lead: 16, stride: 1024}
	desc := b.Value(simt.B64, "add.u64", b.Value(simt.B64, "cvt.u64.u32", b.Value(simt.B32, "shr.u32", data, simt.I(4))), simt.B(y.descriptor(0)))
	b.Emit("wgmma.fence.sync.aligned", nil)
	yes := b.Value(simt.Pred, "mov.pred", simt.I(1))
	for s := range int64(4) {
		da := b.Value(simt.B64, "add.u64", desc, simt.I(2*s))
		db := b.Value(simt.B64, "add.u64", desc, simt.I(2*s+64*128/16))
		line(b, 30)
		b.Emit("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16", []simt.Operand{simt.V(d...)}, da, db, yes, simt.I(1), simt.I(1), simt.I(0), simt.I(0))
	}
	b.Emit("wgmma.commit_group.sync.aligned", nil)
	release := func() {
		only(b, i, 7, func() { b.Emit("mbarrier.arrive.shared.b64", []simt.Operand{sink}, simt.At(empty.Reg, 0)) })
	}
	if h.earlyRelease {
		release()
	}
	b.Emit("wgmma.wait_group.sync.aligned", nil, simt.I(0))
	if !h.earlyRelease {
		release()
	}
	next(top)
	for r, v := range d {
		b.Emit("st.global.b32", nil, simt.At(slot(b, param(b, 0), i, 4), int64(512*r)), v)
	}
}

func TestHopperGEMM(t *testing.T) {
	const tiles = 5
	const k = 64 * tiles
	rng := rand.New(rand.NewPCG(101, 102))
	in := [2][]byte{make([]byte, 64*k*2), make([]byte, 64*k*2)}
	var values [2][64][k]int
	for m := range in {
		for r := range 64 {
			for c := range k {
				v := rng.IntN(7) - 3
				values[m][r][c] = v
				binary.LittleEndian.PutUint16(in[m][2*(r*k+c):], uint16(dtype.Float16FromFloat32(float32(v))))
			}
		}
	}
	run := func(h hopper, races bool) ([]byte, error) {
		h.tiles = tiles
		out := make([]byte, 64*64*4)
		raw := map[int][]byte{}
		for m := range in {
			tm := &emu.TensorMap{Type: "f16", Rank: 2, Addr: start + gap*uint64(m+1), Dims: [5]uint64{k, 64}, Strides: [5]uint64{0, 2 * k},
				Box: [5]uint32{64, 64}, Swizzle: 128}
			var err error
			raw[m+1], err = tm.Encode()
			must(t, err)
		}
		return out, launch(h.kernel(), emu.Launch{Shared: 4*64*128 + 64, Args: []uint64{start, 0, 0}, Bytes: raw, Races: races}, out, in[0], in[1])
	}
	for _, races := range []bool{false, true} {
		out, err := run(hopper{}, races)
		must(t, err)
		for th := range 128 {
			for r := range 32 {
				row, col := th/32*16+th%32/4+8*(r/2%2), r/4*8+th%4*2+r%2
				sum := 0
				for c := range k {
					sum += values[0][row][c] * values[1][col][c]
				}
				if got := math.Float32frombits(word(out, 128*r+th)); got != float32(sum) {
					t.Fatalf("D[%d,%d] = %v, want %d", row, col, got, sum)
				}
			}
		}
	}
	_, err := run(hopper{earlyRelease: true}, true)
	wantError(t, err, 20, "this write, and the asynchronous read at k.go:30:1: nothing orders them")
	_, err = run(hopper{noFullWait: true}, false)
	wantError(t, err, 30, "reads shared memory that has not been written")
}
