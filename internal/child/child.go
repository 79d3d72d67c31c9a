// Package child runs a program that must not outlive this one, such as the launcher of a job: it ends when this program is asked to end, and
// on Linux also when this program is killed.
package child

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// patience is how long a program that was asked to end may take, before it is killed. moment is how long after the end of a context, or of a program
// that failed, a signal may come that ended it.
const (
	patience = 20 * time.Second
	moment   = 100 * time.Millisecond
)

// Command is a program that is run.
type Command struct {
	*exec.Cmd
	// Own is how long the program has to end by itself after a signal to this process: a terminal sends signals to both, and Open MPI's mpirun
	// ends at a second one without having ended its processes. SIGTERM is passed on then.
	Own time.Duration
	// Interrupts says that an interrupt is not passed on: the program has it from the terminal, and may go on.
	Interrupts bool
}

// Run starts the program and waits until it has ended. asked is the signal to this process that has asked it to end; nil for none. If ctx ends
// first, the program is interrupted, and the error is that of ctx. Signals that this process ignores, as SIGHUP under nohup, stay ignored.
func (c Command) Run(ctx context.Context) (asked os.Signal, err error) {
	runtime.LockOSThread() // the kernel takes the end of the thread that starts the program for the end of this process
	defer runtime.UnlockOSThread()
	bind(c.Cmd)
	received := make(chan os.Signal, len(signals))
	for _, s := range signals {
		if !signal.Ignored(s) {
			signal.Notify(received, s)
		}
	}
	defer signal.Stop(received)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	ended, watched := make(chan struct{}), make(chan reason)
	go func() { watched <- c.watch(ctx, received, ended) }()
	err = c.Wait()
	close(ended)
	why := <-watched
	if err != nil && why == (reason{}) { // a signal to both may have ended the program first
		select {
		case s := <-received:
			why.asked = s
		case <-time.After(moment):
		}
	}
	if why.err != nil {
		err = why.err
	}
	return why.asked, err
}

// reason is why a program was to end, if for a reason.
type reason struct {
	asked os.Signal
	err   error // of the context
}

// watch ends the program if it is to end.
func (c Command) watch(ctx context.Context, received <-chan os.Signal, ended <-chan struct{}) reason {
	given := ctx.Done()
	for {
		select {
		case <-ended:
			return reason{}
		case s := <-received:
			if s != os.Interrupt || !c.Interrupts {
				return c.asked(s, ended)
			}
		case <-given:
			given = nil
			select {
			case s := <-received: // which has ended ctx
				return c.asked(s, ended)
			case <-ended:
			case <-time.After(moment):
				c.end(os.Interrupt, ended)
			}
			return reason{err: ctx.Err()}
		}
	}
}

// asked ends the program for a signal.
func (c Command) asked(s os.Signal, ended <-chan struct{}) reason {
	select {
	case <-ended:
	case <-time.After(c.Own):
		c.end(syscall.SIGTERM, ended)
	}
	return reason{asked: s}
}

// end sends a signal, and kills the program if that does not end it.
func (c Command) end(s os.Signal, ended <-chan struct{}) {
	if c.Process.Signal(s) != nil { // there are no signals on Windows
		c.Process.Kill()
	}
	select {
	case <-ended:
	case <-time.After(patience):
		c.Process.Kill()
	}
}
