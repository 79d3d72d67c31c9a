package dist

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/child"
)

// The environment variables of Spawn: the launcher that it takes, and what it sets for the processes.
const (
	launcherEnv = "CUTILE_MPIRUN"
	spawnedEnv  = "CUTILE_SPAWNED"
)

// ownEnd is how long a launcher that may have received a signal itself has to end. Open MPI's takes a second.
const ownEnd = 3 * time.Second

// MaxSpawn is how many processes [Spawn] starts at most.
const MaxSpawn = 1024

// JobError is the error of a job that [Spawn] started and that ended with another code than 0, or by a signal. What the launcher and the processes
// wrote to standard error says more.
type JobError struct {
	Launcher  string // the launcher's path
	Processes int
	Code      int       // of the launcher; not 0
	Signal    os.Signal // which this process received, and which ended the job; nil for none
}

// Error says how the job ended.
func (e *JobError) Error() string {
	if e.Signal != nil {
		return fmt.Sprintf("dist: the job of %d processes was ended, as the process that started it received the signal %q", e.Processes, e.Signal)
	}
	text := fmt.Sprintf("dist: the job of %d processes ended with code %d", e.Processes, e.Code)
	if e.Code > 128 {
		text += fmt.Sprintf(", as when signal %d kills a process", e.Code-128)
	}
	return text + ": a process failed or was killed, and the launcher " + e.Launcher + " ended the others"
}

// Spawn starts this program again in n processes on this machine, with the same arguments, and waits until all have ended. So a program with a
// flag for the number of processes, at most [MaxSpawn], needs no launcher on its command line:
//
//	self, err := dist.Self()
//	...
//	if self.Launcher == "" && *ranks > 1 {
//		return dist.Spawn(ctx, *ranks)
//	}
//
// It takes mpirun or mpiexec of Open MPI or MPICH from PATH, or what CUTILE_MPIRUN names. The processes have the standard files of this one, and an
// equal share of the processors each, unless GOMAXPROCS is set. As root, Open MPI needs OMPI_ALLOW_RUN_AS_ROOT=1 and
// OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, which Spawn says. A job that does not end with code 0 is a [*JobError].
//
// If ctx ends, the launcher is interrupted, and ends the processes; after 20 seconds it is killed. An interrupt, SIGTERM or SIGHUP to this process
// ends the job, too: a terminal sends them to the launcher as well, and if that has not ended after three seconds, Spawn passes SIGTERM on. On Linux the job also ends
// when this process is killed. A process of a job cannot start another one.
func Spawn(ctx context.Context, n int) error {
	self, err := Self()
	if err != nil {
		return err
	}
	switch {
	case ctx == nil:
		return errors.New("dist: Spawn: the context is nil")
	case n < 1 || n > MaxSpawn:
		return fmt.Errorf("dist: Spawn: %d processes: expected 1 to %d", n, MaxSpawn)
	case self.Launcher != "":
		return fmt.Errorf("dist: Spawn: this is process %d of %d of %s already: join that job", self.Rank, self.Size, self.Launcher)
	case os.Getenv(spawnedEnv) != "":
		return fmt.Errorf("dist: Spawn: %s started this process, but did not say which one of its job it is: set %s to a launcher of Open MPI or MPICH",
			os.Getenv(spawnedEnv), launcherEnv)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("dist: Spawn: %w", err)
	}
	launcher, args, err := findLauncher(ctx)
	if err != nil {
		return fmt.Errorf("dist: Spawn: %w", err)
	}
	if err := startsAsRoot(ctx, launcher, args); err != nil {
		return fmt.Errorf("dist: Spawn: %w", err)
	}
	cmd := exec.Command(launcher, append(append(args, "-n", strconv.Itoa(n), program), os.Args[1:]...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), spawnedEnv+"="+launcher)
	if os.Getenv("GOMAXPROCS") == "" {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GOMAXPROCS=%d", max(runtime.NumCPU()/n, 1)))
	}
	asked, err := child.Command{Cmd: cmd, Own: ownEnd}.Run(ctx)
	var exit *exec.ExitError
	switch {
	case asked != nil && (err == nil || errors.As(err, &exit)):
		return &JobError{Launcher: launcher, Processes: n, Code: max(cmd.ProcessState.ExitCode(), 1), Signal: asked}
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return fmt.Errorf("dist: Spawn: the job was ended: %w", err)
	case errors.As(err, &exit):
		return &JobError{Launcher: launcher, Processes: n, Code: max(exit.ExitCode(), 1)}
	}
	return fmt.Errorf("dist: Spawn: %w", err)
}

// launchers matches what launchers say of themselves: those of Open MPI, of MPICH and what is made of it, and of Slurm.
var launchers = regexp.MustCompile(`(?i)mpi|openrte|prrte|hydra|slurm`)

// firstLine is the first line of what a program printed.
func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

// The variables that let Open MPI start processes as root.
const (
	rootEnv    = "OMPI_ALLOW_RUN_AS_ROOT"
	confirmEnv = "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"
)

// startsAsRoot gives the error of Open MPI that starts nothing as root. args are what findLauncher gives for Open MPI; none for another launcher.
// A script, or Open MPI's own settings, may allow it, so the launcher is asked.
func startsAsRoot(ctx context.Context, launcher string, args []string) error {
	if os.Geteuid() != 0 || args == nil || os.Getenv(rootEnv) == "1" && os.Getenv(confirmEnv) == "1" {
		return nil
	}
	out, err := exec.CommandContext(ctx, launcher, append(append([]string{}, args...), "-n", "1", "true")...).CombinedOutput()
	if err == nil || ctx.Err() != nil || !strings.Contains(string(out), "run as root") {
		return nil // the job itself says what is wrong
	}
	return fmt.Errorf("%s is of Open MPI, which starts no processes as root, the usual user of a container: set %s=1 and %s=1, or run the program as another user",
		launcher, rootEnv, confirmEnv)
}

// findLauncher finds a launcher, and the arguments that it needs to start more processes than there are processors.
func findLauncher(ctx context.Context) (path string, args []string, err error) {
	names := []string{"mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich"}
	if name := os.Getenv(launcherEnv); name != "" {
		names = []string{name}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, "--version").CombinedOutput()
		if err != nil {
			return "", nil, fmt.Errorf("%s --version: %w: %s", path, err, strings.TrimSpace(string(out)))
		}
		if !launchers.Match(out) {
			return "", nil, fmt.Errorf("%s --version says %q, and names no MPI: name a launcher of Open MPI or MPICH in %s", path, firstLine(out), launcherEnv)
		}
		if strings.Contains(string(out), "Open MPI") || strings.Contains(string(out), "OpenRTE") {
			args = []string{"--oversubscribe", "--bind-to", "none"}
		}
		return path, args, nil
	}
	if len(names) == 1 {
		return "", nil, fmt.Errorf("%s is %q, which is no program in PATH: name a launcher of Open MPI or MPICH", launcherEnv, names[0])
	}
	return "", nil, fmt.Errorf("none of %s is in PATH: install Open MPI or MPICH, name their launcher in %s, or start the program by a launcher", strings.Join(names, ", "), launcherEnv)
}
