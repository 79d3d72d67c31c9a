package dist

import (
	"fmt"
	"os"

	"github.com/cutile-go/cutile/internal/ranks"
)

// Process says which process of a job this one is.
type Process struct {
	// Launcher is who started the job, such as "mpirun of Open MPI"; "" if this process is alone.
	Launcher string
	// Rank is the number of this process, from 0 to Size-1.
	Rank, Size int
	// LocalRank is the number of this process among those on this machine: the GPU that it may take. It is -1 if the launcher does not say.
	LocalRank int
	// LocalSize is the number of processes on this machine; 0 if the launcher does not say.
	LocalSize int
}

// Self finds out from the environment which process this one is. It does not talk to others, so a program can choose its device before it
// joins:
//
//	self, err := dist.Self()
//	...
//	dev, err := cutile.Open(fmt.Sprintf("cuda:%d", self.LocalRank))
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
