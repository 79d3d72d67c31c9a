package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

var update = flag.Bool("update", false, "write the output in README.md anew")

// inSeed is how many listings the seed has: six blocks, and the ReLU in the text.
const inSeed = 7

// TestListings accounts for each listing: it has a row in README.md, and output.
func TestListings(t *testing.T) {
	if len(listings) != inSeed {
		t.Fatalf("%d listings, the seed has %d", len(listings), inSeed)
	}
	readme := text(t, "README.md")
	for i, l := range listings {
		if !strings.Contains(readme, fmt.Sprintf("| %d | %s |", i+1, l.title)) {
			t.Errorf("README.md has no row for %q", l.title)
		}
		if got, err := simttest.Printed(l.show); err != nil || got == "" {
			t.Errorf("%s: %v, printed %q", l.title, err, got)
		}
	}
}

// TestFoo holds the seed's own words: what the first listing prints.
func TestFoo(t *testing.T) {
	if got, err := simttest.Printed(static); err != nil || got != "x = ?\ny = 2\nx: 2\ny: 2\n" {
		t.Errorf("printed %q, %v", got, err)
	}
}

// TestSwapped holds the seed's message against ours.
func TestSwapped(t *testing.T) {
	got, err := simttest.Printed(swapped)
	want := regexp.MustCompile(`expects argument #1 \(\w+\) to be a tensor of float16, but got int\ncompiled for it: 0\n$`)
	if err != nil || !want.MatchString(got) {
		t.Errorf("printed %q, %v", got, err)
	}
}

// TestGoBuildRefuses: a wrong argument of a function that cute.Jit gave, or of a kernel, is an error of the Go compiler at its
// line, and so is a variable that leaves a branch or changes its type there.
func TestGoBuildRefuses(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-e", "./testdata/wrong").CombinedOutput()
	if err == nil {
		t.Fatal("the wrong package compiles")
	}
	mark, want := regexp.MustCompile(`// want "([^"]*)"`), 0
	for i, line := range strings.Split(text(t, "testdata/wrong/wrong.go"), "\n") {
		for _, m := range mark.FindAllStringSubmatch(line, -1) {
			want++
			at := regexp.MustCompile(fmt.Sprintf(`(?m)wrong\.go:%d:(\d+): %s$`, i+1, regexp.QuoteMeta(m[1])))
			if !at.Match(out) {
				t.Errorf("line %d: want %s in\n%s", i+1, m[1], out)
			}
		}
	}
	if got := strings.Count(string(out), "wrong.go:"); got != want || want != 11 {
		t.Errorf("%d messages, want %d:\n%s", got, want, out)
	}
}

// TestOutput holds the output in README.md against what the program prints.
func TestOutput(t *testing.T) {
	got, err := simttest.Printed(run)
	if err != nil {
		t.Fatal(err)
	}
	readme := text(t, "README.md")
	block := regexp.MustCompile("(?s)```text\n.*?```")
	if *update {
		readme = block.ReplaceAllLiteralString(readme, "```text\n"+got+"```")
		if err := os.WriteFile("README.md", []byte(readme), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(readme, "```text\n"+got+"```") {
		t.Errorf("README.md does not have what the program prints; -update writes it:\n%s", got)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestMix holds the kernel with every kind of parameter against a product on the host, on each of its ways, and with another
// operation: static parameters leave the signature, and no call is left.
func TestMix(t *testing.T) {
	a, b := small(64*32, 5), small(64*32, 7)
	for name, op := range map[string]func(vector) vector{"positive": positive, "same": same} {
		for _, staged := range []bool{false, true} {
			var c []float32
			var module string
			_, err := simttest.Printed(func() (err error) {
				c, module, err = multiply(gemm{128, staged}, a, b, op)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 64 {
				for j := range 64 {
					want := float32(0)
					for k := range 32 {
						want += a[i*32+k] * b[j*32+k]
					}
					if name == "positive" {
						want = max(want, 0)
					}
					if got := c[i*64+j]; got != want {
						t.Fatalf("%s, staged %v: C(%d,%d) is %v, want %v", name, staged, i, j, got, want)
					}
				}
			}
			kernel := regexp.MustCompile(`gpu\.func @kernel_main_gemm_run_128_\w+_0\(%arg0: u64, %arg1: u64, %arg2: u64\) `)
			if !kernel.MatchString(module) || strings.Contains(module, "call") {
				t.Error(module)
			}
		}
	}
}

func same(x vector) vector { return x }

// TestStaticContainer: a struct without dynamic fields is static as a whole.
func TestStaticContainer(t *testing.T) {
	e, err := cute.Compile(t.Context(), cute.Jit(contained), container{cute.C(3), cute.C("three")}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(e.Pruned()); got != "[{1 c}]" {
		t.Errorf("static are %s", got)
	}
}

type container struct {
	n    cute.Constexpr[int]
	name cute.Constexpr[string]
}

func contained(c container, x int) error {
	cute.Printf("%s %d\n", c.name.V, c.n.V+x)
	return nil
}
