package amd64

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// program emits jumps of both sizes and directions, constants, padding and memory at labels.
func program(a *Assembler) {
	near, far, end := a.Label(), a.Label(), a.Label()
	ones := a.Const([]byte{0, 0, 128, 63}, 4)
	row := a.Const(bytes.Repeat([]byte{1, 2, 3, 4}, 16), 64)
	a.Emit(LEA, R64(RDI), AtLabel(row, 0))
	a.Bind(near)
	a.Emit(VBROADCASTSS, Z(1), AtLabel(ones, 0))
	a.Emit(VADDPS, Z(1), Z(2), Mem{Label: ones, Bcast: true}.Op())
	a.Emit(VPTERNLOGD, Z(1), Z(2), AtLabel(row, 0), Imm(0x96))
	a.Emit(CMP, AtLabel(ones, 0).Sized(4), Imm(0x12345678))
	a.Emit(MOV, R32(RAX), AtLabel(row, 60))
	a.Emit(JNE, To(near))
	a.Emit(JMP, To(near))
	a.Emit(CALL, To(near))
	a.Emit(JMP, To(far))
	a.Align(64)
	for range 50 {
		a.Emit(VFMADD231PS, Z(1), Z(2), At(RSI, 0x1000))
	}
	a.Emit(JG, To(near))
	a.Emit(JMP, To(near))
	a.Bind(far)
	a.Note("the far label")
	a.Emit(JE, To(end))
	for range 20 {
		a.Emit(VFMADD231PS, V(64, 1), V(64, 2).Reg().Op(), At(RSI, 0x1000))
	}
	a.Bind(end)
	a.Emit(RET)
}

// TestProgram compares a whole program, whose jumps forward are far, with what GNU's assembler makes of the listing.
func TestProgram(t *testing.T) {
	a := Assembler{Record: true}
	program(&a)
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	source := bytes.NewBufferString(".intel_syntax noprefix\n")
	if a.Alignment() != 64 {
		t.Errorf("the alignment is %d", a.Alignment())
	}
	at := 0
	for _, line := range a.Lines() {
		if line.Offset < at || line.Offset > len(code) {
			t.Errorf("%d: %s comes after offset %d", line.Offset, line.Text, at)
		}
		at = line.Offset
		if strings.Contains(line.Text, ".byte") {
			source.WriteString(".balign 4, 0xcc\n") // as far as the alignment of the constants asks for it
			if strings.Count(line.Text, ",") == 63 {
				source.WriteString(".balign 64, 0xcc\n")
			}
		}
		source.WriteString(line.Text + "\n")
	}
	if want := assemble(t, testenv.Assembler(t), source.Bytes()); !bytes.Equal(code, want) {
		t.Errorf("%s\n got % x\nwant % x", source, code, want)
	}
}

// TestJumps checks sizes and distances without another assembler.
func TestJumps(t *testing.T) {
	for _, c := range []struct {
		gap  int // bytes between the label and the jump
		size int
	}{{0, 2}, {126, 2}, {127, 5}, {1000, 5}} {
		var a Assembler
		l := a.Label()
		a.Bind(l)
		for range c.gap {
			a.Emit(NOP)
		}
		a.Emit(JMP, To(l))
		code, err := a.Finish()
		if err != nil {
			t.Fatal(err)
		}
		jump := code[c.gap:]
		distance := int32(int8(jump[1]))
		if len(jump) == 5 {
			distance = int32(binary.LittleEndian.Uint32(jump[1:]))
		}
		if len(jump) != c.size || int(distance) != -c.gap-c.size {
			t.Errorf("a jump back over %d bytes is % x, with distance %d", c.gap, jump, distance)
		}
	}
	var a Assembler
	l := a.Label()
	a.Emit(JE, To(l))
	a.Emit(NOP)
	a.Bind(l)
	a.Emit(RET)
	code, err := a.Finish()
	if want := "\x0f\x84\x01\x00\x00\x00\x90\xc3"; err != nil || string(code) != want {
		t.Errorf("a jump forward is % x, expected % x; %v", code, want, err)
	}
}

func TestConst(t *testing.T) {
	var a Assembler
	if a.Const32(0x3F800000) != a.Const([]byte{0, 0, 0x80, 0x3F}, 1) || a.Const64(1<<40) != a.Const([]byte{0, 0, 0, 0, 0, 1, 0, 0}, 1) {
		t.Error("the bytes of a number are in another order")
	}
	a.Reset()
	four, again := a.Const([]byte{1, 2, 3, 4}, 4), a.Const([]byte{1, 2, 3, 4}, 32)
	other := a.Const([]byte{1, 2, 3, 5}, 1)
	if four != again || four == other {
		t.Errorf("labels %d, %d, %d: equal constants have one label, others have not", four, again, other)
	}
	a.Emit(MOV, R32(RAX), AtLabel(four, 0)) // 6 bytes
	a.Emit(MOVZX, R32(RAX), AtLabel(other, 3).Sized(1))
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if len(code) != 40 || !bytes.Equal(code[32:], []byte{1, 2, 3, 4, 1, 2, 3, 5}) {
		t.Errorf("the constants are at the wrong place: % x", code)
	}
	if d := binary.LittleEndian.Uint32(code[2:]); d != 32-6 {
		t.Errorf("the first constant is at distance %d", d)
	}
	if d := binary.LittleEndian.Uint32(code[9:]); d != 36+3-13 {
		t.Errorf("the second constant is at distance %d", d)
	}
	if !bytes.Equal(code[13:32], bytes.Repeat([]byte{0xCC}, 19)) {
		t.Errorf("the padding is % x", code[13:32])
	}
}

// TestReset checks that an assembler that is used again makes the same code, and that Emit needs no memory.
func TestReset(t *testing.T) {
	var a Assembler
	program(&a)
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.Clone(code)
	a.Reset()
	if a.Len() != 0 || a.Needs() != 0 {
		t.Errorf("after Reset: %d bytes, features %s", a.Len(), a.Needs())
	}
	program(&a)
	if code, err = a.Finish(); err != nil || !bytes.Equal(code, first) {
		t.Errorf("the second time: % x, %v", code, err)
	}
	n := testing.AllocsPerRun(100, func() {
		a.Reset()
		l := a.Label()
		a.Bind(l)
		for i := range 20 {
			a.Emit(VFMADD231PS, Z(i).Mask(1), Z(2), AtIndex(RSI, RCX, 4, 128))
			a.Emit(VFMADD231PS, Z(i), Z(2), Z(3), RoundDown)
			a.Emit(ADD, R64(RAX), Imm(int64(i)))
			a.Emit(JNE, To(l))
		}
	})
	if n != 0 {
		t.Errorf("emitting takes %v allocations", n)
	}
}
