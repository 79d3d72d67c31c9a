package main

import (
	"context"
	"log"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/exampletest"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/tile"
)

// rankEnv makes the test binary the program.
const rankEnv = "CUTILE_EXAMPLE_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(rankEnv) == "" {
		os.Exit(m.Run())
	}
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func TestOutput(t *testing.T) { exampletest.Output(t, run) }

func TestKernels(t *testing.T) { exampletest.Kernels(t, assemble.Case{Kernel: heights[tile.D1024]}) }

// TestProcesses: three processes have the digits of one, which one of them prints.
func TestProcesses(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		out, code := l.Run(t, 3, []string{rankEnv + "=1", "CUTILE_DEVICE=cpu"}, program)
		if want := "processes   3\npoints      1000003\nπ           3.141592654\n"; code != 0 || strings.Count(out, want) != 1 || strings.Count(out, "π") != 1 {
			t.Errorf("code %d, want one of %q:\n%s", code, want, out)
		}
	})
}

// TestFew: parts that are shorter than a tile, and edges of tiles, count each point once.
func TestFew(t *testing.T) {
	dev, err := cutile.Open("", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	g, err := dist.Join(t.Context(), dev)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, n := range []int{1, 2, 1023, 1024, 1025, 5000} {
		got, err := integrate(t.Context(), dev, g, n)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for i := range n {
			x := (float64(i) + 0.5) / float64(n)
			want += 4 / (1 + x*x)
		}
		if d := got - want; d < -1e-9 || d > 1e-9 {
			t.Errorf("%d points: %v, want %v", n, got, want)
		}
	}
}
