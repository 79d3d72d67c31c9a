package dist

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/ranks"
)

// Process says which process of a job this one is.
type Process struct {
	// Launcher is who started the job, such as "mpirun of Open MPI"; "" if this process is alone.
	Launcher string
	// Rank is the number of this process, from 0 to Size-1.
	Rank, Size int
	// LocalRank is the number of this process among those on this machine. It is -1 if the launcher does not say. A pod of Kubernetes is a machine.
	LocalRank int
	// LocalSize is the number of processes on this machine; 0 if the launcher does not say.
	LocalSize int
}

// Self finds out from the environment which process this one is. It does not talk to others, so a program can choose its device before it
// joins:
//
//	self, err := dist.Self()
//	...
//	dev, err := cutile.Open(self.Device(""))
//
// The variables of Open MPI, of MPICH and its relatives, of Slurm, torchrun and indexed jobs of Kubernetes are known, and RANK with
// WORLD_SIZE. A variable that has no sense is an error.
func Self() (Process, error) {
	p, err := ranks.Find(os.Getenv)
	if err != nil {
		return Process{}, fmt.Errorf("dist: %w", err)
	}
	return Process{p.Launcher, p.Rank, p.Size, p.LocalRank, p.LocalSize}, nil
}

// Device returns the name by which this process of a job opens its device, where all processes are told the same name, as by a flag. For "cuda" that is
// the GPU of the process: that of its LocalRank among the GPUs which it sees, in turn if there are fewer GPUs. The empty name is the same where CUTILE_DEVICE is
// cuda, or is not set and a GPU is there by CUDA. Any other name stays as it is, as does the one that a process without a launcher has.
//
// So a process that sees one GPU alone, as where Slurm gives each task one, or in a pod of Kubernetes, takes it: cuda:0. NCCL refuses two processes on one GPU;
// [Join] says so.
func (p Process) Device(name string) string {
	if asked := cmp.Or(name, os.Getenv("CUTILE_DEVICE")); p.Launcher == "" || asked != "" && asked != "cuda" {
		return name
	}
	gpus := 0
	for _, d := range device.Devices() {
		if strings.HasPrefix(d, "cuda:") {
			gpus++
		}
	}
	if gpus == 0 {
		return name // Open says why
	}
	return fmt.Sprintf("cuda:%d", max(p.LocalRank, 0)%gpus)
}
