package toolchain

import (
	"bytes"
	"context"
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
}

// killWait is how long a killed program's children may hold its pipes.
const killWait = 2 * time.Second

// Run runs a program in a process group of its own and gives what it wrote. When ctx ends, the whole group is killed and
// err is ctx's. Where the program fails, err holds an [*exec.ExitError].
func (c Command) Run(ctx context.Context) (stdout, stderr []byte, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, context.Cause(ctx)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdout, cmd.Stderr = &out, &errs
	if c.Tee != nil {
		cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, c.Tee), io.MultiWriter(&errs, c.Tee)
	}
	cmd.WaitDelay = killWait
	ownGroup(cmd)
	err = cmd.Run()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.Bytes(), errs.Bytes(), err
}
