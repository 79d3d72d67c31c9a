//go:build linux && (amd64 || arm64) && !nocuda

package dist_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// TestDevice: each process takes the GPU of its number on the machine, among those that it sees.
func TestDevice(t *testing.T) {
	driver, _ := mpitest.StandIns(t, "..") // eight GPUs
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const fourth = "RANK=7 WORLD_SIZE=8 LOCAL_RANK=3 "
	for _, c := range []struct{ env, name, want string }{
		{fourth, "cuda", "cuda:3"},
		{fourth, "", "cuda:3"},
		{fourth, "cuda:1", "cuda:1"},
		{fourth, "cpu", "cpu"},
		{fourth + "CUTILE_DEVICE=cpu", "", ""},
		{fourth + "CUTILE_DEVICE=cpu", "cuda", "cuda:3"},
		{fourth + "CUTILE_DEVICE=cuda", "", "cuda:3"},
		{fourth + "CUTILE_DEVICE=cuda:5", "", ""},
		{fourth + "CUDA_VISIBLE_DEVICES=5", "cuda", "cuda:0"}, // one for each task, by Slurm
		{fourth + "CUDA_VISIBLE_DEVICES=6,7", "cuda", "cuda:1"},
		{fourth + "CUTILE_LIBCUDA=libnone.so.1", "cuda", "cuda"}, // there are no GPUs: Open says so
		{fourth + "CUTILE_LIBCUDA=libnone.so.1", "", ""},
		{"SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=4 SLURM_LOCALID=2", "cuda", "cuda:2"},
		{"JOB_COMPLETION_INDEX=2 WORLD_SIZE=3 CUDA_VISIBLE_DEVICES=4", "", "cuda:0"},
		{"JOB_COMPLETION_INDEX=2 WORLD_SIZE=3", "cuda", "cuda:0"},
		{"RANK=1 WORLD_SIZE=2", "cuda", "cuda:0"},
		{"", "cuda", "cuda"},
		{"", "", ""},
	} {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(append(append(os.Environ(), driver...), strings.Fields(c.env)...), caseEnv+"=device", nameEnv+"="+c.name)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), fmt.Sprintf("it takes %q\n", c.want)) {
			t.Errorf("%s, %q: %v, want %q\n%s", c.env, c.name, err, c.want, out)
		}
	}
}

// TestOneGPU: two processes on one GPU are refused with the way out, and can work by MPI.
func TestOneGPU(t *testing.T) {
	driver, ccl := mpitest.StandIns(t, "..")
	const refused = "dist: Join: two processes use one GPU, which NCCL refuses (ncclCommInitRankScalable: invalid usage: Duplicate GPU detected : rank "
	const advice = "open the device that Process.Device names, and start as many processes on each machine as it has GPUs"
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		out, code := job(t, l, 2, "split", append(ccl, "DRIVER_TEST_GPUS=1")...)
		if want := advice + "; with CUTILE_LIBNCCL=off they may share GPUs, and MPI works on copies"; code == 0 || !strings.Contains(out, refused) || !strings.Contains(out, want) {
			t.Errorf("code %d, want %q and %q\n%s", code, refused, want, out)
		}
		right(t, l, 2, "split", append(driver, "DRIVER_TEST_GPUS=1", nccl.LibraryEnv+"=off")...)
	})
	for _, c := range []struct{ each, want string }{
		{"CUDA_VISIBLE_DEVICES=0 LOCAL_RANK=%d", advice + "\n"},
		{"", advice + "; RANK and WORLD_SIZE does not say which process of its machine this is: set LOCAL_RANK\n"},
		{"CUDA_VISIBLE_DEVICES=%d", ""}, // one GPU for each, whatever its number
	} {
		port := freePort(t)
		var all sync.WaitGroup
		for rank := range 2 {
			all.Go(func() {
				env := strings.Fields(strings.ReplaceAll(c.each, "%d", fmt.Sprint(rank)))
				out, err := withoutMPI(t, "machine", rank, 2, append(append(env, ccl...), byNCCLEnv+"=1", "MASTER_ADDR=localhost", "MASTER_PORT="+port)...)
				if c.want == "" && err != nil || c.want != "" && (!strings.Contains(out, refused) || !strings.Contains(out, c.want)) {
					t.Errorf("rank %d, %s: %v, want %q\n%s", rank, c.each, err, c.want, out)
				}
			})
		}
		all.Wait()
	}
}
