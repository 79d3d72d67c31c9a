package atom_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout/atom"
)

// place is the row and column of a thread's value i, where g is the thread's group and t its number in it (the PTX ISA's
// groupID and threadID_in_group). Rows and columns are those of the matrices A (M,K), B (K,N) and C (M,N).
type place func(g, t, i int) (row, column int)

// fragments is the PTX ISA's section on the fragments of an instruction: how many registers of 32 bits a thread has, how
// many values, and where these lie.
type fragments struct {
	regs    [3]int
	values  [3]int
	a, b, c place
}

func when(cond bool, yes, no int) int {
	if cond {
		return yes
	}
	return no
}

var (
	c4 = func(g, t, i int) (int, int) { return when(i < 2, g, g+8), t*2 + i&1 }

	half8 = fragments{[3]int{2, 1, 4}, [3]int{4, 2, 4},
		func(g, t, i int) (int, int) { return when(i < 2, g, g+8), t*2 + i&1 },
		func(g, t, i int) (int, int) { return t*2 + i&1, g }, c4}
	half16 = fragments{[3]int{4, 2, 4}, [3]int{8, 4, 4},
		func(g, t, i int) (int, int) {
			return when(i < 2 || 4 <= i && i < 6, g, g+8), when(i < 4, t*2+i&1, t*2+i&1+8)
		},
		func(g, t, i int) (int, int) { return when(i < 2, t*2+i&1, t*2+i&1+8), g }, c4}
	tf4 = fragments{[3]int{2, 1, 4}, [3]int{2, 1, 4},
		func(g, t, i int) (int, int) { return when(i == 0, g, g+8), t },
		func(g, t, i int) (int, int) { return t, g }, c4}
	tf8 = fragments{[3]int{4, 2, 4}, [3]int{4, 2, 4},
		func(g, t, i int) (int, int) { return when(i == 0 || i == 2, g, g+8), when(i < 2, t, t+4) },
		func(g, t, i int) (int, int) { return when(i == 0, t, t+4), g }, c4}
	byte16 = fragments{[3]int{2, 1, 4}, [3]int{8, 4, 4},
		func(g, t, i int) (int, int) { return when(i < 4, g, g+8), t*4 + i&3 },
		func(g, t, i int) (int, int) { return t*4 + i&3, g }, c4}
	byte32 = fragments{[3]int{4, 2, 4}, [3]int{16, 8, 4},
		func(g, t, i int) (int, int) {
			return when(i < 4 || 8 <= i && i < 12, g, g+8), when(i < 8, t*4+i&3, t*4+i&3+16)
		},
		func(g, t, i int) (int, int) { return when(i < 4, t*4+i&3, t*4+i&3+16), g }, c4}
	double = fragments{[3]int{2, 2, 4}, [3]int{1, 1, 2},
		func(g, t, i int) (int, int) { return g, t },
		func(g, t, i int) (int, int) { return t, g },
		func(g, t, i int) (int, int) { return g, t*2 + i&1 }}
)

// withC is fragments with other registers for C.
func (f fragments) withC(regs int) fragments {
	f.regs[2] = regs
	return f
}

// manual has the opcode's shape and types (D, A, B, C), which qualifiers surround, and the target that it needs.
var manual = map[string]struct {
	fragments
	target string
}{
	"m16n8k8 f32.f16.f16.f32":    {half8, "sm_75"},
	"m16n8k8 f16.f16.f16.f16":    {half8.withC(2), "sm_75"},
	"m16n8k8 f32.bf16.bf16.f32":  {half8, "sm_80"},
	"m16n8k16 f32.f16.f16.f32":   {half16, "sm_80"},
	"m16n8k16 f16.f16.f16.f16":   {half16.withC(2), "sm_80"},
	"m16n8k16 f32.bf16.bf16.f32": {half16, "sm_80"},
	"m16n8k4 f32.tf32.tf32.f32":  {tf4, "sm_80"},
	"m16n8k8 f32.tf32.tf32.f32":  {tf8, "sm_80"},
	"m16n8k16 s32.s8.s8.s32":     {byte16, "sm_80"},
	"m16n8k16 s32.s8.u8.s32":     {byte16, "sm_80"},
	"m16n8k16 s32.u8.s8.s32":     {byte16, "sm_80"},
	"m16n8k16 s32.u8.u8.s32":     {byte16, "sm_80"},
	"m16n8k32 s32.s8.s8.s32":     {byte32, "sm_80"},
	"m16n8k32 s32.s8.u8.s32":     {byte32, "sm_80"},
	"m16n8k32 s32.u8.s8.s32":     {byte32, "sm_80"},
	"m16n8k32 s32.u8.u8.s32":     {byte32, "sm_80"},
	"m16n8k32 f32.e4m3.e4m3.f32": {byte32, "sm_89"},
	"m16n8k32 f32.e4m3.e5m2.f32": {byte32, "sm_89"},
	"m16n8k32 f32.e5m2.e4m3.f32": {byte32, "sm_89"},
	"m16n8k32 f32.e5m2.e5m2.f32": {byte32, "sm_89"},
	"m8n8k4 f64.f64.f64.f64":     {double, "sm_80"},
}

// checkPlaces holds a TV layout against a formula; the place of a row and column is row + rows * column, where the rows
// of B's tile (N,K) are the columns of B.
func checkPlaces(t *testing.T, m atom.Mma, o atom.Operand, values int, where func(thread, i int) (int, int)) {
	t.Helper()
	tv := m.TV[o]
	if n := size(must(tv.Mode(1))); n != values {
		t.Errorf("%s: a thread has %d values of %v, want %d", m.Name, n, o, values)
	}
	rows := m.Shape[map[atom.Operand]int{atom.A: 0, atom.B: 1, atom.C: 0}[o]]
	at := static(tv)
	for thread := range size(must(tv.Mode(0))) {
		for i := range values {
			row, column := where(thread, i)
			if o == atom.B {
				row, column = column, row
			}
			if got := at(thread, i); got != row+rows*column {
				t.Fatalf("%s: value %d of thread %d of %v is at %v, want %d", m.Name, i, thread, o, got, row+rows*column)
			}
		}
	}
}

func TestMmaSyncManual(t *testing.T) {
	found := 0
	for m := range atom.Mmas() {
		rest, ok := strings.CutPrefix(m.PTX, "mma.sync.aligned.")
		if !ok {
			continue
		}
		found++
		f, ok := manual[strings.Replace(rest, ".row.col.", " ", 1)]
		if !ok {
			t.Errorf("the manual has no %s", m.PTX)
			continue
		}
		if m.Target.String() != f.target {
			t.Errorf("%s needs %v, want %s", m.PTX, m.Target, f.target)
		}
		for o, p := range []place{f.a, f.b, f.c} {
			checkPlaces(t, m, atom.Operand(o), f.values[o], func(thread, i int) (int, int) { return p(thread/4, thread%4, i) })
			if r := m.Regs(atom.Operand(o)); r != f.regs[o] {
				t.Errorf("%s: %v has %d registers, want %d", m.PTX, atom.Operand(o), r, f.regs[o])
			}
		}
	}
	if found != len(manual) {
		t.Errorf("%d instructions, the manual has %d", found, len(manual))
	}
}

// Fragments of wgmma: four warps have 16 rows each.
func TestWgmmaManual(t *testing.T) {
	perRegister := map[int]int{8: 4, 16: 2, 32: 1}
	found := map[string]int{}
	for m := range atom.Mmas() {
		if !strings.HasPrefix(m.PTX, "wgmma") {
			continue
		}
		found[fmt.Sprintf("%v.%v.%v", m.Elem[2], m.Elem[0], m.Elem[1])]++
		n, k := m.Shape[1], m.Shape[2]
		checkPlaces(t, m, atom.C, n/2, func(thread, i int) (int, int) {
			return thread/32*16 + thread%32/4 + i/2%2*8, i/4*8 + thread%4*2 + i%2
		})
		if bits := m.Elem[2].Bits(); m.Regs(atom.C) != n/2*bits/32 {
			t.Errorf("%s has %d registers of C", m.Name, m.Regs(atom.C))
		}
		// Every thread sees all of an operand in shared memory.
		if got, want := m.TV[atom.B].String(), fmt.Sprintf("(128,(%d,%d)):(0,(1,%d))", n, k, n); got != want {
			t.Errorf("%s: B is %s, want %s", m.Name, got, want)
		}
		e := perRegister[m.Elem[0].Bits()]
		if k != 8*e || m.Regs(atom.B) != 0 || m.Target.String() != "sm_90a" || m.Target.Has(100) || !m.Target.Has(90) {
			t.Errorf("%s: K is %d, B has %d registers, the target is %v", m.Name, k, m.Regs(atom.B), m.Target)
		}
		if m.Shared[atom.A] {
			if got, want := m.TV[atom.A].String(), fmt.Sprintf("(128,(64,%d)):(0,(1,64))", k); got != want {
				t.Errorf("%s: A is %s, want %s", m.Name, got, want)
			}
			continue
		}
		if m.Regs(atom.A) != 4 {
			t.Errorf("%s has %d registers of A, want 4", m.Name, m.Regs(atom.A))
		}
		checkPlaces(t, m, atom.A, 4*e, func(thread, i int) (int, int) {
			return thread/32*16 + thread%32/4 + i/e%2*8, i/(2*e)*4*e + thread%4*e + i%e
		})
	}
	for _, types := range []string{"f32.f16.f16", "f16.f16.f16", "f32.bf16.bf16", "f32.tf32.tf32", "f32.e4m3.e5m2", "f16.e5m2.e4m3"} {
		if found[types] != 64 { // 32 sizes of N, A in shared memory or in registers
			t.Errorf("%d instructions of wgmma with %s, want 64", found[types], types)
		}
	}
	if found["s32.s8.u8"] != 36 {
		t.Errorf("%d instructions of wgmma with s8 and u8, want 36", found["s32.s8.u8"])
	}
}

// Fragments of ldmatrix and stmatrix: what is moved is up to four matrices of 8 rows of 8 elements of 16 bits, one after
// the other.
func TestMatrixManual(t *testing.T) {
	for _, op := range []string{"ldmatrix", "stmatrix"} {
		for _, n := range []int{1, 2, 4} {
			for _, trans := range []bool{false, true} {
				name := fmt.Sprintf("%s.x%d", op, n)
				if trans {
					name += ".trans"
				}
				c := must(atom.NewCopy(name, atom.F16))
				memory, registers := c.Src, c.Dst
				if op == "stmatrix" {
					memory, registers = c.Dst, c.Src
				}
				inMemory, inRegisters := static(memory), static(registers)
				for thread := range 8 * n { // the threads whose addresses count
					for column := range 8 {
						want := thread*8 + column
						if got := inMemory(thread, column); got != want {
							t.Fatalf("%s: element %d of the row of thread %d is at %v, want %d", name, column, thread, got, want)
						}
					}
				}
				for thread := range 32 {
					for i := range 2 * n {
						row, column := thread/4, thread%4*2+i%2
						if trans {
							row, column = column, row
						}
						want := i/2*64 + row*8 + column
						if got := inRegisters(thread, i); got != want {
							t.Fatalf("%s: value %d of thread %d is at %v, want %d", name, i, thread, got, want)
						}
					}
				}
				if wide := c.Bits(); wide != n*1024 {
					t.Errorf("%s moves %d bits", name, wide)
				}
			}
		}
	}
}

func TestUniversal(t *testing.T) {
	for e, ptx := range map[atom.Elem]string{atom.F16: "fma.rn.f16", atom.F32: "fma.rn.f32", atom.F64: "fma.rn.f64"} {
		m := must(atom.UniversalFMA(e))
		want := max(1, e.Bits()/32)
		if m.PTX != ptx || m.Regs(atom.A) != want || m.Regs(atom.C) != want {
			t.Errorf("%s has %d and %d registers, want %s and %d", m.PTX, m.Regs(atom.A), m.Regs(atom.C), ptx, want)
		}
	}
	load := must(atom.NewTMA("load", 2, 64*128, atom.BF16))
	if load.Threads.String() != "1:0" || load.Src.String() != "(1,8192):(0,1)" || load.Dst.String() != load.Src.String() ||
		load.Bits() != 64*128*16 || load.PTX != "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" {
		t.Errorf("a load of a box: %s\n%v", load.PTX, load)
	}
}
