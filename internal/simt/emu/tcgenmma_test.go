package emu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/simt"
)

// Columns of tensor memory: D, A, the scale factors of A and of B. And where matrices begin in shared memory.
const (
	colsD, colA, colSA, colSB = 64, 64, 72, 80
	baseA, baseB, sharedSize  = 0, 40 << 10, 80 << 10
)

// judge multiplies and compares with sums of integers.
func (c *tensorMmaCase) judge(n int) error {
	rng := rand.New(rand.NewPCG(uint64(n), 7))
	k := map[string]int{"f16": 16, "tf32": 8, "mxf4": 64, "mxf4nvf4": 64}[c.kind]
	if k == 0 {
		k = 32
	}
	b := newTensorBench(c.blocks, sharedSize, 128)
	b.races = n%8 == 0
	ma, mb, md := c.a.matrix(rng, c.m, k), c.b.matrix(rng, c.n+c.shift, k), ordinary("s8", 0, 8).matrix(rng, c.m, c.n)
	c.place(b, ma, mb, md)
	sa, sb := c.scales(b, rng)
	c.body(b)
	out, err := b.run()
	if err != nil {
		return fmt.Errorf("%+v: %w", c, err)
	}
	want := append([]uint32(nil), b.tensor...)
	for r := range md {
		for col := range md[r] {
			block, lane, at := dPlace(c.ws, c.blocks, c.m, c.n, r, col)
			lane += c.row
			if c.disable != nil && c.disable[(128*block+lane)/32]>>(lane%32)&1 == 1 {
				continue
			}
			sum := 0.0
			for i := range k {
				if c.zero != nil && c.zero(col) {
					continue
				}
				v := float64(ma[r][i] * mb[col+c.shift][i])
				if c.vec > 0 {
					v *= sa[r][i*c.vec/k] * sb[col][i*c.vec/k]
				}
				if c.negate == 1 || c.negate == 2 {
					v = -v
				}
				sum += v
			}
			if c.add {
				sum += float64(md[r][col]) / float64(int(1)<<c.divide)
			}
			i := b.at(block, lane, at)
			got, x := out[i], uint32(smallFloat(c.d, sum))
			if c.d == "f16" {
				got &= 0xffff
			}
			if got != x {
				return fmt.Errorf("%+v: D[%d,%d] is %#x, want %#x", c, r, col, got, x)
			}
			want[i] = out[i]
		}
	}
	for i := range want {
		if out[i] != want[i] {
			return fmt.Errorf("%+v: lane %d, column %d is %#x, was %#x", c, i%128, i/128%128, out[i], want[i])
		}
	}
	return nil
}

// place puts matrices where the multiplication finds them.
func (c *tensorMmaCase) place(b *tensorBench, ma, mb, md [][]int) {
	rows, columns := c.m/c.blocks, c.n/c.blocks
	for block := range c.blocks {
		mem := b.shared[block*sharedSize:]
		mine := ma[block*rows : (block+1)*rows]
		c.b.store(mem, baseB, c.lb, mb[block*columns:(block+1)*columns+c.shift])
		if !c.inTensor {
			c.a.store(mem, baseA, c.la, mine)
			continue
		}
		for r, words := range c.a.words(mine) {
			_, lane, _ := dPlace(c.ws, 1, rows, c.n, r, 0)
			for i, w := range words {
				b.tensor[b.at(block, lane+c.row, colA+i)] = w
			}
		}
	}
	for r := range md {
		for col, v := range md[r] {
			block, lane, at := dPlace(c.ws, c.blocks, c.m, c.n, r, col)
			x := uint32(small(c.d, v))
			if c.d == "f16" {
				x |= 0xabcd0000 // which nobody reads
			}
			b.tensor[b.at(block, lane+c.row, at)] = x
		}
	}
}

// scales puts scale factors into tensor memory, and gives them by row of A and column of B.
func (c *tensorMmaCase) scales(b *tensorBench, rng *rand.Rand) (sa, sb [][]float64) {
	if c.vec == 0 {
		return nil, nil
	}
	value := func() (byte, float64) {
		e := rng.IntN(4)
		if c.exponents {
			return byte(126 + e), float64(int(1)<<e) / 2
		}
		code := byte(6+e)<<3 | 4 // 1.5 times a power of two
		return code, 1.5 * float64(int(1)<<e) / 2
	}
	set := func(block, lane, col, at int, code byte) {
		i := b.at(block, lane, col)
		b.tensor[i] = b.tensor[i]&^(0xff<<(8*at)) | uint32(code)<<(8*at)
	}
	for r := range c.m {
		sa = append(sa, nil)
		rows := c.m / c.blocks
		for j := range c.vec {
			code, v := value()
			sa[r] = append(sa[r], v)
			for q := 0; q < 128; q += 32 {
				set(r/rows, q+r%32, colSA+r%rows/32, c.idA+j, code)
			}
		}
	}
	for n := range c.n {
		sb = append(sb, nil)
		for j := range c.vec {
			code, v := value()
			sb[n] = append(sb[n], v)
			for q := 0; q < 128; q += 32 {
				for block := range c.blocks {
					if c.blocks == 2 && c.m == 128 { // halves of the columns in halves of the lanes
						if half := n / (c.n / 2); half == q/64 {
							m := n % (c.n / 2)
							set(block, q+m%32, colSB+m/32, c.idB+j, code)
						}
						continue
					}
					set(block, q+n%32, colSB+n/32, c.idB+j, code)
				}
			}
		}
	}
	return sa, sb
}

// body is the PTX of the multiplication.
func (c *tensorMmaCase) body(b *tensorBench) {
	var s strings.Builder
	fmt.Fprintf(&s, "add.u64 %%d6, %%d3, %d; add.u64 %%d7, %%d3, %d; mov.b32 %%r20, %d; setp.eq.u32 %%p5, %%r0, %d;\n",
		c.la.descriptor(baseA), c.lb.descriptor(baseB), c.idesc(), map[bool]int{false: 1}[c.add])
	fmt.Fprintf(&s, "add.u32 %%r21, %%r4, %d; add.u32 %%r22, %%r4, %d;\n", c.row<<16, c.row<<16)
	a := "%d6"
	if c.inTensor {
		a = fmt.Sprintf("[%%r22+%d]", colA)
	}
	rest := ""
	switch {
	case c.vec > 0:
		fmt.Fprintf(&s, "add.u32 %%r23, %%r4, %d; add.u32 %%r24, %%r4, %d;\n", colSA, colSB)
		if c.inAddress {
			fmt.Fprintf(&s, "add.u32 %%r23, %%r23, %d; add.u32 %%r24, %%r24, %d;\n", c.idA<<30, c.idB<<30)
		}
		rest = "[%r23], [%r24], "
	case c.disable != nil:
		var list []string
		for i, m := range c.disable {
			fmt.Fprintf(&s, "mov.b32 %%x%d, %d;\n", i, m)
			list = append(list, fmt.Sprintf("%%x%d", i))
		}
		rest = "{" + strings.Join(list, ", ") + "}, "
	}
	rest += "%p5"
	if c.divide > 0 {
		rest += fmt.Sprint(", ", c.divide)
	}
	if c.zero != nil || c.zeros != 0 {
		fmt.Fprintf(&s, "mov.b64 %%d8, %d;\n", c.zeros)
		rest += ", %d8"
	}
	if c.prefill != "" { // fills the collector buffer, and must not change D
		c.fill(&s, a, rest)
	}
	fmt.Fprintf(&s, "%s [%%r21], %s, %%d7, %%r20, %s;", c.op, a, rest)
	b.once(s.String())
}

// fill appends a multiplication into other columns of D.
func (c *tensorMmaCase) fill(s *strings.Builder, a, rest string) {
	fmt.Fprintf(s, "setp.ne.u32 %%p6, %%r0, %%r0;\n%s [%%r21+%d], %s, %%d7, %%r20, %s;\n", c.prefill, 0, a, strings.Replace(rest, "%p5", "%p6", 1))
	if !c.add {
		return
	}
	c.add = false // D is what the first multiplication wrote
	fmt.Fprintf(s, "setp.ne.u32 %%p5, %%r0, %%r0;\n")
}

// smallFloat gives the bits of a number that is exact.
func smallFloat(ty string, v float64) uint64 {
	switch ty {
	case "f16":
		return uint64(dtype.Float16FromFloat32(float32(v)))
	case "f32":
		return uint64(math.Float32bits(float32(v)))
	}
	return small(ty, int(v))
}

// TestEveryTensorMma multiplies with every form, with all kinds of types, shapes, layouts and options by chance.
func TestEveryTensorMma(t *testing.T) {
	n := 0
	for form := range simt.Forms() {
		if !strings.HasPrefix(form.Op, "tcgen05.mma.") {
			continue
		}
		must(t, newTensorMma(form.Op, n).judge(n))
		n++
	}
	t.Logf("%d multiplications", n)
	if n < 200 {
		t.Errorf("only %d", n)
	}
}

// TestTensorMmaLayouts multiplies with every layout of A and B and every size of elements.
func TestTensorMmaLayouts(t *testing.T) {
	n := 0
	for kind, types := range tensorKinds {
		if strings.HasPrefix(kind, "mx") {
			continue
		}
		for _, l := range sharedLayouts {
			y := types[0]
			if l.across && (y.bits == 32) != (l.kind == 1) {
				continue
			}
			c := &tensorMmaCase{op: "tcgen05.mma.cta_group::1.kind::" + kind, kind: kind, blocks: 1, m: 128, n: 64, d: "f32", a: y, b: y, la: l, lb: l}
			if kind == "i8" {
				c.d = "s32"
			}
			must(t, c.judge(n))
			n++
		}
	}
}

// TestTensorZeroColumns gives mma.ws columns of B that count as zeros, as the examples of the PTX ISA have them, and some that
// begin further behind.
func TestTensorZeroColumns(t *testing.T) {
	masks := func(m int, list ...string) func(col int) bool { // the lowest bits of the masks, the lowest first
		return func(col int) bool {
			per := 64 * m / 128
			pattern := list[col/per]
			return pattern[col%per%len(pattern)] == '1'
		}
	}
	spans := uint64(2)<<40 | 3<<48
	for i, c := range []*tensorMmaCase{
		{m: 128, zeros: spans, zero: masks(128, "0")},
		{m: 128, zeros: spans | 1<<39, zero: masks(128, "0000111")},
		{m: 64, zeros: spans | 1<<39 | 1<<32, zero: masks(64, "1110000", "0000111")},
		{m: 32, zeros: spans | 1<<39 | 3<<32 | 1<<8 | 2<<16 | 1<<24 | 2<<56, shift: 2, zero: masks(32, "1110000", "1100001", "0011100", "0001110")},
	} {
		c.op, c.kind, c.ws, c.blocks, c.n, c.d, c.add = "tcgen05.mma.ws.cta_group::1.kind::f16", "f16", true, 1, 64, "f32", true
		c.a, c.b, c.la, c.lb = tensorKinds["f16"][0], tensorKinds["f16"][0], sharedLayouts[4], sharedLayouts[4]
		must(t, c.judge(i))
	}
}

// TestTensorDescriptors compares the descriptors of these tests with those in machine code that tileiras 13.4 makes for sm_100 of
// products of tiles (UTCHMMA, UTCQMMA, UTCIMMA; the upper word of descriptors of matrices in shared memory).
func TestTensorDescriptors(t *testing.T) {
	f16, f8, i8 := tensorKinds["f16"], tensorKinds["f8f6f4"], tensorKinds["i8"]
	for name, c := range map[string]struct {
		*tensorMmaCase
		want uint32
	}{
		"f16, B transposed": {&tensorMmaCase{m: 128, n: 128, d: "f32", a: f16[0], b: f16[0], lb: sharedLayouts[8]}, 0x08210010},
		"bf16 64 by 64":     {&tensorMmaCase{m: 64, n: 64, d: "f32", a: f16[1], b: f16[1]}, 0x04100490},
		"tf32":              {&tensorMmaCase{m: 128, n: 128, d: "f32", a: tensorKinds["tf32"][0], b: tensorKinds["tf32"][0]}, 0x08200910},
		"e4m3":              {&tensorMmaCase{m: 128, n: 128, d: "f32", a: f8[0], b: f8[0]}, 0x08200010},
		"e5m2 128 by 64":    {&tensorMmaCase{m: 128, n: 64, d: "f32", a: f8[1], b: f8[1]}, 0x08100490},
		"s8, saturated":     {&tensorMmaCase{m: 128, n: 128, d: "s32", a: i8[1], b: i8[1], saturate: true}, 0x082004a8},
		"e4m3, scaled":      {&tensorMmaCase{m: 128, n: 128, vec: 1, exponents: true, a: f8[0], b: f8[0], idA: 2, idB: 3}, 0x08a00000 | 2<<29 | 3<<4},
	} {
		if got := c.idesc(); got != c.want {
			t.Errorf("%s: 0x%08x, want 0x%08x", name, got, c.want)
		}
	}
	if got := sharedLayouts[4].descriptor(0); got>>32 != 0x40004040 {
		t.Errorf("128 bytes of swizzle along k: 0x%016x", got)
	}
	b := sharedLayout{kind: 2, across: true, lead: 8192, stride: 1024}
	if got := b.descriptor(0); got != 0x40004040_02000000 {
		t.Errorf("128 bytes of swizzle across k: 0x%016x", got)
	}
	if got := (sharedLayout{lead: 16, stride: 128}).descriptor(0); got != 0x4008_00010000 {
		t.Errorf("scale factors: 0x%016x", got)
	}
}
