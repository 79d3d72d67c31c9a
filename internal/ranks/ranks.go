// Package ranks finds out which process of a job this one is, from the variables that launchers set.
package ranks

import (
	"fmt"
	"math"
	"net"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// Process says which process of a job this one is.
type Process struct {
	Launcher  string // who started it; "" if nobody says that there is more than this process
	Rank      int
	Size      int
	LocalRank int    // among the processes on this machine; -1 if the launcher does not say
	LocalSize int    // 0 if the launcher does not say
	Address   string // host:port at rank 0 where the others can meet it; "" if the launcher does not say

	MPI    mpi.Family // whose processes these are, if
	HasMPI bool       // MPI knows them
	Advice string     // how to start processes that MPI knows, where it does not know these
}

// launcher is a row of the table: the variables that a launcher sets. Of several names in one place the first that is set counts.
type launcher struct {
	name       string
	sign       string // a variable that tells the launcher from others, beside rank
	rank, size string
	localRank  string
	localSize  string
	port       int // that is added to the port of rank 0

	mpi    mpi.Family
	hasMPI bool
	advice string
}

// The variables that name the machine and port of rank 0. torchrun sets them; people set them elsewhere. torchrun itself listens at the port,
// so the next one is taken there.
const hostEnv, portEnv = "MASTER_ADDR", "MASTER_PORT"

// launchers has the launchers; the first whose variables are set counts. Who starts others comes after them: srun's variables are set for
// what mpirun starts inside of a job of Slurm, too.
var launchers = []launcher{
	{name: "mpirun of Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE",
		localRank: "OMPI_COMM_WORLD_LOCAL_RANK", localSize: "OMPI_COMM_WORLD_LOCAL_SIZE", mpi: mpi.OpenMPI, hasMPI: true},
	{name: "mpiexec of MPICH", rank: "PMI_RANK", size: "PMI_SIZE", localRank: "MPI_LOCALRANKID SLURM_LOCALID", localSize: "MPI_LOCALNRANKS", mpi: mpi.MPICH, hasMPI: true},
	{name: "srun --mpi=pmix", sign: "PMIX_RANK", rank: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS SLURM_NTASKS", localRank: "SLURM_LOCALID", mpi: mpi.OpenMPI, hasMPI: true},
	{name: "torchrun", sign: "TORCHELASTIC_RUN_ID", rank: "RANK", size: "WORLD_SIZE", localRank: "LOCAL_RANK", localSize: "LOCAL_WORLD_SIZE", port: 1,
		advice: "start it with mpirun instead of torchrun"},
	{name: "an indexed job of Kubernetes", rank: "JOB_COMPLETION_INDEX", size: "WORLD_SIZE",
		advice: "start it with mpirun, as Kubeflow's MPI operator does"},
	{name: "srun", rank: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS SLURM_NTASKS", localRank: "SLURM_LOCALID", advice: "start it with srun --mpi=pmix, srun --mpi=pmi2 or mpirun"},
	{name: "RANK and WORLD_SIZE", rank: "RANK", size: "WORLD_SIZE", localRank: "LOCAL_RANK", localSize: "LOCAL_WORLD_SIZE", advice: "start it with mpirun, or unset RANK for a single process"},
}

// Find asks the environment. Without a launcher it gives the only process of a job of one.
func Find(getenv func(string) string) (Process, error) {
	for i := range launchers {
		l := &launchers[i]
		if getenv(l.rank) != "" && (l.sign == "" || getenv(l.sign) != "") {
			return l.process(getenv)
		}
	}
	return Process{Size: 1, LocalSize: 1}, nil
}

// process reads what a launcher says.
func (l *launcher) process(getenv func(string) string) (Process, error) {
	p := Process{Launcher: l.name, LocalRank: -1, MPI: l.mpi, HasMPI: l.hasMPI, Advice: l.advice}
	size, found, err := l.number(getenv, l.size, 1, math.MaxInt32)
	if err == nil && !found {
		err = fmt.Errorf("%s started this process (%s is set), but %s is not set: set it to the number of processes",
			l.name, l.rank, strings.ReplaceAll(l.size, " ", " or "))
	}
	if err != nil {
		return Process{}, err
	}
	p.Size = size
	if p.Rank, _, err = l.number(getenv, l.rank, 0, size-1); err != nil {
		return Process{}, err
	}
	if p.LocalSize, _, err = l.number(getenv, l.localSize, 1, size); err != nil {
		return Process{}, err
	}
	if n, found, err := l.number(getenv, l.localRank, 0, size-1); err != nil {
		return Process{}, err
	} else if found {
		p.LocalRank = n
	}
	if host, port := getenv(hostEnv), getenv(portEnv); host != "" && port != "" {
		n, _, err := l.number(getenv, portEnv, 1, 65535-l.port)
		if err != nil {
			return Process{}, err
		}
		p.Address = net.JoinHostPort(host, strconv.Itoa(n+l.port))
	}
	return p, nil
}

// number reads the first of several variables that is set.
func (l *launcher) number(getenv func(string) string, names string, least, most int) (n int, found bool, err error) {
	name, text := first(names, getenv)
	if text == "" {
		return 0, false, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, false, fmt.Errorf("%s=%q, which %s sets, is not a number from %d to %d", name, text, l.name, least, most)
	}
	return n, true, nil
}

// first gives the first of several variables that is set.
func first(names string, getenv func(string) string) (name, value string) {
	for _, name := range strings.Fields(names) {
		if v := getenv(name); v != "" {
			return name, v
		}
	}
	return "", ""
}
