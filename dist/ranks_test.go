package dist_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// caseEnv names the case that a process runs: the tests start this test binary with mpirun.
const caseEnv = "CUTILE_DIST_CASE"

func TestMain(m *testing.M) {
	name := os.Getenv(caseEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := runCase(name); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(3)
	}
	fmt.Printf("%s is right\n", name)
}

// rank is a process of a case.
type rank struct {
	context.Context
	dev  *cutile.Device
	g    *dist.Group
	opts []dist.Option
}

// nameEnv is the name of a device, of which a process says the one that it takes.
const nameEnv = "CUTILE_DIST_NAME"

// spawn has the cases that start themselves.
var spawn = map[string]bool{"spawned": true, "stays": true}

type testCase struct {
	opts []dist.Option
	run  func(r *rank) error
}

// cases has what the processes of a job do, by name.
var cases = map[string]testCase{
	"types":    {nil, (*rank).types},
	"ordered":  {[]dist.Option{dist.WithOrder()}, (*rank).ordered},
	"streams":  {nil, (*rank).streams},
	"apart":    {nil, (*rank).apart},
	"split":    {nil, (*rank).split},
	"checked":  {[]dist.Option{dist.WithChecks()}, (*rank).checked},
	"message":  {nil, (*rank).message},
	"recovers": {nil, (*rank).recovers},
	"killed":   {nil, (*rank).killed},
	"fails":    {nil, (*rank).fails},
	"leaves":   {nil, (*rank).leaves},
	"panics":   {nil, (*rank).panics},
	"aborted":  {nil, (*rank).aborted},
	"beside":   {nil, (*rank).beside},
	"absent":   {nil, nil},
	"options":  {nil, nil},
}

func runCase(name string) error {
	if self, err := dist.Self(); spawn[name] && err == nil && self.Launcher == "" {
		return dist.Spawn(context.Background(), 2)
	}
	if self, err := dist.Self(); err == nil && name == "device" {
		fmt.Printf("it takes %q\n", self.Device(os.Getenv(nameEnv)))
		return nil
	}
	c, ok := cases[name]
	if !ok {
		return fmt.Errorf("there is no such case")
	}
	self, err := dist.Self()
	if err != nil {
		return err
	}
	dev, err := cutile.Open(self.Device(cmp.Or(os.Getenv(mpitest.DeviceEnv), "cpu")), cutile.WithWorkers(1))
	if err != nil {
		return err
	}
	defer dev.Close()
	ctx := context.Background()
	if name == "absent" {
		if self, err := dist.Self(); err != nil || self.Rank == 1 {
			time.Sleep(time.Hour)
		}
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Second)
		defer cancel()
	}
	if self, err := dist.Self(); name == "options" && (err != nil || self.Rank == 1) {
		c.opts = []dist.Option{dist.WithChecks(), dist.WithOrder()}
	}
	g, err := dist.Join(ctx, dev, c.opts...)
	if err != nil {
		return err
	}
	r := &rank{context.Background(), dev, g, c.opts}
	if err := c.run(r); err != nil {
		return fmt.Errorf("rank %d of %d: %w", g.Rank(), g.Size(), err)
	}
	return g.Close()
}

// job runs a case in n processes and returns what they printed, and the code.
func job(t *testing.T, l *mpitest.Launcher, n int, name string, env ...string) (string, int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return l.Run(t, n, append(slices.Clip(env), caseEnv+"="+name), program)
}

// right runs a case in n processes, in each of which it must be right.
func right(t *testing.T, l *mpitest.Launcher, n int, name string, env ...string) {
	t.Helper()
	out, code := job(t, l, n, name, env...)
	if code != 0 || strings.Count(out, name+" is right") != n {
		t.Errorf("%s, %d processes, %s: code %d\n%s", l.Name, n, name, code, out)
	}
}

// TestCollectives runs all collectives for all element types and odd lengths, on each MPI.
func TestCollectives(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		for n := 1; n <= 4; n++ {
			if testenv.Few() && n != 2 {
				continue
			}
			if l.Polls && n > runtime.NumCPU() && !testenv.Required("slow") {
				t.Logf("%d processes on %d processors poll in turn, which takes long: only with %s=slow", n, runtime.NumCPU(), testenv.RequireEnv)
				break
			}
			for _, name := range []string{"types", "ordered"} {
				right(t, l, n, name)
			}
		}
	})
}

// TestOrder: collectives come between the launches around them, other work goes on meanwhile, and groups are apart.
func TestOrder(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		right(t, l, 2, "streams")
		right(t, l, 2, "apart")
		right(t, l, 4, "split")
		right(t, l, 2, "recovers")
	})
}

// TestDifferences: what the ranks do not do alike is an error where it can be seen.
func TestDifferences(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		right(t, l, 2, "checked")
		right(t, l, 2, "message")
	})
}

// TestEnds: a process that dies, gives up, aborts or does not come ends the job, with a code and a message.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		code int // 0 for any that is not, -1 for any
		want string
	}{
		{"killed", 0, ""},
		{"fails", 0, "fails: rank 1 of 3: rank 1 gives up"},
		{"leaves", -1, ""}, // MPICH gives 0 at times
		{"panics", 0, "panic: a bug"},
		{"aborted", 7, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
				start := time.Now()
				out, code := job(t, l, 3, c.name)
				exact := c.code > 0
				if code == 0 && c.code >= 0 || exact && code != c.code || !strings.Contains(out, c.want) || strings.Contains(out, "is right") {
					t.Errorf("code %d, want %d; it printed, want %q:\n%s", code, c.code, c.want, out)
				}
				t.Logf("code %d after %v", code, time.Since(start).Round(10*time.Millisecond))
			})
		})
	}
}

// TestWrongLibrary: a library under the other family's launcher would make each process a job of its own.
func TestWrongLibrary(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		library, launcher := "libmpi.so.40", "mpiexec of MPICH"
		if l.Name == "openmpi" {
			library, launcher = "libmpich.so.12", "mpirun of Open MPI"
		}
		out, code := job(t, l, 2, "types", "CUTILE_LIBMPI="+library)
		if strings.Contains(out, "no MPI: ") {
			testenv.Missing(t, "openmpi and mpich", errors.New(out))
		}
		want := launcher + " says that this is process 1 of 2, but "
		more := "says 0 of 1, so the library does not belong to the launcher: unset CUTILE_LIBMPI, or start the program with the launcher of that library"
		if code == 0 || !strings.Contains(out, want) || !strings.Contains(out, more) {
			t.Errorf("code %d; it printed, want %q and %q:\n%s", code, want, more, out)
		}
		out, code = job(t, l, 1, "types", "CUTILE_LIBMPI=libnone.so.1")
		want = "dist: Join: no MPI: libnone.so.1: cannot open shared object file"
		if code == 0 || !strings.Contains(out, want) || !strings.Contains(out, "or set CUTILE_LIBMPI to its library") {
			t.Errorf("code %d; it printed, want %q:\n%s", code, want, out)
		}
		if l.Name != "openmpi" {
			return
		}
		// Rank 0 alone of two, whose rank is right.
		program, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), caseEnv+"=types", "PMI_RANK=0", "PMI_SIZE=2", "CUTILE_LIBMPI=libmpi.so.40")
		want = "mpiexec of MPICH says that this is process 0 of 2, but Open MPI"
		if text, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(text), want) {
			t.Errorf("%v; it printed, want %q:\n%s", err, want, text)
		}
	})
}
