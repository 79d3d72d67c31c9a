//go:build linux

package child_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/child"
)

// signalled sends this process a signal a little later, which it must not die of.
func signalled(t *testing.T, s syscall.Signal) {
	t.Helper()
	time.AfterFunc(100*time.Millisecond, func() { syscall.Kill(os.Getpid(), s) })
}

// hangups makes a hangup reach this process, also where it ignores that, as under nohup.
func hangups(t *testing.T) {
	t.Helper()
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(c) })
}

// TestRun: who ends a program, and how.
func TestRun(t *testing.T) {
	hangups(t)
	soon, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	gone, stop := context.WithCancel(t.Context())
	stop()
	for _, c := range []struct {
		name   string
		script string
		ctx    context.Context
		signal syscall.Signal // 0 for none
		quiet  bool           // an interrupt is not passed on
		asked  os.Signal
		want   string // in the error; "" for none
	}{
		{"right", "exit 0", t.Context(), 0, false, nil, ""},
		{"wrong", "exit 7", t.Context(), 0, false, nil, "exit status 7"},
		{"terminated", "exec sleep 60", t.Context(), syscall.SIGTERM, false, syscall.SIGTERM, "signal: terminated"},
		{"hangup", "trap 'exit 5' TERM; while :; do sleep 0.01; done", t.Context(), syscall.SIGHUP, false, syscall.SIGHUP, "exit status 5"},
		{"interrupted", "exec sleep 60", t.Context(), syscall.SIGINT, false, os.Interrupt, "signal: terminated"},
		{"goes on", "sleep 0.5; exit 3", t.Context(), syscall.SIGINT, true, nil, "exit status 3"},
		{"context", "trap 'exit 0' INT; while :; do sleep 0.01; done", soon, 0, false, nil, "context deadline exceeded"},
		{"gone", "exit 0", gone, 0, false, nil, "context canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.signal != 0 {
				signalled(t, c.signal)
			}
			asked, err := child.Command{Cmd: exec.Command("sh", "-c", c.script), Own: 200 * time.Millisecond, Interrupts: c.quiet}.Run(c.ctx)
			if asked != c.asked || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("signal %v, error %v, want %v and %q", asked, err, c.asked, c.want)
			}
		})
	}
	if _, err := (child.Command{Cmd: exec.Command("/nonexistent")}).Run(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestTogether: a program that ends by itself is not sent another signal.
func TestTogether(t *testing.T) {
	hangups(t)
	cmd := exec.Command("sh", "-c", "trap 'exit 9' TERM; kill -HUP $PPID; sleep 0.2; exit 6")
	asked, err := child.Command{Cmd: cmd, Own: time.Minute}.Run(t.Context())
	if asked != syscall.SIGHUP || cmd.ProcessState.ExitCode() != 6 {
		t.Errorf("signal %v, error %v, want that of the program", asked, err)
	}
}
