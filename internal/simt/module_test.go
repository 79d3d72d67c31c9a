package simt_test

import (
	"flag"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/internal/simt"
)

var update = flag.Bool("update", false, "write golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", name, got)
	}
}

// example makes a module that has one of everything that the text shows.
func example() *Module {
	k := &Func{
		Name: "scale_0", Block: [3]int{128, 1, 1}, MinBlocks: 2, MaxRegs: 96, Cluster: [3]int{2, 1, 1}, Shared: 1024, Local: 64,
		Params: []Param{{Name: "x", Type: "u64"}, {Name: "n", Type: "s32"}, {Name: "f", Type: "f32"}, {Name: "map", Type: "b8", Bytes: 128, Align: 64}},
	}
	b := &Builder{Func: k, Pos: token.Position{Filename: "k.go", Line: 7, Column: 3}}
	n := b.Value(B32, "ld.param.s32", AtName("n", 0))
	x := b.Value(B64, "ld.param.u64", AtName("x", 0))
	f := b.Value(B32, "ld.param.f32", AtName("f", 0))
	i := b.Value(B32, "mov.u32", S("%tid.x"))
	out := b.Value(Pred, "setp.ge.s32", i, n)
	end := b.NewLabel()
	b.BranchIf(out.Reg, true, end)
	b.Pos.Line++
	a := b.Value(B64, "mad.wide.s32", i, I(16), x)
	var v []Operand
	for range 4 {
		v = append(v, R(b.NewReg(B32)))
	}
	b.Emit("ld.global.v4.b32", []Operand{V(v...)}, At(a.Reg, -16))
	b.Emit("fma.rn.f32", []Operand{v[0]}, v[1], f, B(0x3f800000))
	b.Emit("st.shared.b32", nil, AtName("smem", 4), v[0])
	b.Emit("st.global.v4.b32", nil, At(a.Reg, 0), V(v...))
	b.Emit(OpPrintf, nil, i, I(-1)).Text = "%d %lld\n"
	in := b.Emit(OpAssert, nil, Operand{Kind: Register, Reg: out.Reg, Not: true})
	in.Text, in.Guard, in.Unless = "i < n", out.Reg, true
	again := b.NewLabel()
	b.Emit(OpUndef, []Operand{v[1], out})
	b.PlaceRolled(again)
	b.BranchIf(out.Reg, true, again)
	b.Place(end)
	b.Emit("ret", nil)

	h := &Func{
		Name: "scale", Host: true, Result: []Class{B32},
		Params: []Param{{Name: "x", Type: "u64"}, {Name: "n", Type: "s32"}, {Name: "m", Type: "b8", Bytes: 128, Align: 64}, {Name: "stream", Type: "u64"}},
	}
	b = &Builder{Func: h, Pos: token.Position{Filename: "k.go", Line: 20, Column: 2}}
	x = b.Value(B64, "ld.param.u64", AtName("x", 0))
	n = b.Value(B32, "ld.param.s32", AtName("n", 0))
	s := b.Value(B64, "ld.param.u64", AtName("stream", 0))
	n1 := b.Value(B32, "add.s32", n, I(127))
	size := [3]Operand{b.Value(B32, "div.s32", n1, I(128)), I(1), I(1)}
	args := []Operand{x, n, B(0x40000000), Sym("m")}
	one := R(b.NewReg(B64))
	b.Emit(OpLaunch, []Operand{one}, args...).Launch = &Launch{Kernel: k.Name, Grid: size, Shared: I(1024), Stream: s, Async: true}
	b.Emit(OpLaunch, nil, args...).Launch = &Launch{Kernel: k.Name, Grid: size, Shared: I(1024), Stream: s, After: []Operand{one}, Cooperative: true}
	b.Emit("ret", nil, I(0))
	return &Module{Name: "scale", Host: h, Kernels: []*Func{k}, Attrs: []Attr{{"opt-level", "3"}}}
}

func TestString(t *testing.T) {
	m := example()
	if err := Verify(m, "sm_90"); err != nil {
		t.Fatal(err)
	}
	golden(t, "example.txt", m.String())
	golden(t, "example_positions.txt", m.Text(true))
	if again := example().String(); again != m.String() {
		t.Error("two texts of one module differ")
	}
	moved := example()
	for i := range moved.Kernels[0].Body {
		moved.Kernels[0].Body[i].Pos.Line += 100
	}
	if moved.String() != m.String() {
		t.Error("a position shows in the text without positions")
	}
	if empty := (&Module{}).String(); !strings.Contains(empty, "gpu.module @kernels {") {
		t.Errorf("a module without kernels lacks the GPU module:\n%s", empty)
	}
}
