package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

var update = flag.Bool("update", false, "write the output in README.md and the traces in testdata anew")

// inSeed is how many listings the seed has: six blocks, and three in its text.
const inSeed = 9

// TestListings accounts for each listing: it has a row in README.md, and output or one sentence why Go has no program.
func TestListings(t *testing.T) {
	if len(listings) != inSeed {
		t.Fatalf("%d listings, the seed has %d", len(listings), inSeed)
	}
	readme, sentence := text(t, "README.md"), regexp.MustCompile(`^[A-Z].*\.$`)
	for i, l := range listings {
		if !strings.Contains(readme, fmt.Sprintf("| %d | %s |", i+1, l.title)) {
			t.Errorf("README.md has no row for %q", l.title)
		}
		if l.show == nil {
			if !sentence.MatchString(l.why) || strings.Contains(l.why, ". ") {
				t.Errorf("listing %d: %q is not one sentence", i+1, l.why)
			}
		} else if got, err := simttest.Printed(l.show); err != nil || got == "" || l.why != "" {
			t.Errorf("%s: %v, printed %q", l.title, err, got)
		}
	}
}

// TestModule: a program of two launches has the kernels 0 and 1, and each is launched once.
func TestModule(t *testing.T) {
	got, err := simttest.Printed(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"module attributes {gpu.container_module}", "gpu.module @kernels {", "func.func public @cute_main_twoLaunches(", "llvm.emit_c_interface",
		"gpu.func @kernel_main_twoLaunches_0(", "gpu.func @kernel_main_twoLaunches_1(",
		"gpu.launch_func @kernels::@kernel_main_twoLaunches_0 ", "gpu.launch_func @kernels::@kernel_main_twoLaunches_1 ",
	} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%d times %s in\n%s", strings.Count(got, want), want, got)
		}
	}
}

// TestTrace holds what the driver is called for against testdata: code is loaded once, each kernel looked up, made ready
// from CUDA 11.8 on, launched at every run, and the code unloaded.
func TestTrace(t *testing.T) {
	var out strings.Builder
	for _, version := range []int{11070, 13000} {
		fmt.Fprintf(&out, "driver %d.%d\n", version/1000, version%1000/10)
		for _, call := range trace(t, version) {
			fmt.Fprintln(&out, call)
		}
	}
	same(t, "testdata/trace.txt", out.String())
	attribute := strings.Count(out.String(), "cuFuncSetAttribute")
	if launches := strings.Count(out.String(), "cuLaunchKernel"); launches != 8 || attribute != 2 {
		t.Errorf("%d launches, want 8; %d attributes, want 2", launches, attribute)
	}
}

// trace compiles the program of two launches for a driver of a version, and runs it twice.
func trace(t *testing.T, version int) (calls []string) {
	t.Helper()
	drv := fake.New(fake.Options{Version: version, Decode: simttest.DecodePTX, Run: func(*fake.Launch) error { return nil }})
	eng, err := cuda.Open(0, cuda.Options{Driver: drv, Oldest: 11000})
	check(t, err)
	dev, err := device.New(eng, limit.Default)
	check(t, err)
	x, err := cutile.FromSlice(dev, make([]float32, 100))
	check(t, err)
	e, err := cute.Compile(t.Context(), cute.Jit(twoLaunches), x)
	check(t, err)
	for range 2 {
		_, err = e.Run(t.Context(), x)
		check(t, err)
	}
	check(t, e.Close())
	check(t, dev.Close())
	for _, c := range drv.Trace() {
		switch c.Name {
		case "cuModuleLoadDataEx", "cuModuleUnload":
			calls = append(calls, c.Name)
		case "cuModuleGetFunction":
			calls = append(calls, fmt.Sprintf("%s %v", c.Name, c.Args[1]))
		case "cuFuncSetAttribute":
			calls = append(calls, fmt.Sprintf("%s %v = %v", c.Name, c.Args[1], c.Args[2]))
		case "cuLaunchKernel":
			calls = append(calls, fmt.Sprintf("%s %v grid %v block %v shared %v", c.Name, c.Args[0], c.Args[1], c.Args[2], c.Args[3]))
		}
	}
	return calls
}

// TestPipeline: the stages of a compilation are those of the pipeline, in order, and a run has none.
func TestPipeline(t *testing.T) {
	got, err := simttest.Printed(flow)
	if err != nil {
		t.Fatal(err)
	}
	var stages []string
	for _, m := range regexp.MustCompile(`main_twoLaunches: (\w+) for`).FindAllStringSubmatch(got, -1) {
		stages = append(stages, m[1])
	}
	if want := []string{"verify", "optimise", "verify", "ptx", "verify", "ptx"}; !slices.Equal(stages, want) {
		t.Errorf("stages %q, want %q in\n%s", stages, want, got)
	}
}

// TestOutput holds the output in README.md against what the program prints.
func TestOutput(t *testing.T) {
	got, err := simttest.Printed(run)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```text\n.*?```")
	same(t, "README.md", block.ReplaceAllLiteralString(text(t, "README.md"), "```text\n"+got+"```"))
}

// same compares with a committed file.
func same(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		check(t, os.WriteFile(name, []byte(got), 0o644))
	}
	if want := text(t, name); got != want {
		t.Errorf("%s is not what the program does; -update writes it:\n%s", name, got)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	check(t, err)
	return string(data)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
