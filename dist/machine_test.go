package dist_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

func init() {
	cases["machine"] = testCase{nil, (*rank).machine}
	cases["checked alone"] = testCase{[]dist.Option{dist.WithChecks(), dist.WithTree()}, func(r *rank) error { return r.each(common) }}
}

// byNCCLEnv says that a group must have NCCL, or must not.
const byNCCLEnv = "CUTILE_DIST_NCCL"

// machine does by NCCL what it can.
func (r *rank) machine() error {
	if want := os.Getenv(byNCCLEnv) != ""; strings.Contains(r.g.String(), "NCCL") != want {
		return fmt.Errorf("the group is %v, NCCL: want %v", r.g, want)
	}
	if err := r.each(common); err != nil {
		return err
	}
	return r.g.Barrier(r)
}

// TestMachine runs the collectives by the NCCL of this machine, with a process for each of its GPUs, up to four. scripts/gpu.sh runs it.
func TestMachine(t *testing.T) {
	testenv.NeedsGPU(t)
	if l, err := nccl.Open(); err != nil {
		testenv.Missing(t, "nccl", err)
	} else {
		t.Log(l)
	}
	size := 0
	for ; size < 4; size++ {
		dev, err := cutile.Open(fmt.Sprintf("cuda:%d", size))
		if err != nil {
			break
		}
		dev.Close()
	}
	if size == 1 {
		t.Log("there is one GPU: NCCL is called in a group of one process, and nothing is sent between GPUs")
	}
	var all sync.WaitGroup
	port := freePort(t)
	for rank := range size {
		all.Go(func() {
			onMachine(t, rank, size, mpitest.DeviceEnv+"=cuda", byNCCLEnv+"=1", "MASTER_ADDR=localhost", "MASTER_PORT="+port)
		})
	}
	all.Wait()
}

// TestOneProcess: a job of one process needs neither MPI nor NCCL, whatever starts it. It uses NCCL where that is, and does without NCCL what that
// cannot do.
func TestOneProcess(t *testing.T) {
	driver, ccl := mpitest.StandIns(t, "..")
	onMachine(t, 0, 1)
	onMachine(t, 0, 1, append(driver, nccl.LibraryEnv+"=off")...)
	onMachine(t, 0, 1, append(ccl, byNCCLEnv+"=1")...)
	for _, name := range []string{"types", "ordered", "checked alone"} {
		if out, err := withoutMPI(t, name, 0, 1, ccl...); err != nil || !strings.Contains(out, name+" is right") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// onMachine runs a process of a job that was started without MPI.
func onMachine(t *testing.T, rank, size int, env ...string) {
	t.Helper()
	if out, err := withoutMPI(t, "machine", rank, size, append(env, fmt.Sprintf("LOCAL_RANK=%d", rank))...); err != nil || !strings.Contains(out, "machine is right") {
		t.Errorf("rank %d of %d: %v\n%s", rank, size, err, out)
	}
}

// withoutMPI runs a case in a process that was started by hand.
func withoutMPI(t *testing.T, name string, rank, size int, env ...string) (string, error) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(append(os.Environ(), env...), caseEnv+"="+name, fmt.Sprintf("RANK=%d", rank), fmt.Sprintf("WORLD_SIZE=%d", size))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// freePort finds a port that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
