// Command layoutsuite holds the layout algebra against the layouts of CUTLASS's own tests, in C++ and Python: each test
// there is a layout, or two, and a property that the result of an operation must have. The layouts are read out of the
// tests' sources, the properties are here (property.go). The suite is a checkout:
//
//	CUTILE_CUTLASS=DIR go run ./internal/testing/layoutsuite [-v]
//
// It prints a line for each failure, and "N passed, N failed, N excluded". Calls are excluded whose layouts are not
// written as constants where they are used, such as those of loops and those with swizzles, and operations that
// internal/layout refuses on purpose.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// sources are the tests that are read.
var sources = []string{"test/unit/cute/core/*.cpp", "test/python/pycute/test_*.py"}

var (
	comment    = regexp.MustCompile(`(?m)//[^\n]*|#[^\n]*|(?s)/\*.*?\*/`)
	assignment = regexp.MustCompile(`^(?:auto\s+|const\s+)*(\w+)\s*=\s*(.*)$`)
	testCall   = regexp.MustCompile(`^(?:self\.helper_)?test_(\w+)\((.*)\)$`)
)

func main() {
	verbose := flag.Bool("v", false, "print what is excluded")
	flag.Parse()
	dir := os.Getenv("CUTILE_CUTLASS")
	if dir == "" {
		fmt.Fprintln(os.Stderr, "layoutsuite: CUTILE_CUTLASS must name a checkout of NVIDIA/cutlass")
		os.Exit(2)
	}
	j := &judge{verbose: *verbose}
	for _, pattern := range sources {
		files, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				fmt.Fprintln(os.Stderr, "layoutsuite:", err)
				os.Exit(1)
			}
			j.file(filepath.Base(file), string(text))
		}
	}
	fmt.Printf("cutlass: %d passed, %d failed, %d excluded\n", j.passed, j.failed, j.excluded)
	if j.failed > 0 || j.passed == 0 {
		os.Exit(1)
	}
}

// judge counts.
type judge struct {
	passed, failed, excluded int
	verbose                  bool
}

// file takes the statements of a test in order: variables and calls.
func (j *judge) file(name, text string) {
	vars := map[string]string{}
	text = comment.ReplaceAllStringFunc(text, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
	if strings.HasSuffix(name, ".py") {
		text = strings.ReplaceAll(text, "\n", ";")
	}
	for statement := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == ';' }) {
		statement = strings.TrimSpace(statement)
		statement = strings.Join(strings.Fields(statement[lastBlock(statement):]), " ")
		if m := assignment.FindStringSubmatch(statement); m != nil {
			vars[m[1]] = m[2]
			continue
		}
		m := testCall.FindStringSubmatch(statement)
		if m == nil || properties[m[1]] == nil {
			continue
		}
		err := check(m[1], m[2], vars)
		if err != nil && refused[err.Error()] {
			err = unread("refused: " + err.Error())
		}
		switch err.(type) {
		case nil:
			j.passed++
		case unread:
			j.excluded++
			if j.verbose {
				fmt.Printf("%s: %s: excluded: %v\n", name, statement, err)
			}
		default:
			j.failed++
			fmt.Printf("%s: %s: %v\n", name, statement, err)
		}
	}
}

// lastBlock is where the statement proper begins: behind the brace that opens a block, which ends a line.
func lastBlock(s string) int {
	at := 0
	for i := range s {
		if (s[i] == '{' || s[i] == '}') && i+1 < len(s) && (s[i+1] == '\n' || s[i+1] == '\r') {
			at = i + 1
		}
	}
	return at
}

// refused are operations that C++ allows, by our message: compositions whose extents do not divide each other, and tilers of
// a higher rank. Package layout refuses them as the CuTe DSL does, or as its testdata/README.md says.
var refused = map[string]bool{
	"composition of (4,6,8,10):(2,3,5,7) and 6:12: 3 elements do not divide the 8 that a mode gives":      true,
	"composition of (8,8):(8,1) and 2:3: neither the stride 3 nor the size 8 of a mode divides the other": true,
	"composition of (8,8):(8,1) and 3:3: neither the stride 3 nor the size 8 of a mode divides the other": true,
	"composition of (48,24,5):(1,128,3072) and 32:1: 32 elements do not divide the 48 that a mode gives":  true,
	"logical_divide of 6:1 and (2,3):(3,1): the tiler has a higher rank than the layout":                  true,
	"logical_divide of 6:2 and (2,3):(3,1): the tiler has a higher rank than the layout":                  true,
}
