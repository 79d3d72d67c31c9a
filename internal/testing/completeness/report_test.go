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

This table says which test proves that a part supports an operation: %d operations, %d columns, %d cells.
`+"`go test ./internal/testing/completeness -update`"+` writes this file. Before it does, it runs the test of every cell twice. The test
passes with the part as it is, and fails with a fault of the part at this operation (a mutant; there are %d).

Mutants of the builder, parser, writer, reader and engine return an error; those of the printer print another text. For
"verifier accepts", the mutant of the verifier always refuses the operation. For "verifier refuses", the verifier's rules for
the operation are disabled. The CPU engine has a second mutant, which changes the bytes of the results, or skips an operation
that has no results.

Most cells have a letter, which stands for a test that is named after the operation, OP. N is a test of %[6]s,
and the other letters are tests of %[5]s:

| letter | test |
|---|---|
`, len(tileir.Infos()), len(columns), len(all), mutants, bytecodeDir, numericsDir)
	for _, s := range signs {
		fmt.Fprintf(&b, "| %s | %s |\n", s.sign, s.test)
	}
	fmt.Fprintf(&b, "\nThe other tests of the last column are in %s. Every cell has a test.\n\n| operation |", cpuDir)
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
	b.WriteString("\n\nThe CPU engine has no second mutant for these operations:\n\n")
	for _, in := range tileir.Infos() {
		if why := noResult[in.Mnemonic]; why != "" {
			fmt.Fprintf(&b, "- %s: %s\n", in.Mnemonic, why)
		}
	}
	return b.String()
}
