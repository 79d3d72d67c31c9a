// Package nativecount counts the operations of kernels that the CPU engine compiles to machine code, and names those that it
// interprets, for lists in the repository. A change of a list shows where machine code was won or lost.
package nativecount

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// Levels are the levels that are compared. This machine need not be able to run them.
var Levels = []string{"avx2", "avx512"}

// Line is a line of a list: the kernel, its counts at each level, and the mnemonics that are interpreted at some level.
func Line(t testing.TB, name string, m *tileir.Module) string {
	t.Helper()
	var native, interpreted, which []string
	for _, level := range Levels {
		n, names := count(t, m, level)
		native, interpreted = append(native, fmt.Sprint(n)), append(interpreted, fmt.Sprint(len(names)))
		which = append(which, names...)
	}
	slices.Sort(which)
	return strings.TrimSpace(fmt.Sprintf("%s: machine code %s, interpreted %s %s", name, strings.Join(native, "/"), strings.Join(interpreted, "/"),
		strings.Join(slices.Compact(which), " "))) + "\n"
}

// count counts what becomes machine code at a level, and lists the mnemonics of what is interpreted.
func count(t testing.TB, m *tileir.Module, level string) (native int, interpreted []string) {
	t.Helper()
	target, err := host.Named(level)
	if err != nil {
		t.Fatal(err)
	}
	x, err := cpu.Explain(t.Context(), m, m.Entries[0].Name, target)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range x.Ops {
		switch o.Way {
		case cpu.Native:
			native++
			// What explains the others must not find a reason here: it would be out of date.
			if pass, row, ok := place(x, &o); ok && !row && nest.Why(o.Op) != "" {
				t.Errorf("%s is machine code in pass %d, although %s", o.Op.Info.Mnemonic, pass, nest.Why(o.Op))
			}
		case cpu.Interpreted:
			interpreted = append(interpreted, o.Op.Info.Mnemonic)
		}
	}
	return native, interpreted
}

// place is where an operation stands in its segment.
func place(x *cpu.Explanation, o *cpu.ExplainedOp) (pass int, row, ok bool) {
	if o.Segment < 0 {
		return 0, false, false
	}
	return x.Segments[o.Segment].Pass(o.Step)
}

// Compare holds the lines against a file, or writes it.
func Compare(t testing.TB, file, lines string, update bool) {
	t.Helper()
	text := "Operations on tiles at the levels " + strings.Join(Levels, "/") + ", and the mnemonics of those that are interpreted.\n\n" + lines
	if update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text == string(want) {
		return
	}
	old := strings.Split(string(want), "\n")
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !slices.Contains(old, line) {
			t.Errorf("not in %s: %s", file, line)
		}
	}
	t.Errorf("%s is out of date: run the test with -update, and look whether less is machine code", file)
}
