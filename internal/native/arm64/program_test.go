package arm64

import (
	"bytes"
	"strings"
	"testing"
)

// program emits labels before and behind their uses, padding and constants.
func program(a *Assembler) {
	loop, done := a.Label(), a.Label()
	table := a.Const([]byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 16)
	one := a.Const([]byte{0, 0, 0x80, 0x3f}, 4)
	a.Emit(CBZ, X(1), To(done))
	a.Emit(LDR, Q(2), To(table))
	a.Emit(LDR, S(3), To(one))
	a.Emit(ADR, X(4), To(table))
	a.Align(16)
	a.Note("for i := range n {")
	a.Bind(loop)
	a.Emit(LD1, V(0, V4S).List(2), Post(X0, 32))
	a.Emit(FMLA, V(2, V4S), V(0, V4S), S(1).Lane(3))
	a.Emit(TBNZ, X(1), Imm(40), To(done))
	a.Emit(SUBS, X(1), X(1), Imm(1))
	a.Emit(BCOND, NE.Op(), To(loop))
	a.Bind(done)
	a.Emit(TBZ, W(1), Imm(3), To(loop))
	a.Emit(BRANCH, To(done))
	a.Emit(BL, To(loop))
	a.Emit(RET)
}

// TestProgram compares a program with what LLVM's assembler makes of its listing.
func TestProgram(t *testing.T) {
	a := Assembler{Record: true}
	program(&a)
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, l := range a.Lines() {
		if strings.Contains(l.Text, ".L3:") { // it is aligned
			text.WriteString(".zero 12\n")
		}
		text.WriteString(l.Text + "\n")
	}
	listing := text.String()
	if want := assemble(t, listing); !bytes.Equal(code, want) {
		t.Errorf("the bytes differ for\n%s\ngot  %x\nwant %x", listing, code, want)
	}
}

// TestListing checks the lines and where they are.
func TestListing(t *testing.T) {
	a := Assembler{Record: true}
	program(&a)
	if _, err := a.Finish(); err != nil {
		t.Fatal(err)
	}
	lines := a.Lines()
	for i, want := range map[int]Line{
		0: {0, "cbz x1, .L2"}, 1: {4, "ldr q2, .L3"}, 4: {16, "// for i := range n {"}, 5: {16, ".L1:"}, 6: {16, "ld1 {v0.4s, v1.4s}, [x0], #32"},
		7: {20, "fmla v2.4s, v0.4s, v1.s[3]"}, 10: {32, "b.ne .L1"}, 15: {48, "ret"},
		16: {64, ".L3: .byte 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10"},
		17: {80, ".L4: .byte 0x00, 0x00, 0x80, 0x3f"},
	} {
		if lines[i] != want {
			t.Errorf("line %d is %v, not %v", i, lines[i], want)
		}
	}
}

// TestReset checks that a second program does not see the first one.
func TestReset(t *testing.T) {
	var fresh, used Assembler
	used.Const([]byte("constant"), 8)
	used.Emit(FADD, X(1))
	used.Emit(BRANCH, To(used.Label()))
	if _, err := used.Finish(); err == nil {
		t.Fatal("two mistakes are not found")
	}
	used.Reset()
	program(&fresh)
	program(&used)
	want, err1 := fresh.Finish()
	got, err2 := used.Finish()
	if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
		t.Errorf("%x (%v) instead of %x (%v)", got, err2, want, err1)
	}
}

// TestConst checks that equal constants are one, with the larger alignment.
func TestConst(t *testing.T) {
	var a Assembler
	first := a.Const([]byte("abcd"), 4)
	other := a.Const([]byte("abcde"), 1)
	if again := a.Const([]byte("abcd"), 64); again != first || other == first {
		t.Fatalf("labels %s, %s, %s", first, other, again)
	}
	a.Emit(LDR, W(0), To(first))
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	want := append([]byte{0, 2, 0, 0x18}, make([]byte, 60)...) // ldr w0, 64 bytes on
	if !bytes.Equal(code, append(want, "abcdabcde"...)) || a.Alignment() != 64 {
		t.Errorf("%x at a multiple of %d", code, a.Alignment())
	}
}

// TestNumbers checks constants that are numbers, and alignments.
func TestNumbers(t *testing.T) {
	var a Assembler
	a.Emit(LDR, S(0), To(a.Const32(0x3f800000)))
	if a.Alignment() != 4 {
		t.Errorf("alignment %d", a.Alignment())
	}
	a.Emit(LDR, X(1), To(a.Const64(0x0123456789abcdef)))
	a.Align(8)
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	want := "\x40\x00\x00\x1c" + "\x61\x00\x00\x58" + "\x00\x00\x80\x3f" + "\x00\x00\x00\x00" + "\xef\xcd\xab\x89\x67\x45\x23\x01"
	if string(code) != want || a.Alignment() != 8 {
		t.Errorf("%x at a multiple of %d", code, a.Alignment())
	}
}

func TestNeeds(t *testing.T) {
	var a Assembler
	a.Emit(ADD, X(0), X(1), X(2))
	if a.Needs() != 0 {
		t.Errorf("add needs %s", a.Needs())
	}
	a.Emit(SDOT, V(0, V4S), V(1, V16B), V(2, V16B))
	a.Emit(FADD, V(0, V8H), V(1, V8H), V(2, V8H))
	if a.Needs() != DotProd|FP16 || a.Needs().String() != "fp16 dotprod" {
		t.Errorf("the instructions need %q", a.Needs())
	}
	if forms := FADD.Forms(); FADD.Feature() != 0 || forms[3] != (Form{"4h, 4h, 4h", FP16}) {
		t.Errorf("%v", forms)
	}
}

// TestNoAllocation checks that an instruction needs no memory but for its bytes.
func TestNoAllocation(t *testing.T) {
	var a Assembler
	program(&a)
	if n := testing.AllocsPerRun(100, func() {
		a.Reset()
		mixed(&a)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// mixed emits eight instructions as loops have them.
func mixed(a *Assembler) {
	loop := a.Label()
	a.Bind(loop)
	a.Emit(LDR, Q(0), AtIndex(X0, X2, LSLBy, 4))
	a.Emit(LDP, Q(1), Q(3), Post(X1, 32))
	a.Emit(FMLA, V(16, V4S), V(0, V4S), S(1).Lane(2))
	a.Emit(FADD, V(17, V4S), V(0, V4S), V(1, V4S))
	a.Emit(ADD, X(0), X(0), X(3))
	a.Emit(STR, Q(17), At(X0, 64))
	a.Emit(SUBS, X(4), X(4), Imm(1))
	a.Emit(BCOND, NE.Op(), To(loop))
}

func BenchmarkEmit(b *testing.B) {
	var a Assembler
	for b.Loop() {
		a.Reset()
		for range 16 {
			mixed(&a)
		}
		if _, err := a.Finish(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(16*8), "ns/instruction")
}
