package ptx_test

import (
	"bytes"
	"fmt"
	gotoken "go/token"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// roundTrip writes a module, reads it back and writes it again.
func roundTrip(t *testing.T, m *simt.Module, target string, write func(*simt.Module, string) ([]byte, error)) {
	t.Helper()
	first, err := write(m, target)
	if err != nil {
		t.Fatal(err)
	}
	read, err := ptx.Read(first)
	if err != nil {
		t.Fatalf("%v in:\n%s", err, around(first, err))
	}
	for i, k := range m.Kernels {
		if len(read.Kernels) <= i || len(read.Kernels[i].Body) != len(k.Body) {
			t.Fatalf("kernel %s: not all instructions came back", k.Name)
		}
		for j := range k.Body {
			if got, want := read.Kernels[i].Body[j].Op, k.Body[j].Op; got != want {
				t.Fatalf("kernel %s: instruction %d is %q, was %q", k.Name, j, got, want)
			}
		}
	}
	second, err := write(read, target)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		a, b := strings.Split(string(first), "\n"), strings.Split(string(second), "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Fatalf("line %d: first %q, then %q", i+1, a[i], b[i])
			}
		}
		t.Fatalf("first %d lines, then %d", len(a), len(b))
	}
}

// around gives the line of a mistake.
func around(text []byte, err error) string {
	lines := strings.Split(string(text), "\n")
	if e, ok := err.(*ptx.Error); ok && e.Line <= len(lines) {
		return lines[e.Line-1]
	}
	return ""
}

func TestRoundTripEveryForm(t *testing.T) {
	for _, name := range []string{"sm_90a", "sm_121a"} {
		arch, _ := simt.TargetOf(name)
		for _, m := range everything(arch, 1) {
			roundTrip(t, m, name, ptx.Write)
		}
	}
}

// random makes a module of random instructions, with jumps, calls and positions.
func random(rng *rand.Rand, forms []*simt.Form, arch simt.Arch) *simt.Module {
	c := newCorpus(rng.IntN(2) == 0)
	for range 1 + rng.IntN(3) {
		c.open()
		f := c.b.Func
		if rng.IntN(2) == 0 {
			f.MinBlocks, f.MaxRegs = rng.IntN(3), rng.IntN(256)
		}
		if rng.IntN(2) == 0 && arch.SM >= 90 {
			f.Cluster = [3]int{1 + rng.IntN(4), 1, 1}
		}
		for n := 20 + rng.IntN(100); n > 0; n-- {
			c.random(rng, forms, arch)
		}
		c.close()
	}
	return c.m
}

// random appends one instruction.
func (c *corpus) random(rng *rand.Rand, forms []*simt.Form, arch simt.Arch) {
	if rng.IntN(3) == 0 {
		c.b.Pos = gotoken.Position{Filename: fmt.Sprintf("a \"%d\".go", rng.IntN(2)), Line: rng.IntN(3), Column: rng.IntN(3)}
	}
	pred := c.ready[simt.Pred][rng.IntN(8)]
	before := len(c.b.Body)
	switch rng.IntN(12) {
	case 0:
		op := simt.Operand{Kind: simt.Register, Reg: pred, Not: rng.IntN(2) == 0}
		c.b.Emit(simt.OpAssert, nil, op).Text = []string{"", "x % \" \\ \n", "é"}[rng.IntN(3)]
	case 1:
		r, d := simt.R(c.ready[simt.B32][rng.IntN(8)]), simt.R(c.ready[simt.B64][rng.IntN(8)])
		c.b.Emit(simt.OpPrintf, nil, r, d, simt.I(-7), simt.B(0x4000000000000000), r).Text = "%d %5.2f%% %d %g %x\n"
	case 2:
		c.b.Emit(simt.OpPrintf, nil).Text = "hello\n"
	case 3:
		l := c.b.NewLabel()
		c.b.BranchIf(pred, rng.IntN(2) == 0, l)
		c.b.Emit("add.s32", []simt.Operand{simt.R(c.ready[simt.B32][0])}, simt.I(-1), simt.R(c.ready[simt.B32][1]))
		c.b.Place(l)
		c.b.Body[len(c.b.Body)-1].Rolled = rng.IntN(2) == 0
		return
	default:
		f := forms[rng.IntN(len(forms))]
		s := &f.Sigs[rng.IntN(len(f.Sigs))]
		if !s.Since.In(arch) || f.Op == simt.OpLabel || !c.has(s) {
			return
		}
		var ops []simt.Operand
		for i := range s.Dst {
			all := c.choices(&s.Dst[i], true, rng.IntN(8), arch)
			ops = append(ops, all[rng.IntN(len(all))])
		}
		for i := range s.Src {
			all := c.choices(&s.Src[i], false, rng.IntN(8), arch)
			ops = append(ops, all[rng.IntN(len(all))])
		}
		n := len(s.Dst)
		c.b.Emit(f.Op, ops[:n:n], ops[n:]...)
	}
	in := &c.b.Body[before]
	if rng.IntN(3) == 0 || in.Ends() {
		in.Guard, in.Unless = pred, rng.IntN(2) == 0
	}
}

func TestRoundTripRandom(t *testing.T) {
	var forms []*simt.Form
	for f := range simt.Forms() {
		forms = append(forms, f)
	}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		name := ptx.Targets()[rng.IntN(len(ptx.Targets()))]
		arch, _ := simt.TargetOf(name)
		m := random(rng, forms, arch)
		roundTrip(t, m, name, ptx.Write)
		roundTrip(t, m, name, ptx.WriteLines)
	}
}

// TestCallsAssemble gives what printf, assertions and positions become to NVIDIA's assembler.
func TestCallsAssemble(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 2))
		arch, _ := simt.TargetOf("sm_90a")
		f, _ := simt.FormOf("add.s32")
		text, err := ptx.WriteLines(random(rng, []*simt.Form{f}, arch), "sm_90a")
		if err != nil {
			t.Fatal(err)
		}
		assemble(t, text, "sm_90a", "sm_90a", "-lineinfo")
	}
}
