package emu_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// tensorText runs a kernel of 128 threads whose body is PTX; "GO" in it waits for all threads, "GO!" with both fences.
func tensorText(body string, blocks int, races bool) error {
	sync, cluster := "bar.sync 0;", ""
	if blocks > 1 {
		sync, cluster = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", fmt.Sprintf(".reqnctapercluster %d, 1, 1", blocks)
	}
	body = strings.NewReplacer("GO!", "tcgen05.fence::before_thread_sync; "+sync+" tcgen05.fence::after_thread_sync;", "GO", sync,
		"ALLOC", "@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 32; bar.sync 0; ld.shared.b32 %r4, [ta]; add.u32 %r3, %r3, %r4;",
		"FREE", "bar.sync 0; @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;",
		"ST", "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3], {%r0};", "LD", "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r9}, [%r3];",
		"WST", "tcgen05.wait::st.sync.aligned;", "WLD", "tcgen05.wait::ld.sync.aligned;",
		"IDESC", fmt.Sprint(idescF16),
		"COMMIT", "@%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];",
	).Replace(strings.NewReplacer("AMMA", "tcgen05.mma.cta_group::1.kind::f16 [%r4], [%r4+16], %d6, IDESC, %p2;",
		"CP", "tcgen05.cp.cta_group::1.128x256b [%r4+16], %d6;", "WAIT", "$W: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 0; @!%p3 bra $W;", "MMA", "@%p0 tcgen05.mma.cta_group::1.kind::f16 [%r4], %d6, %d6, IDESC, %p2;").Replace(body))
	m, err := ptx.Read([]byte(`.version 8.8
.target sm_100a
.visible .entry k() .reqntid 128, 1, 1 ` + cluster + `
{
.reg .b32 %r<16>; .reg .b64 %d<8>; .reg .pred %p<8>;
.shared .align 1024 .b8 sm[8192]; .shared .align 8 .b64 bar; .shared .align 4 .b32 ta;
mov.u32 %r0, %tid.x; shr.u32 %r2, %r0, 5; shl.b32 %r3, %r2, 21; mov.u32 %r8, %cluster_ctarank;
setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r2, 0; setp.ne.u32 %p2, %r0, %r0; setp.eq.u32 %p4, %r0, 32;
mov.u32 %r6, 0; mov.u32 %r5, sm; shl.b32 %r7, %r0, 2; add.u32 %r5, %r5, %r7;
FILL: st.shared.b32 [%r5], %r6; add.u32 %r5, %r5, 512; add.u32 %r6, %r6, 1; setp.lt.u32 %p3, %r6, 16; @%p3 bra FILL;
fence.proxy.async.shared::cta;
@%p0 mbarrier.init.shared.b64 [bar], 1;
mov.u32 %r7, sm; and.b32 %r7, %r7, 0x3ffff; shr.u32 %r7, %r7, 4; cvt.u64.u32 %d6, %r7; add.u64 %d6, %d6, ` + fmt.Sprint(sharedLayouts[2].descriptor(0)) + `;
bar.sync 0;
` + body + `
ret;
}
`))
	if err != nil {
		return err
	}
	p, err := emu.Load(m)
	if err != nil {
		return err
	}
	return p.Run(context.Background(), emu.Launch{Kernel: "k", Grid: [3]int{blocks, 1, 1}, Shared: m.Kernels[0].Shared, Races: races})
}

// idescF16 is the instruction descriptor of f32 = f16 * f16 with M of 128 and N of 16.
const idescF16 = 1<<4 | 2<<17 | 8<<24

// TestTensorMistakes makes mistakes with tensor memory, each of which must be found, and what is right beside them, where
// nothing may be.
func TestTensorMistakes(t *testing.T) {
	const fence, after = "tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;"
	for _, c := range []struct{ body, want string }{ // want: "" for none, "races: " if only the search for races finds it
		// Allocation.
		{"ALLOC FREE", ""},
		{"ALLOC", "the block ends, and columns of tensor memory were not deallocated (tcgen05.dealloc): allocated are 0 to 31"},
		{"mov.u32 %r5, 48; @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], %r5;", "48 columns: expected a power of two from 32 to 512"},
		{"mov.u32 %r5, 1024; @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], %r5;", "1024 columns"},
		{"@%p1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; ALLOC FREE", "has given up the permit"},
		{"ALLOC setp.eq.u32 %p3, %r2, 1; @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 32;", "one warp allocates for a block; warp 0 has done so, and warp 1 cannot"},
		{"ALLOC @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 64;", "allocations must not grow"},
		{"@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 512; @%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 512;",
			"waits for 512 columns of tensor memory; allocated are 0 to 511"},
		{"ALLOC @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 64;", "no such allocation; allocated are 0 to 31"},
		{"ALLOC FREE @%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 32;", "no such allocation; none is"},
		{"setp.lt.u32 %p3, %r0, 8; @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 32;", "wants the lanes 0xffffffff, but lane 8 has ended"},
		// Addresses.
		{"ALLOC ST WST LD WLD FREE", ""},
		{"ST", "column 0 is not allocated; none is"},
		{"ALLOC tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3+32], {%r0}; FREE", "column 32 is not allocated; allocated are 0 to 31"},
		{"ALLOC tcgen05.st.sync.aligned.32x32b.x1.b32 [%r4], {%r0}; FREE", "warp 1 reaches lanes 32 to 63; expected the first lane 32"},
		{"ALLOC tcgen05.st.sync.aligned.16x64b.x1.b32 [%r3+524288], {%r0}; FREE", "expected the first lane 0 or the one 16 further"},
		{"ALLOC add.u32 %r3, %r3, %r0; ST FREE", "lanes of one warp have different addresses"},
		{"ALLOC @%p0 tcgen05.shift.cta_group::1.down [%r4+65536]; FREE", "at lane 1 of tensor memory: expected 0, 32, 64 or 96"},
		{"ALLOC FREE ST", "not allocated"},
		// What nobody wrote.
		{"ALLOC LD WLD FREE", "reads a word from tensor memory that has not been written, at lane 0, column 0"},
		{"ALLOC setp.eq.u32 %p2, %r0, %r0; MMA COMMIT WAIT FREE", "reads D from tensor memory that has not been written"},
		{"ALLOC ST WST FREE ALLOC LD", "has not been written"},
		// Loads and stores that were not waited for.
		{"ALLOC ST LD WST WLD FREE", "which the tcgen05.st.sync.aligned.32x32b.x1.b32 at PLACE has not finished with: tcgen05.wait::st must come first"},
		{"ALLOC ST WST LD ST WLD WST FREE", "tcgen05.wait::ld must come first"},
		{"ALLOC ST FREE", "may still use: tcgen05.wait::st must come first"},
		{"ALLOC ST WST LD FREE", "may still use: tcgen05.wait::ld must come first"},
		{"ALLOC ST GO! MMA COMMIT WAIT WST FREE", "tcgen05.wait::st must come first"},
		// Multiplications.
		{"ALLOC MMA COMMIT WAIT " + after + " LD WLD FREE", ""},
		{"ALLOC MMA COMMIT " + after + " LD WLD FREE", "the mbarrier of a tcgen05.commit must be waited for"},
		{"ALLOC MMA " + after + " GO! LD WLD FREE", "the mbarrier of a tcgen05.commit must be waited for"},
		{"ALLOC MMA WAIT FREE", "deadlock"},
		{"ALLOC MMA FREE", "may still use: the mbarrier of a tcgen05.commit must be waited for"},
		{"ALLOC MMA COMMIT WAIT LD WLD FREE", "races: there is no tcgen05.fence::before_thread_sync before that and tcgen05.fence::after_thread_sync after it"},
		{"ALLOC MMA MMA COMMIT WAIT " + after + " LD WLD FREE", ""},
		{"ALLOC MMA @%p0 tcgen05.mma.cta_group::1.kind::f16 [%r4+8], %d6, %d6, IDESC, %p2; COMMIT WAIT FREE", "which the tcgen05.mma.cta_group::1.kind::f16 at PLACE has not finished with"},
		{"ALLOC @%p0 tcgen05.mma.cta_group::1.kind::f16 [%r4+16], %d6, %d6, IDESC, %p2; MMA COMMIT WAIT " + after + " LD WLD FREE", ""},
		{"ALLOC @%p0 tcgen05.mma.cta_group::1.kind::f16 [%r4+24], %d6, %d6, IDESC, %p2; COMMIT WAIT FREE", "column 32 is not allocated"},
		{"ALLOC @%p0 tcgen05.mma.cta_group::1.kind::f16 [%r4], %d6, %d6, 0, %p2; FREE", "M is 0: expected one of [64 128]"},
		{"ALLOC @%p0 tcgen05.mma.cta_group::1.kind::f16.collector::a::use [%r4], %d6, %d6, IDESC, %p2; FREE", "and the collector buffer has nothing"},
		{"ALLOC add.u64 %d6, %d6, 0x2000000000000000; MMA FREE", "there is no swizzle of the kind 7: expected 0, 1, 2, 4 or 6"},
		{"ALLOC sub.u64 %d6, %d6, 0x400000000000; MMA FREE", "bits 46 to 48 are 000: expected 001, as descriptors of sm_100 have it"},
		{"ALLOC add.u64 %d6, %d6, 0x2000; MMA FREE", "outside of shared memory"},
		{"ALLOC setp.eq.u32 %p3, %r0, 1; MMA @%p3 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar]; WAIT " + after + " LD WLD FREE",
			"the mbarrier of a tcgen05.commit must be waited for"}, // of another thread
		// Other threads.
		{"ALLOC ST WST GO! MMA COMMIT WAIT " + after + " LD WLD FREE", ""},
		{"ALLOC ST WST GO MMA COMMIT WAIT " + after + " LD WLD FREE", "races: they are ordered, but there is no tcgen05.fence"},
		{"ALLOC ST WST " + fence + " GO MMA COMMIT WAIT " + after + " LD WLD FREE", "races: they are ordered, but there is no tcgen05.fence"},
		{"ALLOC ST WST GO " + after + " MMA COMMIT WAIT " + after + " LD WLD FREE", "races: they are ordered, but there is no tcgen05.fence"},
		{"setp.eq.u32 %p0, %r0, 96; ALLOC ST WST " + fence + " " + after + " MMA COMMIT WAIT " + after + " LD WLD FREE", "races: nothing orders them"},
		{"ALLOC ST WST GO! MMA COMMIT WAIT " + after + " LD WLD GO! MMA @%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar]; " +
			"W2: mbarrier.try_wait.parity.shared.b64 %p3, [bar], 1; @!%p3 bra W2; FREE", ""},
		{"ALLOC MMA COMMIT WAIT @%p0 st.shared.b32 [sm], %r0; FREE", ""},
		{"ALLOC MMA COMMIT @%p0 st.shared.b32 [sm], %r0; WAIT FREE", "races: this write, and the asynchronous read by thread (0,0,0)"},
		{"ALLOC @%p0 st.shared.b32 [sm], %r0; MMA COMMIT WAIT FREE", "races: there is no fence.proxy.async between them"},
		// A copy of another thread, which the multiplication comes after.
		{"ALLOC @%p4 CP GO! @%p0 AMMA COMMIT WAIT " + after + " LD WLD FREE", ""},
		{"ALLOC @%p4 CP GO @%p0 AMMA COMMIT WAIT FREE", "races: they are ordered, but there is no tcgen05.fence"},
		{"ALLOC @%p4 CP GO! tcgen05.st.sync.aligned.32x32b.x1.b32 [%r3+16], {%r0}; FREE", "has not finished with: the mbarrier of a tcgen05.commit must be waited for"},
		{"ALLOC @%p4 CP GO! FREE", "which the tcgen05.cp.cta_group::1.128x256b at PLACE may still use"},
	} {
		for _, races := range []bool{false, true} {
			want, onlyRaces := strings.CutPrefix(c.want, "races: ")
			err := tensorText(c.body, 1, races)
			switch {
			case want == "" || onlyRaces && !races:
				if err != nil {
					t.Errorf("%s: races %v: %v", c.body, races, err)
				}
			case err == nil || !strings.Contains(clean(err.Error()), want):
				t.Errorf("%s: races %v: %v, want %s", c.body, races, err, want)
			}
		}
	}
}

// clean replaces positions.
func clean(s string) string { return strings.ReplaceAll(s, " at - ", " at PLACE ") }

// TestTensorPairs makes mistakes with pairs of blocks.
func TestTensorPairs(t *testing.T) {
	const alloc, dealloc = "@%p1 tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [ta], %r10; GO ld.shared.b32 %r4, [ta];",
		"GO @%p1 tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r4, %r10;"
	const mma = "tcgen05.mma.cta_group::2.kind::f16 [%r4], %d6, %d6, 136052752, %p2;" // M of 128, N of 32
	for _, c := range []struct {
		body   string
		blocks int
		want   string
	}{
		{"mov.u32 %r10, 64; " + alloc + dealloc, 2, ""},
		{"mov.u32 %r10, 64; " + alloc + dealloc, 1, "needs a pair of blocks; the cluster has 1"},
		{"add.u32 %r10, %r8, 1; shl.b32 %r10, %r10, 5; " + alloc + dealloc, 2, "and the other block of the pair asks for"},
		{"mov.u32 %r10, 64; setp.eq.u32 %p4, %r8, 0; and.pred %p1, %p1, %p4; " + alloc, 2, "waits for 64 columns of tensor memory"},
		{"mov.u32 %r10, 64; " + alloc + "ALLOC", 2, "all tcgen05 instructions of a kernel have the same cta_group; another one has cta_group::2"},
		{"mov.u32 %r10, 64; " + alloc + "setp.eq.u32 %p4, %r8, 0; @!%p4 bra OUT; @%p0 " + mma + " OUT: " + dealloc, 2, "of columns 0 to 63, which the tcgen05.mma"},
	} {
		err := tensorText(c.body, c.blocks, true)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.body, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.body, err, c.want)
		}
	}
}

// TestTensorServed waits for columns that another warp gives back.
func TestTensorServed(t *testing.T) {
	must(t, tensorText(`@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 512; bar.sync 0; ld.shared.b32 %r4, [ta]; bar.sync 0;
@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta+0], 256;
setp.eq.u32 %p3, %r2, 1; @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 512;
bar.sync 0; ld.shared.b32 %r4, [ta];
@%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r4, 256;`, 1, true))
}
