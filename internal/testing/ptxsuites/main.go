// Command ptxsuites runs the PTX of other projects' tests: ZLUDA's in the emulator, with the inputs and results that its
// tests list, and gpuocelot's, which must be read, verified, written and read back equal. Where there is a ptxas, it must
// take what is written of either. The suites are checkouts:
//
//	CUTILE_ZLUDA=DIR CUTILE_GPUOCELOT=DIR go run ./internal/testing/ptxsuites [-v] [SUITE ...]
//
// It prints a line for each failure, and "N passed, N failed, N excluded" for each suite. What is excluded stands in
// excluded.txt with its reason; what is listed there and passes is a failure.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"
)

//go:embed excluded.txt
var excludedText string

// suite is the tests of another project.
type suite struct {
	name, variable string
	cases          func(dir string) ([]testCase, error)
}

// testCase is one file, with what is to be done with it.
type testCase struct {
	file string // in the checkout
	run  func() error
}

var suites = []suite{
	{"zluda", "CUTILE_ZLUDA", zludaCases},
	{"gpuocelot", "CUTILE_GPUOCELOT", ocelotCases},
}

func main() {
	verbose := flag.Bool("v", false, "print the reasons of exclusions")
	flag.Parse()
	if assembler == "" {
		fmt.Println("there is no ptxas: what is written is not assembled")
	}
	failed := false
	for _, s := range suites {
		if flag.NArg() > 0 && !contains(flag.Args(), s.name) {
			continue
		}
		ok, err := judge(s, *verbose)
		if err != nil {
			fmt.Fprintf(os.Stderr, "ptxsuites: %s: %v\n", s.name, err)
		}
		failed = failed || !ok
	}
	if failed {
		os.Exit(1)
	}
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if w == word {
			return true
		}
	}
	return false
}

// judge runs a suite and reports whether nothing failed.
func judge(s suite, verbose bool) (ok bool, err error) {
	dir := os.Getenv(s.variable)
	if dir == "" {
		return false, fmt.Errorf("%s must name a checkout of the project", s.variable)
	}
	cases, err := s.cases(dir)
	if err != nil {
		return false, err
	}
	reasons := exclusions(s.name)
	passed, failed, excluded := 0, 0, 0
	for _, c := range cases {
		err := c.run()
		reason, isExcluded := reasons[c.file]
		delete(reasons, c.file)
		switch {
		case isExcluded && err != nil:
			excluded++
			if verbose {
				fmt.Printf("%s: excluded: %s (%v)\n", c.file, reason, err)
			}
		case isExcluded:
			failed++
			fmt.Printf("%s: passes, but excluded.txt lists it: %s\n", c.file, reason)
		case err != nil:
			failed++
			fmt.Printf("%s: %v\n", c.file, strings.SplitN(err.Error(), "\n", 2)[0])
		default:
			passed++
		}
	}
	for file := range reasons {
		failed++
		fmt.Printf("%s: excluded.txt lists it, but the suite has no such file\n", file)
	}
	fmt.Printf("%s: %d passed, %d failed, %d excluded\n", s.name, passed, failed, excluded)
	return failed == 0, nil
}

// exclusions gives the reasons of a suite's exclusions, by file.
func exclusions(suite string) map[string]string {
	reasons := map[string]string{}
	for line := range strings.SplitSeq(excludedText, "\n") {
		words := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(words) == 3 && words[0] == suite {
			reasons[words[1]] = strings.TrimSpace(words[2])
		}
	}
	return reasons
}
