package emu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// tensorFrame is a kernel of one block, or of a pair, that fills shared and tensor memory, does something, and gives tensor
// memory back, as 32x32b.x1 reads it.
const tensorFrame = `.version 8.8
.target sm_100a
.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) .reqntid 128, 1, 1 CLUSTER
{
.reg .b32 %r<160>; .reg .b32 %x<160>; .reg .b64 %d<16>; .reg .pred %p<8>; .reg .b16 %h<4>;
.shared .align 1024 .b8 sm[SHARED]; .shared .align 8 .b64 bar; .shared .align 4 .b32 ta;
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; shr.u32 %r2, %r0, 5; shl.b32 %r3, %r2, 21;
setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p3, %r1, 0; and.pred %p4, %p0, %p3;
ld.param.u64 %d0, [p0]; mul.wide.u32 %d1, %r1, SHARED; add.u64 %d0, %d0, %d1; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;
mov.u32 %r5, sm; shl.b32 %r6, %r0, 2; add.u32 %r5, %r5, %r6; mov.u32 %r6, 0;
FILL: ld.global.b32 %r7, [%d0]; st.shared.b32 [%r5], %r7; add.u64 %d0, %d0, 512; add.u32 %r5, %r5, 512; add.u32 %r6, %r6, 512;
setp.lt.u32 %p2, %r6, SHARED; @%p2 bra FILL;
fence.proxy.async.shared::cta;
@%p0 mbarrier.init.shared.b64 [bar], ARRIVALS;
@!%p1 bra READY;
tcgen05.alloc.GROUP.sync.aligned.shared::cta.b32 [ta], COLS;
READY: SYNC
ld.shared.b32 %r4, [ta]; add.u32 %r3, %r3, %r4;
ld.param.u64 %d1, [p1]; mul.wide.u32 %d2, %r1, BYTES; add.u64 %d1, %d1, %d2; mul.wide.u32 %d2, %r0, 4; add.u64 %d1, %d1, %d2;
mov.u32 %r6, 0; mov.u32 %r5, %r3;
SET: ld.global.b32 %r7, [%d1]; tcgen05.st.sync.aligned.32x32b.x1.b32 [%r5], {%r7}; tcgen05.wait::st.sync.aligned;
add.u64 %d1, %d1, 512; add.u32 %r5, %r5, 1; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, COLS; @%p2 bra SET;
tcgen05.fence::before_thread_sync; SYNC tcgen05.fence::after_thread_sync;
mov.u32 %r8, sm; and.b32 %r8, %r8, 0x3ffff; shr.u32 %r8, %r8, 4; cvt.u64.u32 %d3, %r8;
ld.param.u64 %d4, [p3]; mul.wide.u32 %d5, %r1, EXTRA; add.u64 %d4, %d4, %d5;
BODY
tcgen05.fence::before_thread_sync; SYNC tcgen05.fence::after_thread_sync;
ld.param.u64 %d1, [p2]; mul.wide.u32 %d2, %r1, BYTES; add.u64 %d1, %d1, %d2; mul.wide.u32 %d2, %r0, 4; add.u64 %d1, %d1, %d2;
mov.u32 %r6, 0; mov.u32 %r5, %r3;
GET: tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r7}, [%r5]; tcgen05.wait::ld.sync.aligned; st.global.b32 [%d1], %r7;
add.u64 %d1, %d1, 512; add.u32 %r5, %r5, 1; add.u32 %r6, %r6, 1; setp.lt.u32 %p2, %r6, COLS; @%p2 bra GET;
tcgen05.fence::before_thread_sync; SYNC
@!%p1 bra DONE;
tcgen05.dealloc.GROUP.sync.aligned.b32 %r4, COLS;
tcgen05.relinquish_alloc_permit.GROUP.sync.aligned;
DONE: ret;
}
`

// committed is what a thread does and waits for: BODY of most tests. The mbarriers of a pair learn of it alike.
const committed = `@!THREAD bra WAIT;
THE_OP
COMMIT
WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra WAIT;
tcgen05.fence::after_thread_sync;`

// tensorBench is a run of that kernel.
type tensorBench struct {
	blocks int // 1, or 2 for a pair
	cols   int // of tensor memory
	body   string
	shared []byte   // of all blocks
	tensor []uint32 // of all blocks, by column and lane
	extra  []byte   // global memory, at %d4 for each block
	races  bool
}

func newTensorBench(blocks, shared, cols int) *tensorBench {
	return &tensorBench{blocks: blocks, cols: cols, shared: make([]byte, blocks*shared), tensor: make([]uint32, blocks*cols*128),
		extra: make([]byte, 4*blocks)}
}

// at gives the index of a word of tensor memory.
func (b *tensorBench) at(block, lane, col int) int { return (block*b.cols+col)*128 + lane }

// once makes the body that a thread does an operation and waits for it.
func (b *tensorBench) once(op string) {
	commit := "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];"
	if b.blocks == 2 {
		commit = "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [bar], 3;"
	}
	b.body = strings.NewReplacer("THE_OP", op, "COMMIT", commit, "THREAD", "%p4").Replace(committed)
}

// run gives tensor memory after the body.
func (b *tensorBench) run() ([]uint32, error) {
	values := []string{
		"CLUSTER", "", "GROUP", "cta_group::1", "SYNC", "bar.sync 0;", "ARRIVALS", "1", "COLS", fmt.Sprint(b.cols),
		"SHARED", fmt.Sprint(len(b.shared) / b.blocks), "BYTES", fmt.Sprint(512 * b.cols), "EXTRA", fmt.Sprint(len(b.extra) / b.blocks), "BODY", b.body,
	}
	if b.blocks == 2 {
		values[1], values[3] = ".reqnctapercluster 2, 1, 1", "cta_group::2"
		values[5] = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
	}
	text := tensorFrame
	for i := len(values) - 2; i >= 0; i -= 2 {
		text = strings.ReplaceAll(text, values[i], values[i+1])
	}
	m, err := ptx.Read([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, text)
	}
	p, err := emu.Load(m)
	if err != nil {
		return nil, err
	}
	in, out := make([]byte, 4*len(b.tensor)), make([]byte, 4*len(b.tensor))
	for i, x := range b.tensor {
		binary.LittleEndian.PutUint32(in[4*i:], x)
	}
	l := emu.Launch{Kernel: "k", Grid: [3]int{b.blocks, 1, 1}, Shared: m.Kernels[0].Shared, Memory: &emu.Memory{}, Args: addrs(4), Races: b.races}
	for i, data := range [][]byte{b.shared, in, out, b.extra} {
		l.Memory.Map(l.Args[i], data, []string{"shared", "tensor", "result", "extra"}[i], false)
	}
	err = p.Run(context.Background(), l)
	words := make([]uint32, len(b.tensor))
	for i := range words {
		words[i] = word(out, i)
	}
	return words, err
}
