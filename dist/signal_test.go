//go:build linux

package dist_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// placeEnv names the folder in which processes that stay write their numbers.
const placeEnv = "CUTILE_DIST_PLACE"

func init() { cases["stays"] = testCase{nil, (*rank).stays} }

// stays goes on until somebody ends it.
func (r *rank) stays() error {
	name := filepath.Join(os.Getenv(placeEnv), fmt.Sprint(os.Getpid()))
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		return err
	}
	time.Sleep(time.Hour)
	return nil
}

// TestSignals: a job does not outlive the process that started it, whether that alone gets a signal, or the launcher as well, as from a terminal.
func TestSignals(t *testing.T) {
	const said = `stays: dist: the job of 2 processes was ended, as the process that started it received the signal "%v"`
	// Where this process ignores a hangup, as under nohup, those that it starts would ignore it, too; of one that is handled they know nothing.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		for _, c := range []struct {
			signal syscall.Signal
			group  bool
		}{{syscall.SIGTERM, false}, {syscall.SIGHUP, false}, {syscall.SIGINT, false}, {syscall.SIGTERM, true}, {syscall.SIGHUP, true}, {syscall.SIGINT, true}, {syscall.SIGKILL, false}} {
			t.Run(fmt.Sprint(c.signal, c.group), func(t *testing.T) {
				t.Parallel() // they wait
				j := stay(t, l)
				j.signal(t, c.signal, c.group)
				out, code := j.wait(t)
				if want := fmt.Sprintf(said, c.signal); c.signal != syscall.SIGKILL && (code != 3 || !strings.Contains(out, want)) {
					t.Errorf("code %d, want %q\n%s", code, want, out)
				}
			})
		}
		t.Run("nohup", func(t *testing.T) {
			t.Parallel()
			j := stay(t, l, "nohup")
			j.signal(t, syscall.SIGHUP, false)
			time.Sleep(100 * time.Millisecond)
			j.signal(t, syscall.SIGTERM, false)
			if out, code := j.wait(t); code != 3 || !strings.Contains(out, fmt.Sprintf(said, syscall.SIGTERM)) {
				t.Errorf("code %d\n%s", code, out)
			}
		})
	})
}

// staying is a job of two processes that stay.
type staying struct {
	cmd   *exec.Cmd
	out   bytes.Buffer
	place string
	ended chan error
}

// stay starts such a job, by a program before it, if any, and waits until its processes are there.
func stay(t *testing.T, l *mpitest.Launcher, before ...string) *staying {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	j := &staying{place: t.TempDir(), ended: make(chan error, 1)}
	words := append(before, program)
	j.cmd = l.Command([]string{caseEnv + "=stays", placeEnv + "=" + j.place}, words[0], words[1:]...)
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	j.cmd.WaitDelay = time.Second // processes that are left hold the pipe
	j.cmd.Stdout, j.cmd.Stderr = &j.out, &j.out
	if err := j.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { j.ended <- j.cmd.Wait() }()
	t.Cleanup(func() {
		for _, f := range j.processes(t) {
			var pid int
			fmt.Sscan(f, &pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	for end := time.Now().Add(time.Minute); len(j.processes(t)) < 2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			j.cmd.Process.Kill()
			<-j.ended
			t.Fatalf("the processes do not start\n%s", &j.out)
		}
	}
	return j
}

// processes are those that have started and not ended.
func (j *staying) processes(t *testing.T) (all []string) {
	t.Helper()
	files, err := os.ReadDir(j.place)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		stat, err := os.ReadFile(filepath.Join("/proc", f.Name(), "stat"))
		if _, state, _ := strings.Cut(string(stat), ") "); err == nil && !strings.HasPrefix(state, "Z") {
			all = append(all, f.Name())
		}
	}
	return all
}

// signal sends a signal to the process that started the job, or to its group.
func (j *staying) signal(t *testing.T, s syscall.Signal, group bool) {
	t.Helper()
	pid := j.cmd.Process.Pid
	if group {
		pid = -pid
	}
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

// wait waits until the job has ended, and all of its processes have.
func (j *staying) wait(t *testing.T) (out string, code int) {
	t.Helper()
	select {
	case <-j.ended:
	case <-time.After(time.Minute):
		j.cmd.Process.Kill()
		<-j.ended
		t.Errorf("the process that started the job does not end")
	}
	for end := time.Now().Add(time.Minute); len(j.processes(t)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("processes are left: %v\n%s", j.processes(t), &j.out)
		}
	}
	return j.out.String(), j.cmd.ProcessState.ExitCode()
}
