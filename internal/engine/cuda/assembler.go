package cuda

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// Assembler makes cubins of Tile IR bytecode. Its methods may be called from several goroutines.
type Assembler interface {
	// Versions lists the bytecode versions that it reads, oldest first.
	Versions(ctx context.Context) ([]tileir.Version, error)
	// Assemble makes a cubin. An error of the code or of the tool is an [*AssemblyError].
	Assemble(ctx context.Context, job Job) ([]byte, error)
}

// Job is one module to assemble.
type Job struct {
	Bytecode []byte
	Version  tileir.Version // of Bytecode
	Target   string         // such as "sm_90"
	Module   *tileir.Module // what Bytecode holds
	Entry    *tileir.Entry  // the kernel that is wanted, for messages
}

// Tileiras is NVIDIA's assembler, run as a child process.
type Tileiras struct {
	Tool    toolchain.Tool
	Options []string // further options, such as "--opt-level=2"
}

// FindTileiras finds the installed tileiras, which is to note the lines of the source, so that profilers and debuggers show
// them. Where there is none, [errors.Is] finds [toolchain.ErrNotFound].
func FindTileiras() (*Tileiras, error) {
	tool, err := toolchain.Find(toolchain.Tileiras)
	if err != nil {
		return nil, err
	}
	return &Tileiras{Tool: tool, Options: []string{toolchain.LineInfo}}, nil
}

// Versions implements [Assembler].
func (t *Tileiras) Versions(ctx context.Context) ([]tileir.Version, error) {
	info, err := t.Tool.Info(ctx)
	return info.Bytecodes, err
}

// Assemble implements [Assembler]. When ctx ends, the process and its children are killed.
func (t *Tileiras) Assemble(ctx context.Context, job Job) ([]byte, error) {
	info, err := t.Tool.Info(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(info.Targets, job.Target) {
		return nil, &AssemblyError{Job: job, Tool: t.Tool, ToolVersion: info.Version, Reason: "does not know this GPU",
			Advice: "it knows " + strings.Join(info.Targets, ", ") + "; for a newer GPU update the toolchain (cutile toolchain install)"}
	}
	run := toolchain.Assembly{Tool: t.Tool, Input: job.Bytecode, Target: job.Target, Options: t.Options}
	if job.Entry != nil {
		run.Entries = []string{job.Entry.Name}
	}
	cubin, _, err := run.Run(ctx)
	var failed *toolchain.AssembleError
	if errors.As(err, &failed) {
		e := explain(job, info.Version, failed)
		e.Options = t.Options
		return nil, e
	}
	return cubin, err
}

// AssemblyError is a module that the assembler did not take, or an assembler that failed.
type AssemblyError struct {
	Job         Job
	Tool        toolchain.Tool
	ToolVersion string
	Reason      string // such as "failed (exit status 3)"
	Advice      string
	Output      string // what it printed
	Options     []string
	Bundle      string // the folder with the files to reproduce it; see CUTILE_DEBUG=bundle=FOLDER
	BundleErr   error  // why there is none, though it was asked for
	Err         error

	again bool // the same module would be refused again
}

// Error is the kernel's position, what failed with which versions, what to do, and the assembler's output.
func (e *AssemblyError) Error() string {
	var b strings.Builder
	name := "?"
	if e.Job.Entry != nil {
		name = e.Job.Entry.Name
		if l := e.Job.Entry.Loc; !l.IsZero() {
			fmt.Fprintf(&b, "%s:%d:%d: ", l.File, l.Line, l.Col)
		}
	}
	tool := strings.TrimSpace(e.Tool.Name + " " + e.ToolVersion)
	fmt.Fprintf(&b, "kernel %s: %s, making code for %s from bytecode %s, %s", name, tool, e.Job.Target, e.Job.Version, e.Reason)
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	b.WriteString(bundle.Words(e.Bundle, e.BundleErr))
	if e.Output != "" {
		b.WriteString(names.Output(e.Output))
	}
	return b.String()
}

// Where implements [engine.CompileError].
func (e *AssemblyError) Where() tileir.Loc {
	if e.Job.Entry == nil {
		return tileir.Loc{}
	}
	return e.Job.Entry.Loc
}

// Why implements [engine.CompileError].
func (e *AssemblyError) Why() string { return e.Reason }

// Folder implements [engine.Bundled].
func (e *AssemblyError) Folder() string { return e.Bundle }

// Unwrap is the error of the process.
func (e *AssemblyError) Unwrap() error { return e.Err }

const reportAdvice = "the module passed the verifier, so this is a bug of cuTile for Go or of the tool: save it with `cutile dump` and report it"

// complaints are the known messages of tileiras. Those about the machine say nothing about the module.
var complaints = []struct {
	words, advice string
	machine       bool
}{
	{"unsupported Tile IR bytecode version", "this tileiras is older than the bytecode: update the toolchain (cutile toolchain install), or ask for an older version", false},
	{"does not correspond to Tile IR bytecode", "the bytecode is broken: save it with `cutile dump` and report it", false},
	{"No space left on device", "the folder for temporary files is full: free some, or set TMPDIR", true},
	{"libnvvm", "the toolchain is incomplete: install it again (cutile toolchain install)", true},
	{"ptxas", "ptxas refused the output of tileiras: check that both come from the same release (cutile doctor); if they do, report it", true},
}

func explain(job Job, version string, failed *toolchain.AssembleError) *AssemblyError {
	e := &AssemblyError{Job: job, Tool: failed.Tool, ToolVersion: version, Reason: "failed (" + failed.Err.Error() + ")",
		Advice: reportAdvice, Output: failed.Output, Err: failed, again: failed.Exit > 0 && failed.Output != ""}
	for _, c := range complaints {
		if strings.Contains(failed.Output, c.words) {
			e.Advice, e.again = c.advice, e.again && !c.machine
			break
		}
	}
	return e
}
