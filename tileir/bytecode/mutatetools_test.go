package bytecode_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
)

// patience is how long a tool may take. An assembler that is busy for longer has read and checked its input long ago.
const patience = 20 * time.Second

// outcome is how a tool ended.
type outcome struct {
	ran    bool
	code   int // exit status; -1 for a crash
	busy   bool
	output string // of stdout where it accepts, else of both
}

// malformed is the exit status of tileiras and tileirdisasm for what they call no Tile IR bytecode. What tileiras cannot
// compile later, for whatever reason, ends with another.
const malformed = 3

func (o outcome) accepts() bool { return o.ran && (o.code == 0 || o.busy) }

// runTool gives a file to a tool.
func runTool(tool string, args ...string) outcome {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool, args...)
	out, err := cmd.Output()
	o := outcome{ran: true, output: string(out), busy: ctx.Err() != nil}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		o.code, o.output = exit.ExitCode(), o.output+string(exit.Stderr)
	case err != nil:
		o.code, o.output = -1, err.Error()
	}
	return o
}

// debug reports whether the text is compared with or without places.
func (r *trial) debug() bool { return r.number%2 == 1 }

// ask gives a trial that could be written to tileirdisasm, and what that takes to tileiras.
func (r *trial) ask(t *testing.T, dis, asm, path string) {
	if r.write != nil {
		return
	}
	if err := os.WriteFile(path, r.data, 0o644); err != nil {
		t.Error(err)
		return
	}
	args := []string{path}
	if r.debug() {
		args = append(args, "-g")
	}
	if r.dis = runTool(dis, args...); r.dis.accepts() {
		r.asm = runTool(asm, "-O0", "--gpu-name="+r.arch, "-o", path+".cubin", path)
	}
}
