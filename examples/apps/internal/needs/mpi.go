package needs

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
)

// launchers has the families of MPI by the words of CUTILE_REQUIRE, what their launchers print as their version, and their names.
var launchers = []struct {
	word, sign string
	names      []string
}{
	{"openmpi", "Open MPI", []string{"mpirun.openmpi", "mpirun"}},
	{"mpich", "HYDRA", []string{"mpirun.mpich", "mpiexec.hydra", "mpirun"}},
}

// MPI runs a test for each family of MPI as a subtest, which is skipped where the family is not installed. job runs a program that starts itself
// with dist.Spawn, and returns what it printed and its code; a program that hangs fails the test.
func MPI(t *testing.T, test func(t *testing.T, family string, job func(env []string, program string, args ...string) (string, int))) {
	for _, l := range launchers {
		t.Run(l.word, func(t *testing.T) {
			for _, name := range l.names {
				path, err := exec.LookPath(name)
				if err != nil {
					continue
				}
				if out, _ := exec.Command(path, "--version").CombinedOutput(); strings.Contains(string(out), l.sign) {
					env := []string{"CUTILE_MPIRUN=" + path, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}
					test(t, l.word, func(more []string, program string, args ...string) (string, int) {
						t.Helper()
						return job(t, append(env, more...), program, args...)
					})
					return
				}
			}
			Missing(t, l.word, fmt.Sprintf("none of %v is the launcher of %s (Debian: openmpi-bin, mpich)", l.names, l.word))
		})
	}
}

func job(t *testing.T, env []string, program string, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its processes
	cmd.WaitDelay = 20 * time.Second
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("%v: %v, %v\n%s", args, err, ctx.Err(), &out)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}
