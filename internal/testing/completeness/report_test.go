package completeness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// signs stand for the tests in the report that are named after the operation.
var signs = []struct{ sign, test string }{
	{"B", "TestBuilderEachOperation/OP"},
	{"E", "TestEveryOperation/13.4/OP"},
	{"V", "TestVerifyRefusesEachOperation/OP"},
	{"P", "TestParseEveryOperation/13.4/OP"},
	{"R", "TestRows/13.4/OP"},
	{"N", "TestStored/OP"},
}

// brief is how the report names the test of a cell.
func (c cell) brief() string {
	for _, s := range signs {
		if strings.Replace(s.test, "OP", c.op.Mnemonic, 1) == c.test {
			return s.sign
		}
	}
	return c.test
}

// report is the text of docs/completeness.md.
func report(t *testing.T) string {
	t.Helper()
	all := cells(t)
	mutants := 0
	for _, c := range all {
		mutants += len(c.faults)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Completeness

Every operation of the table against every part that must know it: %d operations, %d columns, %d cells. A cell names the
test that proves it. `+"`go test ./internal/testing/completeness -update`"+` writes this file. Before it does, it runs the test of every
cell: without a fault the test passes, and with a fault of the part at this operation (a mutant, %d in all) it fails.

Mutants of the builder, parser, writer, reader and engine give an error; those of the printer print something else. For
"verifier accepts" the verifier refuses the operation always, and for "verifier refuses" all rules of its own are off. The
CPU engine has a second mutant, which changes the bytes of the results, or skips an operation that has none.

Letters stand for the tests of %s, N for one of %s, that are named after the operation, OP:

| letter | test |
|---|---|
`, len(tileir.Infos()), len(columns), len(all), mutants, bytecodeDir, numericsDir)
	for _, s := range signs {
		fmt.Fprintf(&b, "| %s | %s |\n", s.sign, s.test)
	}
	fmt.Fprintf(&b, "\nThe other tests of the last column are in %s. No cell is left out.\n\n| operation |", cpuDir)
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(columns)) + "|")
	for i, c := range all {
		if i%len(columns) == 0 {
			fmt.Fprintf(&b, "\n| %s |", c.op.Mnemonic)
		}
		fmt.Fprintf(&b, " %s |", c.brief())
	}
	b.WriteString("\n\nThe second mutant of the CPU engine does not exist for:\n\n")
	for _, in := range tileir.Infos() {
		if why := noResult[in.Mnemonic]; why != "" {
			fmt.Fprintf(&b, "- %s: %s\n", in.Mnemonic, why)
		}
	}
	return b.String()
}
