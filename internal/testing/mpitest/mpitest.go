// Package mpitest runs test programs in several processes, with the launchers of both families of MPI.
package mpitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// Launcher is an installed mpirun.
type Launcher struct {
	Name  string // as CUTILE_REQUIRE has it
	Polls bool   // who waits never gives its processor to others

	path string
	args []string
	env  []string
	sign string // in what --version prints
	try  []string
}

var launchers = []Launcher{
	{Name: "openmpi", sign: "Open MPI", try: []string{"mpirun.openmpi", "mpirun"}, args: []string{"--oversubscribe"},
		env: []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}},
	{Name: "mpich", Polls: true, sign: "HYDRA", try: []string{"mpirun.mpich", "mpiexec.hydra", "mpirun"}},
}

// Path is where the launcher is.
func (l *Launcher) Path() string { return l.path }

// Each runs a test for each family as a subtest, which is skipped where the family is not installed: CUTILE_REQUIRE calls them
// "openmpi" and "mpich".
func Each(t *testing.T, test func(t *testing.T, l *Launcher)) {
	for i := range launchers {
		t.Run(launchers[i].Name, func(t *testing.T) {
			l := launchers[i]
			if testenv.Few() && i > 0 {
				t.Skip("what goroutines share does not depend on the family, and the first one has run")
			}
			if !l.find() {
				testenv.Missing(t, l.Name, fmt.Errorf("none of %v is its launcher (Debian: openmpi-bin, mpich)", l.try))
			}
			test(t, &l)
		})
	}
}

// Installed gives the launchers that are installed.
func Installed() (all []*Launcher) {
	for _, l := range launchers {
		if l.find() {
			all = append(all, &l)
		}
	}
	return all
}

// find looks for the launcher.
func (l *Launcher) find() bool {
	for _, name := range l.try {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if out, _ := exec.Command(path, "--version").CombinedOutput(); strings.Contains(string(out), l.sign) {
			l.path = path
			return true
		}
	}
	return false
}

// patience is how long a job may take: it is there so that a job that hangs fails, not to measure.
func patience(t testing.TB) time.Duration {
	if _, benchmark := t.(*testing.B); benchmark {
		return 15 * time.Minute
	}
	return 5 * time.Minute
}

// Run runs a program in n processes, with variables such as "NAME=value" beside those of the test. It returns what they printed
// and the launcher's exit code. A job that hangs fails the test.
func (l *Launcher) Run(t testing.TB, n int, env []string, program string, args ...string) (output string, code int) {
	t.Helper()
	all := append(append([]string{}, l.args...), "-n", fmt.Sprint(n), program)
	return l.run(t, env, l.path, append(all, args...)...)
}

// Alone runs a program that starts itself in several processes by dist.Spawn, which takes this launcher.
func (l *Launcher) Alone(t testing.TB, env []string, program string, args ...string) (output string, code int) {
	t.Helper()
	return l.run(t, append([]string{"CUTILE_MPIRUN=" + l.path}, env...), program, args...)
}

// Command is a program that starts itself in several processes by dist.Spawn, which takes this launcher. It is to be started, and killed if it
// hangs, by the caller.
func (l *Launcher) Command(env []string, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = append(append(append(os.Environ(), l.env...), "CUTILE_MPIRUN="+l.path), env...)
	return cmd
}

func (l *Launcher) run(t testing.TB, env []string, program string, args ...string) (output string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience(t))
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the launcher ends its processes
	cmd.WaitDelay = 20 * time.Second
	cmd.Env = append(append(os.Environ(), l.env...), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s %v: %v after %v; it printed:\n%s", program, args, err, patience(t), &out)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}
