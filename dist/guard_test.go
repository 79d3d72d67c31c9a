//go:build linux && (amd64 || arm64) && !nocuda

package dist_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

func init() {
	for name, wait := range waits {
		cases["lost "+name] = testCase{nil, func(r *rank) error {
			if r.g.Rank() == 1 {
				return syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return wait(r, r)
		}}
	}
	cases["leaves first"] = testCase{nil, func(r *rank) error {
		err := r.each(common)
		if r.g.Rank() == 0 { // the other closes the group, and ends
			time.Sleep(time.Second)
		}
		return err
	}}
}

// byHand starts processes that MPI does not know, and gives what each of them prints, and the error with which it ends.
func byHand(t *testing.T, size int, name string, env ...string) (out []string, err []error) {
	t.Helper()
	out, err = make([]string, size), make([]error, size)
	port := freePort(t)
	var all sync.WaitGroup
	for rank := range size {
		all.Go(func() {
			out[rank], err[rank] = withoutMPI(t, name, rank, size, slices.Concat(env, []string{"MASTER_ADDR=localhost", "MASTER_PORT=" + port, fmt.Sprintf("LOCAL_RANK=%d", rank)})...)
		})
	}
	all.Wait()
	return out, err
}

// TestLost: where no launcher ends the others, NCCL notices that a process was killed, and those that wait for it end with a message: in a call of NCCL, and
// in what it has queued. A process that has left the group is not missed.
func TestLost(t *testing.T) {
	_, ccl := mpitest.StandIns(t, "..")
	for name := range waits {
		for _, queues := range []bool{false, true} {
			env := slices.Clone(ccl)
			if queues && name == "Split" {
				continue // it queues nothing
			} else if queues {
				env = append(env, "NCCL_TEST_NEVER=1")
			}
			t.Run(fmt.Sprintf("%s, queues %v", name, queues), func(t *testing.T) {
				t.Parallel()
				out, err := byHand(t, 2, "lost "+name, env...)
				want := "dist: rank 0 of 2: a collective waits, and NCCL has noticed an error, as when another process is lost " +
					"(ncclCommGetAsyncError: remote process exited or there was a network error (code 6)): the job is ended"
				if exit, ok := err[0].(*exec.ExitError); !ok || exit.ExitCode() != 1 || !strings.Contains(out[0], want) {
					t.Errorf("%v, want %q\n%s", err[0], want, out[0])
				}
			})
		}
	}
	t.Run("leaves first", func(t *testing.T) {
		t.Parallel()
		out, err := byHand(t, 2, "leaves first", ccl...)
		for rank := range err {
			if err[rank] != nil {
				t.Errorf("rank %d: %v\n%s", rank, err[rank], out[rank])
			}
		}
	})
}
