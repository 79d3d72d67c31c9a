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
	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

func init() { cases["machine"] = testCase{nil, (*rank).machine} }

// machine does by NCCL what it can.
func (r *rank) machine() error {
	if r.g.Size() > 1 && !strings.Contains(r.g.String(), "NCCL") {
		return fmt.Errorf("the group is %v", r.g)
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
	var all sync.WaitGroup
	port := freePort(t)
	for rank := range size {
		all.Go(func() {
			onMachine(t, rank, size, mpitest.DeviceEnv+"=cuda", "MASTER_ADDR=localhost", "MASTER_PORT="+port)
		})
	}
	all.Wait()
}

// TestOneProcess: a job of one process needs neither MPI nor NCCL, whatever starts it.
func TestOneProcess(t *testing.T) {
	driver, _ := mpitest.StandIns(t, "..")
	onMachine(t, 0, 1)
	onMachine(t, 0, 1, driver...)
}

// onMachine runs a process of a job that was started without MPI.
func onMachine(t *testing.T, rank, size int, env ...string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Error(err)
		return
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(append(os.Environ(), env...), caseEnv+"=machine", fmt.Sprintf("RANK=%d", rank), fmt.Sprintf("LOCAL_RANK=%d", rank), fmt.Sprintf("WORLD_SIZE=%d", size))
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "machine is right") {
		t.Errorf("rank %d of %d: %v\n%s", rank, size, err, out)
	}
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
