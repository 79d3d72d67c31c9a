package ranks_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/mpi"
	"github.com/cutile-go/cutile/internal/ranks"
)

// environment is what a launcher sets, as "NAME=value NAME=value".
func environment(text string) func(string) string {
	all := map[string]string{}
	for _, word := range strings.Fields(text) {
		name, value, _ := strings.Cut(word, "=")
		all[name] = value
	}
	return func(name string) string { return all[name] }
}

// TestFind has the variables that each launcher was seen to set, or says in its manual that it sets.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		env  string
		want ranks.Process
	}{
		{"", ranks.Process{Size: 1, LocalSize: 1}},
		{"WORLD_SIZE=8 MASTER_ADDR=node MASTER_PORT=1", ranks.Process{Size: 1, LocalSize: 1}},
		{"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2 PMIX_RANK=3 SLURM_PROCID=0 SLURM_NTASKS=1",
			ranks.Process{Launcher: "mpirun of Open MPI", Rank: 3, Size: 4, LocalRank: 1, LocalSize: 2, MPI: mpi.OpenMPI, HasMPI: true}},
		{"PMI_RANK=0 PMI_SIZE=2 PMI_FD=6 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2 MASTER_ADDR=::1 MASTER_PORT=29500",
			ranks.Process{Launcher: "mpiexec of MPICH", Size: 2, LocalSize: 2, MPI: mpi.MPICH, HasMPI: true, Address: "[::1]:29500"}},
		{"SLURM_PROCID=5 SLURM_NTASKS=16 SLURM_STEP_NUM_TASKS=8 SLURM_LOCALID=1 PMIX_RANK=5",
			ranks.Process{Launcher: "srun --mpi=pmix", Rank: 5, Size: 8, LocalRank: 1, MPI: mpi.OpenMPI, HasMPI: true}},
		{"SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1 PMI_RANK=5 PMI_SIZE=8",
			ranks.Process{Launcher: "mpiexec of MPICH", Rank: 5, Size: 8, LocalRank: 1, MPI: mpi.MPICH, HasMPI: true}},
		{"SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1", ranks.Process{Launcher: "srun", Rank: 5, Size: 8, LocalRank: 1}},
		{"TORCHELASTIC_RUN_ID=none RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=29400",
			ranks.Process{Launcher: "torchrun", Rank: 1, Size: 2, LocalRank: 1, LocalSize: 2, Address: "localhost:29401"}},
		{"JOB_COMPLETION_INDEX=2 WORLD_SIZE=3", ranks.Process{Launcher: "an indexed job of Kubernetes", Rank: 2, Size: 3, LocalRank: -1}},
		{"RANK=1 WORLD_SIZE=2", ranks.Process{Launcher: "RANK and WORLD_SIZE", Rank: 1, Size: 2, LocalRank: -1}},
	} {
		got, err := ranks.Find(environment(c.env))
		if err != nil {
			t.Errorf("%s: %v", c.env, err)
			continue
		}
		if got.Launcher != "" && !got.HasMPI && got.Advice == "" {
			t.Errorf("%s: nobody says how to start it so that MPI knows it", c.env)
		}
		got.Advice = ""
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.env, got, c.want)
		}
	}
}

// TestMistakes: what a launcher cannot have set is refused by the name of the variable.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"JOB_COMPLETION_INDEX=2", "Kubernetes started this process (JOB_COMPLETION_INDEX is set), but WORLD_SIZE is not set: set it to the number of processes"},
		{"SLURM_PROCID=0", "but SLURM_STEP_NUM_TASKS or SLURM_NTASKS is not set"},
		{"PMI_RANK=x PMI_SIZE=2", `PMI_RANK="x", which mpiexec of MPICH sets, is not a number from 0 to 1`},
		{"PMI_RANK=2 PMI_SIZE=2", `PMI_RANK="2", which mpiexec of MPICH sets, is not a number from 0 to 1`},
		{"PMI_RANK=-1 PMI_SIZE=2", `PMI_RANK="-1"`},
		{"RANK=0 WORLD_SIZE=0", `WORLD_SIZE="0", which RANK and WORLD_SIZE sets, is not a number from 1 to 2147483647`},
		{"RANK=0 WORLD_SIZE=2 LOCAL_RANK=2", `LOCAL_RANK="2"`},
		{"RANK=0 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=x", `MASTER_PORT="x"`},
		{"TORCHELASTIC_RUN_ID=a RANK=0 WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=65535", `MASTER_PORT="65535"`},
		{"RANK=0 WORLD_SIZE=2 LOCAL_WORLD_SIZE=3", `LOCAL_WORLD_SIZE="3"`},
	} {
		if _, err := ranks.Find(environment(c.env)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.env, err, c.want)
		}
	}
}
