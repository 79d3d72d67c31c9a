package emu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// tensorGemm is D = A*B of tiles of 128 by 32, k in tiles of 128 bytes of a row, which is the leading one of A and B. Of six
// warps one copies tiles into two stages with 128-byte swizzles, one thread of another multiplies them, and four store D out
// of tensor memory. A block goes through several tiles of columns. Lines that end with "//" and a name can be left out.
const tensorGemm = `.version 8.7
.target sm_100a
.address_size 64
.visible .entry gemm(.param .align 64 .b8 ma[128], .param .align 64 .b8 mb[128], .param .u64 out, .param .u32 ktiles, .param .u32 ntiles,
	.param .u64 sfa, .param .u64 sfb) .reqntid 192, 1, 1
{
.reg .b32 %r<48>; .reg .b32 %x<32>; .reg .b64 %d<24>; .reg .pred %p<8>;
.shared .align 1024 .b8 stages[STAGES];
.shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2]; .shared .align 8 .b64 done; .shared .align 8 .b64 drained; .shared .align 4 .b32 ta;
mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; mov.u32 %r2, %ctaid.x;
ld.param.u32 %r3, [ktiles]; ld.param.u32 %r4, [ntiles];
setp.ne.u32 %p0, %r0, 0; @%p0 bra INITED;
mbarrier.init.shared.b64 [full], 1; mbarrier.init.shared.b64 [full+8], 1;
mbarrier.init.shared.b64 [empty], 1; mbarrier.init.shared.b64 [empty+8], 1;
mbarrier.init.shared.b64 [done], 1; mbarrier.init.shared.b64 [drained], 128;
fence.mbarrier_init.release.cluster;
INITED:
setp.eq.u32 %p1, %r1, 5;
@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [ta], 64;  // alloc
bar.sync 0;
ld.shared.b32 %r5, [ta];
mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, stages; mov.u32 %r9, full; mov.u32 %r10, empty;
setp.eq.u32 %p0, %r1, 4; @%p0 bra PRODUCER;
setp.eq.u32 %p0, %r1, 5; @%p0 bra MULTIPLIER;

// Four warps store D: each has 32 rows.
shl.b32 %r11, %r1, 21; add.u32 %r11, %r11, %r5;
ld.param.u64 %d0, [out]; mad.lo.u32 %r12, %r2, 128, %r0; shl.b32 %r13, %r4, 7; mul.wide.u32 %d1, %r12, %r13; add.u64 %d0, %d0, %d1;
STORE:
and.b32 %r14, %r6, 1;
E1: mbarrier.try_wait.parity.shared.b64 %p0, [done], %r14; @!%p0 bra E1;  // wait for the product
tcgen05.fence::after_thread_sync;  // fence after the product
tcgen05.ld.sync.aligned.32x32b.x32.b32 {XS}, [%r11];
tcgen05.wait::ld.sync.aligned;  // wait for the load
tcgen05.fence::before_thread_sync;  // fence before the release
mbarrier.arrive.shared.b64 _, [drained];  // release
VALUES
add.u64 %d0, %d0, 128; add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, %r4; @%p0 bra STORE;
bra END;

// A thread copies tiles of A and B, and their scale factors.
PRODUCER:
setp.ne.u32 %p0, %r0, 128; @%p0 bra END;
mov.u64 %d2, ma; cvta.param.u64 %d2, %d2; mov.u64 %d3, mb; cvta.param.u64 %d3, %d3;
ld.param.u64 %d4, [sfa]; ld.param.u64 %d5, [sfb]; mul.lo.u32 %r15, %r2, %r3; mul.wide.u32 %d6, %r15, 2048; add.u64 %d4, %d4, %d6;
shl.b32 %r16, %r2, 7; mov.u32 %r20, 0;
COLUMNS:
mov.u32 %r21, 0;
COPY:
and.b32 %r22, %r7, 1; shr.u32 %r23, %r7, 1; and.b32 %r23, %r23, 1; xor.b32 %r23, %r23, 1;
shl.b32 %r24, %r22, 3; add.u32 %r25, %r9, %r24; add.u32 %r26, %r10, %r24; mad.lo.u32 %r27, %r22, STAGE, %r8; add.u32 %r28, %r27, 16384;
C1: mbarrier.try_wait.parity.shared.b64 %p0, [%r26], %r23; @!%p0 bra C1;  // wait for an empty stage
mbarrier.arrive.expect_tx.shared.b64 _, [%r25], STAGE;
mul.lo.u32 %r29, %r21, ELEMENTS; shl.b32 %r30, %r20, 5;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r27], [%d2, {%r29, %r16}], [%r25];
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r28], [%d3, {%r29, %r30}], [%r25];
COPYSCALES
add.u32 %r7, %r7, 1; add.u32 %r21, %r21, 1; setp.lt.u32 %p0, %r21, %r3; @%p0 bra COPY;
add.u32 %r20, %r20, 1; setp.lt.u32 %p0, %r20, %r4; @%p0 bra COLUMNS;
bra END;

// A thread multiplies.
MULTIPLIER:
setp.ne.u32 %p0, %r0, 160; @%p0 bra END;
mov.u32 %r20, 0;
PRODUCT:
and.b32 %r14, %r20, 1; xor.b32 %r14, %r14, 1;
M1: mbarrier.try_wait.parity.shared.b64 %p0, [drained], %r14; @!%p0 bra M1;  // wait until D is stored
tcgen05.fence::after_thread_sync;  // fence after the release
mov.u32 %r21, 0;
TILE:
and.b32 %r22, %r7, 1; shr.u32 %r23, %r7, 1; and.b32 %r23, %r23, 1;
shl.b32 %r24, %r22, 3; add.u32 %r25, %r9, %r24; add.u32 %r26, %r10, %r24; mad.lo.u32 %r27, %r22, STAGE, %r8;
M2: mbarrier.try_wait.parity.shared.b64 %p0, [%r25], %r23; @!%p0 bra M2;  // wait for a full stage
and.b32 %r28, %r27, 0x3ffff; shr.u32 %r28, %r28, 4; cvt.u64.u32 %d7, %r28; add.u64 %d7, %d7, DESC; add.u64 %d8, %d7, 1024;
MOVESCALES
PRODUCTS
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r26];  // commit to the stage
add.u32 %r7, %r7, 1; add.u32 %r21, %r21, 1; setp.lt.u32 %p0, %r21, %r3; @%p0 bra TILE;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [done];  // commit to those who store
add.u32 %r20, %r20, 1; setp.lt.u32 %p0, %r20, %r4; @%p0 bra PRODUCT;
END:
bar.sync 0;
@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r5, 64;  // dealloc
@%p1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
ret;
}
`

// gemm is a run of that kernel: the kind of the elements, and how many there are of a row in a tile.
type gemm struct {
	kind     string // "f16", "f8f6f4" or "mxf4nvf4"
	elements int
	types    uint32 // of the instruction descriptor
	tmap     string // the elements in tensor maps, of 16 or 8 bits
	scaled   bool
}

var gemms = []gemm{
	{"f16", 64, 1 << 4, "f16", false},
	{"f8f6f4", 128, 1<<4 | 1<<10, "u8", false}, // e4m3 * e5m2
	{"mxf4nvf4", 256, 1<<7 | 1<<10, "u8", true},
}

// text is the kernel.
func (g gemm) text() string {
	var xs, values, products, copies, moves strings.Builder
	for i := range 32 {
		fmt.Fprintf(&xs, ", %%x%d", i)
		if i%4 == 0 {
			fmt.Fprintf(&values, "st.global.v4.b32 [%%d0+%d], {%%x%d, %%x%d, %%x%d, %%x%d};\n", 4*i, i, i+1, i+2, i+3)
		}
	}
	op, tail := "tcgen05.mma.cta_group::1.kind::"+g.kind, ""
	stage := 20 << 10
	if g.scaled {
		op += ".block_scale.scale_vec::4X"
		stage += 4096
		copies.WriteString(`add.u32 %r31, %r27, 20480; add.u32 %r32, %r27, 22528;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r31], [%d4], 2048, [%r25];
mad.lo.u32 %r33, %r20, %r3, %r21; mul.wide.u32 %d9, %r33, 2048; add.u64 %d9, %d5, %d9;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r32], [%d9], 2048, [%r25];
add.u64 %d4, %d4, 2048; add.u32 %r34, %r21, 1; setp.eq.u32 %p0, %r34, %r3; mul.wide.u32 %d6, %r3, 2048; @%p0 sub.u64 %d4, %d4, %d6;
`)
		// Descriptors without swizzle: 32 rows of 16 bytes.
		fmt.Fprintf(&moves, "and.b32 %%r28, %%r27, 0x3ffff; shr.u32 %%r28, %%r28, 4; cvt.u64.u32 %%d10, %%r28; add.u64 %%d10, %%d10, %d;\n",
			uint64(20480>>4)|8<<32|1<<46)
		for j := range 4 {
			fmt.Fprintf(&moves, "add.u64 %%d11, %%d10, %d; add.u64 %%d12, %%d10, %d;\n", 32*j, 128+32*j)
			fmt.Fprintf(&moves, "tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r5+%d], %%d11;  // scale factors of A\n", 32+4*j)
			fmt.Fprintf(&moves, "tcgen05.cp.cta_group::1.32x128b.warpx4 [%%r5+%d], %%d12;  // scale factors of B\n", 48+4*j)
		}
	}
	for j := range 4 {
		if g.scaled {
			tail = fmt.Sprintf("[%%r5+%d], [%%r5+%d], ", 32+4*j, 48+4*j)
		}
		set := "setp.ne.u32 %p2, %r21, 0;"
		if j > 0 {
			set = "setp.eq.u32 %p2, %r0, %r0;"
		}
		fmt.Fprintf(&products, "%s add.u64 %%d13, %%d7, %d; add.u64 %%d14, %%d8, %d;\n", set, 2*j, 2*j)
		fmt.Fprintf(&products, "%s [%%r5], %%d13, %%d14, %d, %s%%p2;  // product\n", op, g.types|4<<17|8<<24, tail)
	}
	desc := uint64(64)<<32 | 1<<46 | 2<<61
	return strings.NewReplacer("XS", xs.String()[2:], "VALUES", values.String(), "PRODUCTS", products.String(), "COPYSCALES", copies.String(),
		"MOVESCALES", moves.String(), "ELEMENTS", fmt.Sprint(g.mapped()), "DESC", fmt.Sprint(desc), "STAGES", fmt.Sprint(2*stage),
		"STAGE", fmt.Sprint(stage)).Replace(tensorGemm)
}

// mapped is the elements of a tile's row as tensor maps count them: 4-bit elements are bytes of two.
func (g gemm) mapped() int {
	if g.tmap == "u8" {
		return 128
	}
	return g.elements
}

// operand makes a matrix of rows by ktiles tiles: its bytes by row, what they mean, and the scale factors, in blocks of 128 rows
// by 64 elements as the copies to tensor memory want them: 16 bytes for the rows r, r+32, r+64 and r+96, four for each.
func (g gemm) operand(rng *rand.Rand, rows, perTile, ktiles int, second bool) (data []byte, values [][]float64, scales []byte) {
	k := g.elements * ktiles
	data = make([]byte, rows*128*ktiles)
	scales = make([]byte, (rows+perTile-1)/perTile*ktiles*2048)
	for r := range rows {
		values = append(values, make([]float64, k))
		for i := range k {
			var v float64
			switch at := r * 128 * ktiles; {
			case g.kind == "f16":
				f := float32(rng.NormFloat64())
				code := small16(f)
				binary.LittleEndian.PutUint16(data[at+2*i:], code)
				v = half(code)
			case g.kind == "f8f6f4":
				code := byte(rng.IntN(256))
				v = eight(code, second)
				if v != v || math.IsInf(v, 0) || math.Abs(v) > 64 {
					code, v = 0, 0
				}
				data[at+i] = code
			default:
				code := byte(rng.IntN(16))
				data[at+i/2] |= code << (4 * (i % 2))
				v = []float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}[code&7] * (1 - 2*float64(code>>3))
				in := r % perTile
				sf := &scales[((r/perTile)*ktiles+i/256)*2048+i/64%4*512+in%32*16+in/32*4+i/16%4]
				if i%16 == 0 {
					*sf = byte(0x28 + rng.IntN(32))
				}
				v *= eight(*sf, false)
			}
			values[r][i] = v
		}
	}
	return data, values, scales
}

// run multiplies and compares with float64.
func (g gemm) run(text string, races bool, blocks int) error {
	const ntiles, ktiles = 3, 3
	rng := rand.New(rand.NewPCG(77, 78))
	a, va, sfa := g.operand(rng, 128*blocks, 128, ktiles, false)
	b, vb, sfb := g.operand(rng, 32*ntiles, 32, ktiles, true)
	m, err := ptx.Read([]byte(text))
	if err != nil {
		return err
	}
	p, err := emu.Load(m)
	if err != nil {
		return err
	}
	out := make([]byte, 4*128*blocks*32*ntiles)
	l := emu.Launch{Kernel: "gemm", Grid: [3]int{blocks, 1, 1}, Shared: m.Kernels[0].Shared, Memory: &emu.Memory{}, Races: races, Bytes: map[int][]byte{}}
	at := addrs(5)
	for i, data := range [][]byte{a, b, out, sfa, sfb} {
		l.Memory.Map(at[i], data, []string{"a", "b", "out", "sfa", "sfb"}[i], false)
	}
	l.Args = []uint64{0, 0, at[2], ktiles, ntiles, at[3], at[4]}
	for i, rows := range []int{128 * blocks, 32 * ntiles} {
		t := &emu.TensorMap{Type: g.tmap, Rank: 2, Addr: at[i], Dims: [5]uint64{uint64(g.mapped() * ktiles), uint64(rows)},
			Strides: [5]uint64{0, 128 * ktiles}, Box: [5]uint32{uint32(g.mapped()), []uint32{128, 32}[i]}, Swizzle: 128}
		if l.Bytes[i], err = t.Encode(); err != nil {
			return err
		}
	}
	l.Account = &emu.Account{}
	if err := p.Run(context.Background(), l); err != nil {
		return err
	}
	products := int64(0)
	for _, c := range l.Account.Counts {
		products += c.MultiplyAdds
	}
	if want := int64(len(va) * len(vb) * len(va[0])); products != want {
		return fmt.Errorf("the account has %d multiplications, want %d", products, want)
	}
	for r, row := range va {
		for c, column := range vb {
			sum, size := 0.0, 0.0
			for i := range row {
				sum += row[i] * column[i]
				size += math.Abs(row[i] * column[i])
			}
			got := float64(math.Float32frombits(word(out, r*32*ntiles+c)))
			if math.Abs(got-sum) > 1e-6*size || got != got {
				return fmt.Errorf("D[%d,%d] is %v, want %v", r, c, got, sum)
			}
		}
	}
	return nil
}

func TestTensorGemm(t *testing.T) {
	for _, g := range gemms {
		t.Run(g.kind, func(t *testing.T) {
			for _, races := range []bool{false, true} {
				must(t, g.run(g.text(), races, 2))
			}
		})
	}
}

// TestTensorGemmAssembles gives the kernels to NVIDIA's assembler.
func TestTensorGemmAssembles(t *testing.T) {
	tool := testenv.Tool(t, "ptxas")
	for _, g := range gemms {
		file := filepath.Join(t.TempDir(), "k.ptx")
		must(t, os.WriteFile(file, []byte(g.text()), 0o644))
		for _, level := range []string{"-O0", "-O3"} {
			out, err := exec.Command(tool, "-arch", "sm_100a", level, "-o", filepath.Join(t.TempDir(), "k.cubin"), file).CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v: %s", g.kind, err, out)
			}
		}
	}
}
