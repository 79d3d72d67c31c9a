package toolchain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Command is a program to run.
type Command struct {
	Path string
	Args []string // without the program's name
	Dir  string
	Env  []string  // nil for ours
	Tee  io.Writer // gets the output too, while it comes; nil for nobody
	// Limit is how many bytes are kept of each output, 0 for all. A line says how much came after them.
	Limit int
}

// killWait is how long the children of a program that has ended, or was killed, may hold its pipes: on a busy machine the last of what it wrote
// takes seconds to come, too.
const killWait = 10 * time.Second

// Run runs a program in a process group of its own and gives what it wrote. When ctx ends, the whole group is killed and
// err is ctx's. Where the program fails, err holds an [*exec.ExitError].
func (c Command) Run(ctx context.Context) (stdout, stderr []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	out, errs := output{limit: c.Limit}, output{limit: c.Limit}
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = &out, &errs
	if c.Tee != nil {
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, c.Tee), io.MultiWriter(&errs, c.Tee)
	}
	OwnGroup(cmd)
	err = cmd.Run()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.Bytes(), errs.Bytes(), err
}

// OwnGroup puts a program that [exec.CommandContext] made into a process group of its own, and makes the end of its context
// kill all of that. Its children may then hold its pipes for a moment, no longer.
func OwnGroup(cmd *exec.Cmd) {
	cmd.WaitDelay = killWait
	ownGroup(cmd)
}

// output keeps the first bytes of what a program writes, and takes the rest, so that the program goes on.
type output struct {
	buf     bytes.Buffer
	limit   int
	dropped int64
}

func (o *output) Write(p []byte) (int, error) {
	kept := p
	if o.limit > 0 {
		kept = p[:min(len(p), o.limit-o.buf.Len())]
	}
	o.dropped += int64(len(p) - len(kept))
	o.buf.Write(kept)
	return len(p), nil
}

// Bytes is what was kept, and how much was not.
func (o *output) Bytes() []byte {
	if o.dropped > 0 {
		return fmt.Appendf(o.buf.Bytes(), "\n(%d more bytes)\n", o.dropped)
	}
	return o.buf.Bytes()
}
