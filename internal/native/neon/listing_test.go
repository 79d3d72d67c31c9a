package neon_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/neon"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// Example shows the code of a loop over two arrays.
func Example() {
	b := vec.NewBuilder("axpy")
	y, x, a, n := b.Arg(0), b.Arg(1), b.Arg(2), b.Arg(3)
	f := b.Emit(vec.Instr{Op: vec.LoadFirst, Type: vec.F32, Mem: vec.Mem{Base: a}})
	i := b.For(b.Int(0), n, vec.Lanes)
	at := func(base vec.Reg) vec.Mem { return vec.Mem{Base: base, Index: i, Scale: 4} }
	b.Store(vec.F32, at(y), b.Do(vec.FMulAdd, vec.F32, f, b.Load(vec.F32, at(x), 0), b.Load(vec.F32, at(y), 0)), 0)
	b.End()

	c, err := neon.New(host.LevelNEON)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.Record()
	if _, err := c.Add(b.Finish()); err != nil {
		fmt.Println(err)
	}
	if _, list, err := c.Finish(); err == nil {
		fmt.Printf("%s has %d bytes and a frame of %d words\n", list[0].Name, list[0].Size, list[0].Words)
	}
	for _, l := range c.Listing() {
		fmt.Printf("%3d %s\n", l.Offset, l.Text)
	}
	// Output:
	// axpy has 100 bytes and a frame of 4 words
	//   0 ldr x1, [x0]
	//   4 ldr x2, [x0, #8]
	//   8 ldr x3, [x0, #16]
	//  12 ldr x4, [x0, #24]
	//  16 ld1r {v0.4s}, [x3]
	//  20 movz w3, #0, lsl #0
	//  24 cmp x3, x4
	//  28 b.ge .L1
	//  32 .L2:
	//  32 add x5, x2, x3, lsl #2
	//  36 ldp q1, q2, [x5]
	//  40 ldp q3, q4, [x5, #32]
	//  44 add x5, x1, x3, lsl #2
	//  48 ldp q5, q6, [x5]
	//  52 ldp q7, q8, [x5, #32]
	//  56 fmla v5.4s, v0.4s, v1.4s
	//  60 fmla v6.4s, v0.4s, v2.4s
	//  64 fmla v7.4s, v0.4s, v3.4s
	//  68 fmla v8.4s, v0.4s, v4.4s
	//  72 stp q5, q6, [x5]
	//  76 stp q7, q8, [x5, #32]
	//  80 add x3, x3, #16
	//  84 cmp x3, x4
	//  88 b.lt .L2
	//  92 .L1:
	//  92 movz w0, #0, lsl #0
	//  96 ret
}

// list gives the instructions of a function without its end.
func list(t *testing.T, f *vec.Func) []string {
	t.Helper()
	c, err := neon.New(host.LevelNEON)
	if err != nil {
		t.Fatal(err)
	}
	c.Record()
	if _, err := c.Add(f); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, l := range c.Listing() {
		texts = append(texts, l.Text)
	}
	return texts[:slices.Index(texts, "ret")+1]
}

// count counts lines that begin with a mnemonic.
func count(lines []string, mnemonic string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(l, mnemonic+" ") {
			n++
		}
	}
	return n
}

// TestNoCopies: operations whose instructions write to an operand take one that is not needed any more.
func TestNoCopies(t *testing.T) {
	for _, c := range []struct {
		name string
		code func(b *vec.Builder, x, y, z vec.Reg) vec.Reg
	}{
		{"fma", func(b *vec.Builder, x, y, z vec.Reg) vec.Reg { return b.Do(vec.FMulAdd, vec.F32, x, y, z) }},
		{"min", func(b *vec.Builder, x, y, z vec.Reg) vec.Reg { return b.Do(vec.FMin, vec.F32, x, y) }},
		{"select", func(b *vec.Builder, x, y, z vec.Reg) vec.Reg {
			return b.Pick(vec.F32, b.Compare(vec.F32, vec.LT, x, y), y, z)
		}},
		{"select or zero", func(b *vec.Builder, x, y, z vec.Reg) vec.Reg {
			zero := b.Bits(vec.F32, 0)
			m := b.Compare(vec.F32, vec.LT, x, y)
			return b.Do(vec.FAdd, vec.F32, b.Pick(vec.F32, m, z, zero), b.Pick(vec.F32, m, zero, z))
		}},
		{"max of itself", func(b *vec.Builder, x, y, z vec.Reg) vec.Reg {
			b.Emit(vec.Instr{Op: vec.FMax, Type: vec.F32, Dst: x, Src: [3]vec.Reg{x, y}})
			return x
		}},
		{"sum of itself", func(b *vec.Builder, x, y, z vec.Reg) vec.Reg {
			b.Emit(vec.Instr{Op: vec.FMulAdd, Type: vec.F32, Dst: x, Src: [3]vec.Reg{y, z, x}})
			return x
		}},
	} {
		b := vec.NewBuilder(c.name)
		at := vec.Mem{Base: b.Arg(0)}
		x, y, z := b.Load(vec.F32, at, 0), b.Load(vec.F32, at.Plus(64), 0), b.Load(vec.F32, at.Plus(128), 0)
		b.Store(vec.F32, at, c.code(b, x, y, z), 0)
		if lines := list(t, b.Finish()); count(lines, "mov") != 0 {
			t.Errorf("%s: registers are copied:\n%s", c.name, strings.Join(lines, "\n"))
		}
	}
}

// TestErrors: a level of another machine is refused. A function that cannot be compiled leaves the others as they are.
func TestErrors(t *testing.T) {
	if _, err := neon.New(host.LevelAVX512); err == nil || err.Error() != "neon: there is no code for level avx512" {
		t.Errorf("New(avx512): %v", err)
	}
	c, err := neon.New(host.LevelNEON)
	if err != nil {
		t.Fatal(err)
	}
	good := vec.NewBuilder("good")
	good.Emit(vec.Instr{Op: vec.Return, Imm: 7})
	if n, err := c.Add(good.Finish()); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	// No function that Verify accepts has no code, so this one is not valid: there are no sums of f16.
	bad := &vec.Func{Name: "bad", Regs: []vec.Class{vec.None, vec.V16}}
	bad.Body = []vec.Instr{{Op: vec.Const, Type: vec.F16, Dst: 1}, {Op: vec.FAdd, Type: vec.F16, Dst: 1, Src: [3]vec.Reg{1, 1}}}
	_, err = c.Add(bad)
	var no *neon.Unsupported
	if !errors.As(err, &no) || err.Error() != "neon has no code for h1 = fadd.f16 h1, h1" {
		t.Errorf("an instruction without code: %v", err)
	}
	if n, err := c.Add(good.Finish()); n != 1 || err != nil {
		t.Error(n, err)
	}
	code, list, err := c.Finish()
	if err != nil || len(list) != 2 || list[1].Offset%16 != 0 || list[1].Offset+list[1].Size != len(code) || list[1].Name != "good" {
		t.Errorf("%v, %d bytes, %v", list, len(code), err)
	}
}

// TestTooLarge: code that branches do not reach across is refused, and the largest code that is accepted is assembled.
func TestTooLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles 2 MB of code")
	}
	c, err := neon.New(host.LevelNEON)
	if err != nil {
		t.Fatal(err)
	}
	long := func(n int) *vec.Func { // one branch across the whole function, and constants
		b := vec.NewBuilder("long")
		p, mask := b.Arg(0), b.DoImm(vec.MConst, vec.NoType, 1)
		b.If(vec.EQ, p, p)
		for i := range n {
			b.Store(vec.I8, vec.Mem{Base: p}, b.Bits(vec.I8, uint64(i)), mask)
			b.Store(vec.I64, vec.Mem{Base: p}, b.Bits(vec.I64, uint64(i)*0x123456789), 0)
		}
		b.End()
		return b.Finish()
	}
	var large *neon.TooLarge
	if _, err := c.Add(long(3700)); !errors.As(err, &large) || !strings.Contains(err.Error(), "with function long the code may have") {
		t.Errorf("3700 stores: %v", err)
	}
	n := 0
	for err == nil {
		n++
		_, err = c.Add(long(600))
	}
	code, list, err := c.Finish()
	if err != nil || len(list) != n-1 || len(code) < 1<<19 {
		t.Errorf("%d functions are accepted: %d bytes, %v", n-1, len(code), err)
	}
}

// reserved are the registers that code may not use: Go's, the system's, and the return address.
var reserved = regexp.MustCompile(`\b([xw](18|28|29|30)|sp|wsp)\b`)

// TestReserved: code uses no register that it must leave as it is. Only its end writes x0, the frame's address.
func TestReserved(t *testing.T) {
	for seed := range uint64(30) {
		for _, l := range list(t, vectest.Random(rand.New(rand.NewPCG(seed, 1)), 100)) {
			if reserved.MatchString(l) {
				t.Fatalf("seed %d: %s", seed, l)
			}
			if dst, _, _ := strings.Cut(l, ","); strings.HasSuffix(dst, " x0") || strings.HasSuffix(dst, " w0") {
				if op, _, _ := strings.Cut(l, " "); op != "movz" && op != "movn" {
					t.Fatalf("seed %d: %s", seed, l)
				}
			}
		}
	}
}
