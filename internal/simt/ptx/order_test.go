package ptx_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// shuffled gives instructions of a target with their modifiers in another order, and the instructions themselves, both as text: one in
// every so many of those that the reader takes in any order.
func shuffled(t *testing.T, arch simt.Arch, every int, seed uint64) (other, own []string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	c := newCorpus(false)
	c.open()
	for f := range simt.Forms() {
		head := ptx.AnyOrder(f.Op)
		if head == "" || !f.Sigs[0].Since.In(arch) || rng.IntN(every) > 0 {
			continue
		}
		s := &f.Sigs[0]
		var ops []simt.Operand
		for i := range s.Dst {
			ops = append(ops, c.choices(&s.Dst[i], true, i, arch)[0])
		}
		for i := range s.Src {
			ops = append(ops, c.choices(&s.Src[i], false, i, arch)[0])
		}
		n := len(s.Dst)
		c.b.Emit(f.Op, ops[:n:n], ops[n:]...)
		in := &c.b.Body[len(c.b.Body)-1]
		text := simt.NewSyntax(c.b.Func).Instr(in)
		words := strings.Split(f.Op[len(head):], ".")[1:]
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		op := strings.Join(append([]string{head}, words...), ".")
		if op == f.Op || strings.Contains(f.Op, ".b128") || strings.Contains(f.Op, ".param") { // which need declarations of their own
			continue
		}
		own = append(own, text)
		other = append(other, strings.Replace(text, f.Op, op, 1))
	}
	if len(other) == 0 {
		t.Fatal("no instruction with modifiers")
	}
	return other, own
}

// TestAnyOrder: NVIDIA's assembler takes the modifiers of instructions in the orders that the reader takes, and refuses those that the
// reader refuses for what stands first.
func TestAnyOrder(t *testing.T) {
	testenv.Tool(t, "ptxas")
	for i, target := range []string{"sm_75", "sm_90", "sm_100a"} {
		arch, err := simt.TargetOf(target)
		if err != nil {
			t.Fatal(err)
		}
		lines, own := shuffled(t, arch, 1, uint64(i))
		for n := range refusals(t, lines, arch) {
			t.Errorf("%s: ptxas refuses %s, which is read as %s", target, lines[n], own[n])
		}
		t.Logf("%s: %d spellings", target, len(lines))
	}
	arch, _ := simt.TargetOf("sm_90")
	fixed := []string{"fence.async.proxy.global", "bar.popc.red.u32 %r0, 1, %p0", "mul.s32.lo %r0, %r1, %r2", "barrier.aligned.cluster.arrive"}
	refused := refusals(t, fixed, arch)
	for i, line := range fixed {
		_, err := ptx.Read([]byte(kernelOf("sm_90", line)))
		if !refused[i] || err == nil {
			t.Errorf("%s: refused by ptxas: %t; by the reader: %v", line, refused[i], err)
		}
	}
}

// kernelOf is a text with a kernel of some lines.
func kernelOf(target string, lines ...string) string {
	return fmt.Sprintf(".version 8.6\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n.visible .entry k()\n{\n"+
		".reg .pred %%p<16>;\n.reg .b16 %%rs<16>;\n.reg .b32 %%r<136>;\n.reg .b64 %%rd<16>;\n%s;\nret;\n}\n", target, strings.Join(lines, ";\n"))
}

// TestOrderRead: what has its modifiers in another order is read as the same instruction.
func TestOrderRead(t *testing.T) {
	arch, err := simt.TargetOf("sm_100a")
	if err != nil {
		t.Fatal(err)
	}
	other, own := shuffled(t, arch, 5, 7)
	read := func(lines []string) (ops []string) {
		m, err := ptx.Read([]byte(kernelOf("sm_100a", lines...)))
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range m.Kernels[0].Body {
			ops = append(ops, simt.NewSyntax(m.Kernels[0]).Instr(&in))
		}
		return ops
	}
	got, want := read(other), read(own)
	if len(got) != len(want) || len(got) < len(own) {
		t.Fatalf("%d instructions, %d in the table's order, of %d", len(got), len(want), len(own))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("read as %s, want %s", got[i], want[i])
		}
	}
}
