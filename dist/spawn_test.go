package dist_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

func init() { cases["spawned"] = testCase{nil, (*rank).spawned} }

// spawned runs in the processes that a program has started of itself.
func (r *rank) spawned() error {
	if r.g.Size() != 2 || strings.Join(os.Args[1:], " ") != "some arguments" {
		return fmt.Errorf("the group is %v, the arguments %q", r.g, os.Args[1:])
	}
	err := dist.Spawn(r, 2)
	if want := fmt.Sprintf("dist: Spawn: this is process %d of 2 of ", r.g.Rank()); err == nil || !strings.HasPrefix(err.Error(), want) {
		return fmt.Errorf("error %v, want %s", err, want)
	}
	if err := r.g.Barrier(r); err != nil || os.Getenv("CUTILE_DIST_FAIL") == "" || r.g.Rank() == 0 {
		return err
	}
	os.Exit(7)
	return nil
}

// TestSpawn: a program starts itself in several processes, and learns how they ended.
func TestSpawn(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		out, code := l.Alone(t, []string{caseEnv + "=spawned"}, program, "some", "arguments")
		if code != 0 || strings.Count(out, "spawned is right") != 3 { // the processes, and the one that started them
			t.Errorf("code %d\n%s", code, out)
		}
		out, code = l.Alone(t, []string{caseEnv + "=spawned", "CUTILE_DIST_FAIL=1"}, program, "some", "arguments")
		// MPICH's launcher ends with the code of the process that failed or of one that it killed, whichever it sees first.
		want := regexp.MustCompile("spawned: dist: the job of 2 processes ended with code (7|9): a process failed or was killed, and the launcher /")
		if code != 3 || !want.MatchString(out) {
			t.Errorf("code %d, want %v\n%s", code, want, out)
		}
	})
}

// TestSpawnAsRoot: Open MPI starts nothing as root, and the error says what to set; a launcher that may do so starts the job.
func TestSpawnAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root", errors.New("the test runs as another user"))
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		for _, c := range []struct {
			env     []string
			refused bool
		}{
			{[]string{"OMPI_ALLOW_RUN_AS_ROOT=", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="}, l.Name == "openmpi"},
			{[]string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="}, l.Name == "openmpi"},
			{[]string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"}, false},
			{[]string{"OMPI_ALLOW_RUN_AS_ROOT=", "CUTILE_MPIRUN=" + allows(t, l)}, false},
		} {
			out, code := l.Alone(t, append(c.env, caseEnv+"=spawned"), program, "some", "arguments")
			const want = " is of Open MPI, which starts no processes as root, the usual user of a container: set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or run the program as another user"
			if c.refused && (code != 3 || !strings.Contains(out, want)) || !c.refused && (code != 0 || strings.Contains(out, want)) {
				t.Errorf("%q: code %d, refused: want %v\n%s", c.env, code, c.refused, out)
			}
		}
	})
}

// allows is a script that starts processes by a launcher, as root, too.
func allows(t *testing.T, l *mpitest.Launcher) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "launch")
	option := ""
	if l.Name == "openmpi" {
		option = "--allow-run-as-root"
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\nexec %s %s \"$@\"\n", l.Path(), option), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSpawnMistakes: a program that cannot start itself says why.
func TestSpawnMistakes(t *testing.T) {
	for _, c := range []struct {
		ctx  context.Context
		n    int
		env  map[string]string
		want string
	}{
		{nil, 2, nil, "dist: Spawn: the context is nil"},
		{t.Context(), 0, nil, "dist: Spawn: 0 processes: expected 1 to 1024"},
		{t.Context(), 1025, nil, "dist: Spawn: 1025 processes: expected 1 to 1024"},
		{t.Context(), 2, map[string]string{"PATH": "/nonexistent"}, "dist: Spawn: none of mpirun, mpiexec, mpirun.openmpi, mpirun.mpich is in PATH: install Open MPI or MPICH, name their launcher in CUTILE_MPIRUN, or start the program by a launcher"},
		{t.Context(), 2, map[string]string{"CUTILE_MPIRUN": "nompi"}, `dist: Spawn: CUTILE_MPIRUN is "nompi", which is no program in PATH: name a launcher of Open MPI or MPICH`},
		{t.Context(), 2, map[string]string{"CUTILE_MPIRUN": "false"}, "false --version: exit status 1: "},
		{t.Context(), 2, map[string]string{"CUTILE_MPIRUN": "cat"}, "names no MPI: name a launcher of Open MPI or MPICH in CUTILE_MPIRUN"},
		{t.Context(), 2, map[string]string{"CUTILE_SPAWNED": "/bin/mylaunch"}, "dist: Spawn: /bin/mylaunch started this process, but did not say which one of its job it is: set CUTILE_MPIRUN to a launcher of Open MPI or MPICH"},
	} {
		t.Run(c.want, func(t *testing.T) {
			for name, value := range c.env {
				t.Setenv(name, value)
			}
			if err := dist.Spawn(c.ctx, c.n); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
	if e := (&dist.JobError{Launcher: "mpirun", Processes: 2, Code: 137}); !strings.Contains(e.Error(), "code 137, as when signal 9 kills a process: ") || errors.Unwrap(e) != nil {
		t.Error(e)
	}
}
