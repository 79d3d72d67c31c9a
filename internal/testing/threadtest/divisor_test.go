package threadtest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestDivisor: a number that is divided by zero ends a launch, by the driver's function for assertions; a kernel with products of warp groups,
// which a call would keep from overlapping, calls none.
func TestDivisor(t *testing.T) {
	for _, c := range []struct{ arch, op, want string }{
		{"sm_80", simt.OpAssert, "division by zero"}, {"sm_90a", "trap", "trap"}, {"sm_100a", simt.OpAssert, "division by zero"},
	} {
		for turns, ends := range map[int]string{0: c.want, 2: ""} {
			p := *smallProducts()[0]
			p.turns = turns
			prog, err := p.program()
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(prog.Text(), ": token\n", ": token\n  %quotient = divi %arg3, %arg3 signed rounding<zero> : tile<i32>\n", 1)
			if prog, err = nativefuzz.Parse(text); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			seen := false
			e := threadtest.Changed(c.arch, threads.Options{}, func(m *simt.Module) {
				seen = slices.ContainsFunc(m.Kernels[0].Body, func(in simt.Instr) bool { return in.Op == c.op })
			})
			a, b := make([]byte, 1<<16), make([]byte, 1<<16)
			_, fault, err := e.Run(prog, [][]byte{a, b, make([]byte, 4*p.m*p.n)})
			if err != nil || !seen || !strings.Contains(fault, ends) || (fault == "") != (ends == "") {
				t.Errorf("%s, %d: %s is there: %t; fault %q, %v", c.arch, turns, c.op, seen, fault, err)
			}
		}
	}
}
