package completeness_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

var mutate = flag.Bool("mutate", false, "run the test of each cell with the cell's mutants; it takes some minutes")

// mutantEnv tells a test binary which fault to have.
const mutantEnv = "CUTILE_MUTANT"

// TestMutants runs the test of every cell: without a fault it must pass, and with each of the cell's faults fail. The
// faults are built into copies of the packages, which the go command takes in place of the files.
func TestMutants(t *testing.T) {
	if !*mutate && !*update {
		t.Skip("the mutants run with -mutate, or with -update, which writes the report then")
	}
	t.Setenv(testenv.RequireEnv, "tileirdisasm") // most tests of tileir/bytecode compare with it
	testenv.Tool(t, "tileirdisasm")
	all := cells(t)
	binaries := build(t)
	sound := binaries.sound(t, all)
	var wait sync.WaitGroup
	work := make(chan mutant)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for m := range work {
				binaries.check(t, m)
			}
		})
	}
	n := 0
	for _, c := range all {
		if !sound[c.dir][c.test] {
			t.Errorf("%v: %s does not pass without a fault", c, c.test)
			continue
		}
		for _, f := range c.faults {
			work <- mutant{c, f}
			n++
		}
	}
	close(work)
	wait.Wait()
	t.Logf("%d cells, %d mutants", len(all), n)
	if *update && !t.Failed() {
		write(t, reportFile, report(t))
	}
}

// mutant is a cell with a fault in it.
type mutant struct {
	cell
	fault string
}

// binaries are compiled tests, by folder of the package.
type binaries map[string]string

// build compiles the tests with the faults in reach.
func build(t *testing.T) binaries {
	t.Helper()
	folder := t.TempDir()
	config := overlay(t, folder)
	if t.Failed() {
		t.FailNow()
	}
	out := binaries{}
	for _, dir := range []string{bytecodeDir, cpuDir, numericsDir} {
		out[dir] = filepath.Join(folder, path.Base(dir)+".test.exe")
		cmd := exec.Command("go", "test", "-c", "-overlay", config, "-o", out[dir], "./"+dir)
		cmd.Dir = top
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
		}
	}
	return out
}

// run runs tests of a package, those that a pattern selects, with a fault ("" for none).
func (b binaries) run(dir, pattern, fault string) (string, error) {
	cmd := exec.Command(b[dir], "-test.v", "-test.timeout=10m", "-test.run", pattern)
	cmd.Dir = filepath.Join(top, filepath.FromSlash(dir))
	cmd.Env = append(os.Environ(), mutantEnv+"="+fault)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// pattern selects a test by its name.
func pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

var outcome = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+) `)

// ended reports whether a test ended so, or else one of its subtests.
func ended(text, how, test string) bool {
	return slices.ContainsFunc(outcome.FindAllStringSubmatch(text, -1), func(m []string) bool {
		return m[1] == how && (m[2] == test || strings.HasPrefix(m[2], test+"/"))
	})
}

// sound runs all tests of the cells without a fault, those of a package at once, and tells which pass.
func (b binaries) sound(t *testing.T, all []cell) map[string]map[string]bool {
	t.Helper()
	tests := map[string]map[string]bool{bytecodeDir: {}, cpuDir: {}, numericsDir: {}}
	for _, c := range all {
		tests[c.dir][c.test] = true
	}
	for dir, names := range tests {
		var patterns []string
		for name := range names {
			patterns = append(patterns, pattern(name))
		}
		slices.Sort(patterns)
		text, err := b.run(dir, strings.Join(patterns, "|"), "")
		if err != nil {
			t.Fatalf("%s without a fault: %v\n%s", dir, err, text)
		}
		for name := range names {
			names[name] = ended(text, "PASS", name) && !ended(text, "SKIP", name)
		}
	}
	return tests
}

// check runs the test of a cell with its fault: the test must fail, and not by a panic.
func (b binaries) check(t *testing.T, m mutant) {
	text, err := b.run(m.dir, pattern(m.test), m.fault+": "+m.op.Mnemonic)
	var exit *exec.ExitError
	switch {
	case err == nil:
		t.Errorf("%v: the mutant %q survives %s (%s)", m.cell, m.fault, m.test, m.dir)
	case !errors.As(err, &exit):
		t.Errorf("%v: %v", m.cell, err)
	case strings.Contains(text, "panic: "), !ended(text, "FAIL", m.test):
		t.Errorf("%v: with the mutant %q %s does not end as a test that fails: %v\n%s", m.cell, m.fault, m.test, err, text)
	}
}
