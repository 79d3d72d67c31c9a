package dist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// waits are what waits for all other processes, by the name that messages have. A context ends the wait for those that take one.
var waits = map[string]func(ctx context.Context, r *rank) error{
	"AllReduce": func(ctx context.Context, r *rank) error {
		x, err := cutile.NewTensor[float32](r.dev, 3)
		if err != nil {
			return err
		}
		if err := dist.AllReduce(r, r.g, dist.Sum, x, x); err != nil {
			return err
		}
		return r.g.Sync(ctx)
	},
	"Barrier": func(ctx context.Context, r *rank) error { return r.g.Barrier(ctx) },
	"Split": func(ctx context.Context, r *rank) error {
		_, err := r.g.Split(ctx, 0, 0)
		return err
	},
}

func init() {
	for name, wait := range waits {
		limit := []dist.Option{dist.WithLimit(500 * time.Millisecond)}
		cases["late "+name] = testCase{limit, func(r *rank) error { return r.late(func() error { return wait(r, r) }) }}
		cases["checked late "+name] = testCase{append(limit, dist.WithChecks()), cases["late "+name].run}
		cases["given up "+name] = testCase{nil, func(r *rank) error { return r.late(func() error { return r.givesUp(wait) }) }}
	}
}

// late lets rank 1 not come to what the others do.
func (r *rank) late(f func() error) error {
	if r.g.Rank() == 1 {
		time.Sleep(time.Hour)
	}
	return f()
}

// givesUp ends a wait by a context.
func (r *rank) givesUp(wait func(ctx context.Context, r *rank) error) error {
	ctx, cancel := context.WithTimeout(r, 200*time.Millisecond)
	defer cancel()
	if err := wait(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a wait for 200 ms gives %v", err)
	}
	fmt.Println("it gives up") // what it waits for goes on, and so would Close
	os.Exit(5)
	return nil
}

// TestLate: a process that does not come ends the job where there is a limit, with a message that says what took too long. A context ends
// a wait.
func TestLate(t *testing.T) {
	driver, ccl := mpitest.StandIns(t, "..")
	driver = append(driver, nccl.LibraryEnv+"=off")
	queues := append(ccl, "NCCL_TEST_NEVER=1")
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		for _, c := range []struct {
			by, cases string // several, with semicolons between them
			env       []string
			family    bool // what it is depends on the family of MPI
		}{
			{"CPU", "late AllReduce;late Barrier;late Split;given up AllReduce;given up Barrier;given up Split", nil, true},
			{"GPU", "late AllReduce;given up Barrier;given up Split", driver, true}, // a call waits there, and takes no context
			{"NCCL", "late AllReduce;late Barrier;late Split;given up Barrier;given up Split", ccl, false},
			{"NCCL", "checked late AllReduce", ccl, true},
			{"NCCL that queues", "late AllReduce;late Barrier;given up AllReduce", queues, false},
		} {
			for name := range strings.SplitSeq(c.cases, ";") {
				if l.Polls && !c.family && !testenv.Required("slow") {
					continue
				}
				t.Run(c.by+" "+name, func(t *testing.T) {
					t.Parallel()
					want := "it gives up"
					if _, what, late := strings.Cut(name, "late "); late {
						want = what + " has taken longer than 500ms (WithLimit): the job is ended"
					}
					out, code := job(t, l, 2, name, c.env...)
					if code == 0 || !strings.Contains(out, want) {
						t.Errorf("code %d, want %q\n%s", code, want, out)
					}
				})
			}
		}
	})
}

// TestLateWithoutMPI is TestLate for processes that MPI does not know, which end by themselves.
func TestLateWithoutMPI(t *testing.T) {
	_, ccl := mpitest.StandIns(t, "..")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range waits {
		t.Run(name, func(t *testing.T) {
			port := freePort(t)
			process := func(rank int) *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), program)
				cmd.Env = append(append(os.Environ(), ccl...), caseEnv+"=late "+name, "MASTER_ADDR=localhost", "MASTER_PORT="+port,
					"WORLD_SIZE=2", fmt.Sprintf("RANK=%d", rank), fmt.Sprintf("LOCAL_RANK=%d", rank))
				return cmd
			}
			absent := process(1)
			if err := absent.Start(); err != nil {
				t.Fatal(err)
			}
			defer absent.Wait()
			defer absent.Process.Kill()
			out, err := process(0).CombinedOutput()
			if want := "dist: rank 0 of 2: " + name + " has taken longer than 500ms (WithLimit): the job is ended"; err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%v, want %q\n%s", err, want, out)
			}
		})
	}
}
