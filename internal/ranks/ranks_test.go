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
		{"SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_STEP_NUM_TASKS=8 SLURM_LOCALID=1 PMI_RANK=5 PMI_SIZE=8",
			ranks.Process{Launcher: "mpiexec of MPICH", Rank: 5, Size: 8, LocalRank: 1, MPI: mpi.MPICH, HasMPI: true}},
		{"SLURM_PROCID=5 SLURM_NTASKS=16 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=8 SLURM_LOCALID=1", ranks.Process{Launcher: "srun", Rank: 5, Size: 8, LocalRank: 1}},
		{"TORCHELASTIC_RUN_ID=none RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2 MASTER_ADDR=localhost MASTER_PORT=29400",
			ranks.Process{Launcher: "torchrun", Rank: 1, Size: 2, LocalRank: 1, LocalSize: 2, Address: "localhost:29401"}},
		{"JOB_COMPLETION_INDEX=2 WORLD_SIZE=3", ranks.Process{Launcher: "an indexed job of Kubernetes", Rank: 2, Size: 3, LocalSize: 1}},
		{"RANK=1 WORLD_SIZE=2", ranks.Process{Launcher: "RANK and WORLD_SIZE", Rank: 1, Size: 2, LocalRank: -1}},
		// A script of sbatch, and the shells of salloc and sbatch --interactive: nobody has started several processes.
		{"SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=8 SLURM_JOB_ID=7", ranks.Process{Size: 1, LocalSize: 1}},
		{"SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=8 SLURM_STEP_ID=batch SLURM_STEP_NUM_TASKS=8", ranks.Process{Size: 1, LocalSize: 1}},
		{"SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=8 SLURM_STEP_ID=4294967290 SLURM_STEP_NUM_TASKS=1 PMIX_RANK=0", ranks.Process{Size: 1, LocalSize: 1}},
	} {
		find(t, c.env, c.want)
	}
}

// find compares what an environment says.
func find(t *testing.T, env string, want ranks.Process) {
	t.Helper()
	got, err := ranks.Find(environment(env))
	if err != nil {
		t.Errorf("%s: %v", env, err)
		return
	}
	if got.Launcher != "" && !got.HasMPI && got.Advice == "" {
		t.Errorf("%s: nobody says how to start it so that MPI knows it", env)
	}
	got.Advice = ""
	if got != want {
		t.Errorf("%s:\n got %+v\nwant %+v", env, got, want)
	}
}

// TestNested: a process that a launcher has started inside of another one has the number that the inner one gave it.
func TestNested(t *testing.T) {
	const torch = "TORCHELASTIC_RUN_ID=none RANK=11 WORLD_SIZE=16 LOCAL_RANK=3 LOCAL_WORLD_SIZE=8 MASTER_ADDR=node0 MASTER_PORT=29500 "
	torchrun := ranks.Process{Launcher: "torchrun", Rank: 11, Size: 16, LocalRank: 3, LocalSize: 8, Address: "node0:29501"}
	const script = "SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=16 "
	const step = "SLURM_PROCID=1 SLURM_NTASKS=2 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=0 "
	const open = "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=1 PMIX_RANK=1 "
	const hydra = "PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=1 "
	openMPI := ranks.Process{Launcher: "mpirun of Open MPI", Rank: 1, Size: 2, LocalSize: 1, MPI: mpi.OpenMPI, HasMPI: true}
	mpich := ranks.Process{Launcher: "mpiexec of MPICH", Rank: 1, Size: 2, LocalSize: 1, MPI: mpi.MPICH, HasMPI: true}
	for _, c := range []struct {
		env  string
		want ranks.Process
	}{
		// torchrun once on each machine
		{torch + step, torchrun},
		{torch + step + "PMIX_RANK=1", torchrun},
		{torch + step + "PMI_RANK=1 PMI_SIZE=2", torchrun},
		{torch + script, torchrun},
		{torch + open, torchrun},
		{torch + hydra, torchrun},
		{torch + "JOB_COMPLETION_INDEX=1", torchrun},
		// mpirun in steps, scripts and pods
		{open + step, openMPI},
		{open + script, openMPI},
		{open + "PMI_RANK=0 PMI_SIZE=1 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1", openMPI}, // in the shell of srun --mpi=pmi2 --pty
		{open + "JOB_COMPLETION_INDEX=0", openMPI},
		{hydra + step + "PMIX_RANK=1", mpich},
		{hydra + script, mpich},
		// RANK and WORLD_SIZE
		{open + "RANK=1 WORLD_SIZE=2", openMPI},
		{open + "RANK=x", openMPI},
		{step + "RANK=1 WORLD_SIZE=2 LOCAL_RANK=0", ranks.Process{Launcher: "srun", Rank: 1, Size: 2}},
		{"JOB_COMPLETION_INDEX=1 RANK=11 WORLD_SIZE=16 LOCAL_RANK=3", ranks.Process{Launcher: "RANK and WORLD_SIZE", Rank: 11, Size: 16, LocalRank: 3}},
	} {
		find(t, c.env, c.want)
	}
	const several = " set the variables of this process, but which of them started it cannot be told, as "
	for _, c := range []struct{ env, want string }{
		{torch + "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2", "torchrun and mpirun of Open MPI" + several + "mpirun of Open MPI has several processes on this machine: start one torchrun on each machine, or unset TORCHELASTIC_RUN_ID for what mpirun of Open MPI starts"},
		{torch + "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALRANKID=0 MPI_LOCALNRANKS=2", "torchrun and mpiexec of MPICH" + several},
		{torch + "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 SLURM_LOCALID=1", "torchrun and srun" + several},
		{open + hydra, "mpirun of Open MPI and mpiexec of MPICH set the variables of this process, but which of them started it cannot be told: unset OMPI_COMM_WORLD_RANK or PMI_RANK, whichever is not of its launcher"},
		{open + "RANK=11 WORLD_SIZE=16", "mpirun of Open MPI says that this is process 1 of 2, but RANK and WORLD_SIZE say 11 of 16: unset RANK, or else OMPI_COMM_WORLD_RANK if each process has a RANK of its own"},
		{step + "RANK=3 WORLD_SIZE=16", "srun says that this is process 1 of 2, but RANK and WORLD_SIZE say 3 of 16: unset RANK, or else SLURM_PROCID if each process has a RANK of its own"},
		{hydra + "RANK=3 WORLD_SIZE=2", `RANK="3", which RANK and WORLD_SIZE sets, is not a number from 0 to 1`},
	} {
		if _, err := ranks.Find(environment(c.env)); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.env, err, c.want)
		}
	}
}

// TestMistakes: what a launcher cannot have set is refused by the name of the variable.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"JOB_COMPLETION_INDEX=2", "Kubernetes started this process (JOB_COMPLETION_INDEX is set), but WORLD_SIZE is not set: set it to the number of processes"},
		{"OMPI_COMM_WORLD_RANK=0", "mpirun of Open MPI started this process (OMPI_COMM_WORLD_RANK is set), but OMPI_COMM_WORLD_SIZE is not set"},
		{"SLURM_PROCID=2 SLURM_STEP_NUM_TASKS=2", `SLURM_PROCID="2", which srun sets, is not a number from 0 to 1`},
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
