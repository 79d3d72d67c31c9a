package parallel_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// caseEnv has the names of the cases that a process runs: the tests start this test binary with mpirun.
const caseEnv = "CUTILE_PARALLEL_CASES"

func TestMain(m *testing.M) {
	names := os.Getenv(caseEnv)
	if names == "" {
		os.Exit(m.Run())
	}
	for _, name := range strings.Split(names, ",") {
		if err := runCase(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
			os.Exit(3)
		}
		fmt.Printf("%s is right\n", name)
	}
	if err := parent.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// rank is a process of a case.
type rank struct {
	context.Context
	dev *cutile.Device
	g   *dist.Group
}

// cases has what the processes of a job do, by name. All groups sum in a tree.
var cases = map[string]func(r *rank) error{
	"types":    (*rank).types,
	"differ":   (*rank).differ,
	"early":    (*rank).early,
	"gpu":      (*rank).gpu,
	"replicas": (*rank).replicas,
}

// parent is joined before and left after all cases, since a process cannot join again after it left the last group.
var parent *dist.Group

func runCase(name string) error {
	self, err := dist.Self()
	if err != nil {
		return err
	}
	dev, err := cutile.Open(self.Device(cmp.Or(os.Getenv(mpitest.DeviceEnv), "cpu")), cutile.WithWorkers(1))
	if err != nil {
		return err
	}
	if parent == nil {
		if parent, err = dist.Join(context.Background(), dev); err != nil {
			return err
		}
	}
	g, err := dist.Join(context.Background(), dev, dist.WithTree())
	if err != nil {
		return err
	}
	if err := cases[name](&rank{context.Background(), dev, g}); err != nil {
		return fmt.Errorf("rank %d of %d: %w", g.Rank(), g.Size(), err)
	}
	return g.Close()
}

// right runs cases in n processes, in each of which all must be right.
func right(t *testing.T, l *mpitest.Launcher, n int, env []string, names ...string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, code := l.Run(t, n, append(env, caseEnv+"="+strings.Join(names, ",")), program)
	if want := len(names) * n; code != 0 || strings.Count(out, " is right") != want {
		t.Errorf("%s, %d processes: code %d, want %d lines\n%s", l.Name, n, code, want, out)
	}
}

// TestProcesses: gradients in two and four processes, on each MPI.
func TestProcesses(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		right(t, l, 2, nil, "types", "differ", "early", "replicas")
		if l.Polls && runtime.NumCPU() < 4 && !testenv.Required("slow") {
			t.Logf("4 processes on %d processors poll in turn, which takes long: only with %s=slow", runtime.NumCPU(), testenv.RequireEnv)
			return
		}
		right(t, l, 4, nil, "types", "differ", "replicas")
	})
}
