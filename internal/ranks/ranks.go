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
	step       bool // it is srun: its variables count in a step that it has started
	pod        bool // each process has a machine to itself, as a container is
	port       int  // that is added to the port of rank 0

	mpi    mpi.Family
	hasMPI bool
	advice string
}

// The variables that name the machine and port of rank 0. torchrun sets them; people set them elsewhere. torchrun itself listens at the port,
// so the next one is taken there.
const hostEnv, portEnv = "MASTER_ADDR", "MASTER_PORT"

// The launchers, and RANK with WORLD_SIZE, which people set.
var (
	torchrun = launcher{name: "torchrun", sign: "TORCHELASTIC_RUN_ID", rank: "RANK", size: "WORLD_SIZE", localRank: "LOCAL_RANK", localSize: "LOCAL_WORLD_SIZE", port: 1,
		advice: "start it with mpirun instead of torchrun"}
	openMPI = launcher{name: "mpirun of Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE",
		localRank: "OMPI_COMM_WORLD_LOCAL_RANK", localSize: "OMPI_COMM_WORLD_LOCAL_SIZE", mpi: mpi.OpenMPI, hasMPI: true}
	mpich = launcher{name: "mpiexec of MPICH", rank: "PMI_RANK", size: "PMI_SIZE", localRank: "MPI_LOCALRANKID SLURM_LOCALID", localSize: "MPI_LOCALNRANKS",
		mpi: mpi.MPICH, hasMPI: true}
	srunPMIx = launcher{name: "srun --mpi=pmix", sign: "PMIX_RANK", rank: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS", localRank: "SLURM_LOCALID", step: true,
		mpi: mpi.OpenMPI, hasMPI: true}
	srun = launcher{name: "srun", rank: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS", localRank: "SLURM_LOCALID", step: true,
		advice: "start it with srun --mpi=pmix, srun --mpi=pmi2 or mpirun"}
	byHand = launcher{name: "RANK and WORLD_SIZE", rank: "RANK", size: "WORLD_SIZE", localRank: "LOCAL_RANK", localSize: "LOCAL_WORLD_SIZE",
		advice: "start it with mpirun, or unset RANK for a single process"}
	kubernetes = launcher{name: "an indexed job of Kubernetes", rank: "JOB_COMPLETION_INDEX", size: "WORLD_SIZE", pod: true,
		advice: "start it with mpirun, as Kubeflow's MPI operator does"}
)

// launchers has the launchers; the first whose variables are set counts. A process has the variables of all that started one another, and the
// one that started the program itself must come first:
//   - torchrun, which sets TORCHELASTIC_RUN_ID for what it starts alone. srun or mpirun starts it on each machine. Inside of its processes
//     nobody starts jobs of several; [clash] refuses what looks like that.
//   - mpirun and mpiexec, which run inside of steps and scripts of Slurm, and in pods;
//   - srun;
//   - RANK and WORLD_SIZE, which people set for processes that they start in steps or pods, or beside what a launcher says, so that they must
//     agree with a launcher that comes before;
//   - Kubernetes, as pods are started first.
var launchers = []*launcher{&torchrun, &openMPI, &mpich, &srunPMIx, &srun, &byHand, &kubernetes}

// Find asks the environment. Without a launcher it gives the only process of a job of one.
func Find(getenv func(string) string) (Process, error) {
	for i, l := range launchers {
		if !l.started(getenv) {
			continue
		}
		p, err := l.process(getenv)
		for _, outer := range launchers[i+1:] {
			if err == nil && outer.started(getenv) {
				err = clash(getenv, l, outer, p)
			}
		}
		if err != nil {
			return Process{}, err
		}
		return p, nil
	}
	return Process{Size: 1, LocalSize: 1}, nil
}

// started reports whether the variables are set.
func (l *launcher) started(getenv func(string) string) bool {
	return getenv(l.rank) != "" && (l.sign == "" || getenv(l.sign) != "") && (!l.step || inStep(getenv))
}

// firstSpecialStep is SLURM_MAX_NORMAL_STEP_ID: the steps from here on are shells and scripts, such as the shell of salloc.
const firstSpecialStep = 0xfffffff0

// inStep reports whether srun has started this process, or a shell. A script that sbatch runs has SLURM_PROCID and SLURM_NTASKS, too, though it
// alone was started: only srun sets the variables of a step.
func inStep(getenv func(string) string) bool {
	if id, err := strconv.ParseUint(getenv("SLURM_STEP_ID"), 10, 32); getenv("SLURM_STEP_ID") != "" && (err != nil || id >= firstSpecialStep) {
		return false
	}
	return getenv("SLURM_STEP_NUM_TASKS") != ""
}

// clash refuses variables of two launchers that cannot be told apart, or contradict each other: p is what inner says.
func clash(getenv func(string) string, inner, outer *launcher, p Process) error {
	switch {
	case inner == &torchrun && outer != &byHand && outer != &kubernetes:
		// torchrun is started once on a machine. More processes of the other there were started by it, inside of one of torchrun.
		o, err := outer.process(getenv)
		if err == nil && (o.LocalRank > 0 || o.LocalSize > 1) {
			return fmt.Errorf("%s and %s set the variables of this process, but which of them started it cannot be told, as %s has several processes on this machine: "+
				"start one torchrun on each machine, or unset %s for what %s starts", inner.name, outer.name, outer.name, inner.sign, outer.name)
		}
	case inner == &openMPI && outer == &mpich && getenv("MPI_LOCALRANKID") != "":
		return fmt.Errorf("%s and %s set the variables of this process, but which of them started it cannot be told: unset %s or %s, whichever is not of its launcher",
			inner.name, outer.name, inner.rank, outer.rank)
	case outer == &byHand && inner != &torchrun && getenv(byHand.size) != "":
		o, err := outer.process(getenv)
		if err == nil && (o.Rank != p.Rank || o.Size != p.Size) {
			err = fmt.Errorf("%s says that this is process %d of %d, but RANK and WORLD_SIZE say %d of %d: unset RANK, or else %s if each process has a RANK of its own",
				inner.name, p.Rank, p.Size, o.Rank, o.Size, inner.rank)
		}
		return err
	}
	return nil
}

// process reads what a launcher says.
func (l *launcher) process(getenv func(string) string) (Process, error) {
	p := Process{Launcher: l.name, LocalRank: -1, MPI: l.mpi, HasMPI: l.hasMPI, Advice: l.advice}
	if l.pod {
		p.LocalRank, p.LocalSize = 0, 1
	}
	size, found, err := l.number(getenv, l.size, 1, math.MaxInt32)
	if err == nil && !found {
		err = fmt.Errorf("%s started this process (%s is set), but %s is not set: set it to the number of processes",
			l.name, l.rank, l.size)
	}
	if err != nil {
		return Process{}, err
	}
	p.Size = size
	if p.Rank, _, err = l.number(getenv, l.rank, 0, size-1); err != nil {
		return Process{}, err
	}
	if n, found, err := l.number(getenv, l.localSize, 1, size); err != nil {
		return Process{}, err
	} else if found {
		p.LocalSize = n
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
