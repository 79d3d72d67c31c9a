package cute_test

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// oddNumbers are on both sides of every limit of a launch, and those which multiply to one that looks right.
var oddNumbers = []int{math.MinInt64, -1 << 32, -1, 1, 2, 3, 4, 8, 9, 16, 17, 32, 33, 64, 65, 1000, 1024, 1025, 65535, 65536, 232448, 232449,
	math.MaxInt32, 1 << 31, 1 << 32, 1<<32 + 1, 1 << 40, 1 << 62, math.MaxInt64}

// mayRun says by the limits of CUDA's programming guide for sm_90 whether the launch is one.
func mayRun(l knownLaunch) bool {
	product := func(d cute.Dim3, most float64) bool {
		return d.X >= 1 && d.Y >= 1 && d.Z >= 1 && float64(d.X)*float64(d.Y)*float64(d.Z) <= most
	}
	none := cute.Dim3{}
	grid, block := l.Grid, l.Block
	if grid == none {
		grid = cute.D3(1, 1, 1)
	}
	if block == none {
		block = cute.D3(1, 1, 1)
	}
	ok := grid.X >= 0 && grid.Y >= 0 && grid.Z >= 0 && grid.X < 1<<31 && grid.Y < 1<<16 && grid.Z < 1<<16
	ok = ok && product(block, 1024) && block.Z <= 64
	if c := l.Cluster; c != none {
		ok = ok && product(c, 16) && grid.X%c.X == 0 && grid.Y%c.Y == 0 && grid.Z%c.Z == 0
	}
	return ok && l.Smem >= 0 && l.Smem <= 227<<10 && l.MinBlocksPerSM >= 0 && l.MinBlocksPerSM <= 32
}

// TestOddLaunches: each field of a launch with each odd number runs, or is refused with the line of the launch and with what is allowed. The
// verifier, which looks at what this library wrote, never has to find it.
func TestOddLaunches(t *testing.T) {
	dev, err := cutile.Open("cpu")
	check(t, err)
	defer dev.Close()
	x := must(cutile.NewTensor[int32](dev, 1))(t)
	run := cute.Jit(launchKnown)
	try := func(l knownLaunch) {
		t.Helper()
		if g := l.Grid; float64(g.X)*float64(g.Y)*float64(g.Z) > 4096 && mayRun(l) {
			return // it would run for long
		}
		check(t, x.Fill(t.Context(), 0))
		err := run(cute.Of[int32](x), cute.C(l))
		if err == nil {
			err = dev.Sync(t.Context())
		}
		want := mayRun(l)
		empty := l.Grid.X*l.Grid.Y*l.Grid.Z == 0 && (l.Grid != cute.Dim3{})
		if err == nil && want && !empty && must(x.Item())(t) != 7 {
			t.Errorf("%+v: the kernel did not run", l)
		}
		verdict(t, fmt.Sprintf("%+v", l), err, want, "// every field")
	}
	fields := reflect.TypeFor[knownLaunch]()
	for i := range fields.NumField() {
		for _, n := range oddNumbers {
			var l knownLaunch
			switch f := reflect.ValueOf(&l).Elem().Field(i); f.Kind() {
			case reflect.Int:
				f.SetInt(int64(n))
				try(l)
			case reflect.Struct:
				for axis := range 3 {
					for _, others := range []int64{0, 1} {
						for a := range 3 {
							f.Field(a).SetInt(others)
						}
						f.Field(axis).SetInt(int64(n))
						try(l)
					}
				}
			}
		}
	}
	for _, l := range []knownLaunch{
		{Block: cute.D3(1<<32, 1<<32, 1)}, {Block: cute.D3(-1, -1, 1)}, {Block: cute.D3(32, 32, 2)}, {Block: cute.D3(1<<22, 1<<21, 1<<21)},
		{Cluster: cute.D3(-2, -1, 1)}, {Cluster: cute.D3(1<<32, 1<<32, 1)}, {Cluster: cute.D3(4, 4, 2), Grid: cute.D3(4, 4, 2)},
		{Cluster: cute.D3(16, 1, 1), Grid: cute.D3(32, 1, 1)}, {Cluster: cute.D3(4, 4, 1), Grid: cute.D3(4, 4, 1)}, {Cluster: cute.D3(2, 1, 1), Grid: cute.D3(3, 1, 1)},
		{Cluster: cute.D3(1, 3, 1), Grid: cute.D3(1, 4, 1)}, {MinBlocksPerSM: 32, Block: cute.D3(1024, 1, 1)}, {Cluster: cute.D3(16, 1, 1), Grid: cute.D3(16, 1, 1), Cooperative: true},
	} {
		try(l)
	}
	// A field that is added to cute.Launch must be walked here, too.
	for _, f := range reflect.VisibleFields(reflect.TypeFor[cute.Launch]()) {
		if _, ok := fields.FieldByName(f.Name); !ok && f.Name != "Stream" && f.Name != "After" {
			t.Errorf("the field %s of cute.Launch has no odd values here", f.Name)
		}
	}
}

// TestOddComputedLaunches is the same of numbers that are only known at run time.
func TestOddComputedLaunches(t *testing.T) {
	dev, err := cutile.Open("cpu")
	check(t, err)
	defer dev.Close()
	x := must(cutile.NewTensor[int32](dev, 1))(t)
	run := cute.Jit(launchComputed)
	try := func(gx, gy, gz, smem int) {
		t.Helper()
		l := knownLaunch{Grid: cute.D3(gx, gy, gz), Cluster: cute.D3(2, 1, 1), Smem: smem}
		if l.Grid == (cute.Dim3{}) || mayRun(l) && float64(gx)*float64(gy)*float64(gz) > 4096 {
			return
		}
		err := run(cute.Of[int32](x), gx, gy, gz, smem)
		if err == nil {
			err = dev.Sync(t.Context())
		}
		verdict(t, fmt.Sprintf("%+v", l), err, mayRun(l), "// what may be computed")
	}
	for _, n := range oddNumbers {
		try(n, 1, 1, 0)
		try(2, n, 1, 0)
		try(2, 1, n, 0)
		try(2, 1, 1, n)
	}
}

// TestLaunchBeyondTarget: what the launch's target lacks, and parameters that are too large, are mistakes on the line of the launch, too.
func TestLaunchBeyondTarget(t *testing.T) {
	x := must(cutile.NewTensor[int32](vectorOf(t, 1).Device(), 1))(t)
	_, err := cute.Compile(t.Context(), cute.Jit(launchComputed), cute.Of[int32](x), 2, 1, 1, 0, cute.Options{Arch: "sm_80", KeepPTX: true})
	verdict(t, "a cluster for sm_80", err, false, "// what may be computed")
	wantError(t, err, "clusters need sm_90 or later: the target is sm_80")
	_, err = cute.Compile(t.Context(), cute.Jit(launchMuch), cute.Of[int32](x), params{})
	verdict(t, "large parameters", err, false, "// too many bytes")
	wantError(t, err, "expected at most 32764")
}

// lineWith is the number of the line of the launches that ends with a comment.
func lineWith(t *testing.T, comment string) int {
	t.Helper()
	before, _, ok := strings.Cut(string(must(os.ReadFile("launchodd_kernels_test.go"))(t)), comment)
	if !ok {
		t.Fatalf("no line has %q", comment)
	}
	return strings.Count(before, "\n") + 1
}

// verdict looks at the outcome of a launch: with a mistake it names the line, and says nothing of the library's inside.
func verdict(t *testing.T, what string, err error, mayRun bool, line string) {
	t.Helper()
	switch {
	case mayRun && err != nil:
		t.Errorf("%s: %v", what, err)
	case mayRun:
	case err == nil:
		t.Errorf("%s: no error", what)
	case !strings.Contains(err.Error(), fmt.Sprintf("launchodd_kernels_test.go:%d:", lineWith(t, line))):
		t.Errorf("%s: the error does not show the launch: %v", what, err)
	case strings.Contains(err.Error(), "stage verify") || strings.Contains(err.Error(), "gpu.module"):
		t.Errorf("%s: the error is about the module: %v", what, err)
	}
}
