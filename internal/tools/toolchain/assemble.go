package toolchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// AssembleError is an assembler that refused a module or failed.
type AssembleError struct {
	Tool   Tool
	Args   []string
	Exit   int    // -1 where it did not fail by itself: a signal ended it, or its result is none
	Output string // what the program printed
	Err    error
}

// Error is the program, how it ended, and its output.
func (e *AssembleError) Error() string {
	s := fmt.Sprintf("%s: %v", e.Tool.Path, e.Err)
	if e.Output != "" {
		s += names.Output(e.Output)
	}
	return s
}

// Unwrap is the [*exec.ExitError], where the program failed.
func (e *AssembleError) Unwrap() error { return e.Err }

// LineInfo is the option of tileiras with which the cubin says what line of the source an instruction belongs to.
const LineInfo = "--lineinfo"

// Assembly is one run of an assembler.
type Assembly struct {
	Tool    Tool          // tileiras or ptxas
	Input   []byte        // bytecode for tileiras, PTX for ptxas
	Target  string        // such as "sm_90"
	Options []string      // further ones
	Entries []string      // the kernels that the cubin must have
	Limit   time.Duration // of the run; 0 for what TimeoutEnv says
}

// inputNames are the assemblers' kinds of input, which they know by the file's name.
var inputNames = map[string]string{Tileiras: "kernel.tileirbc", Ptxas: "module.ptx"}

// TimeoutEnv is how long an assembler may take, such as "90s" or "1h"; 0 for as long as it wants, ten minutes by default.
const TimeoutEnv = "CUTILE_ASSEMBLE_TIMEOUT"

const (
	defaultTimeout = 10 * time.Minute
	maxOutput      = 1 << 20 // bytes that are kept of each of a program's two outputs
	maxCubin       = 1 << 30
)

// Assemble runs tileiras on a module for a target such as "sm_90" and returns the cubin.
func Assemble(ctx context.Context, tool Tool, module []byte, target string, options ...string) ([]byte, error) {
	cubin, _, err := Assembly{Tool: tool, Input: module, Target: target, Options: options}.Run(ctx)
	return cubin, err
}

// Run gives the cubin, and what the assembler prints, such as the remarks of --remarks=all. The cubin is one by
// [CheckCubin]. Temporary files, which the assembler leaves where it is killed, lie in a folder that is removed. Errors are
// an [*AssembleError], or ctx's.
func (a Assembly) Run(ctx context.Context) (cubin []byte, output string, err error) {
	limit, err := assembleTimeout()
	if err != nil {
		return nil, "", err
	}
	limit = cmp.Or(a.Limit, limit)
	dir, err := os.MkdirTemp("", "cutile-")
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", a.Tool.Name, err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, cmp.Or(inputNames[a.Tool.Name], "input")), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(in, a.Input, 0o600); err != nil {
		return nil, "", fmt.Errorf("%s: %w", a.Tool.Name, err)
	}
	args := append([]string{"--gpu-name=" + a.Target, "-o", out}, a.Options...)
	args = append(args, in)
	env := append(childEnv(a.Tool.Path), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
	slow := fmt.Errorf("it took longer than %v and was killed; %s sets the limit", limit, TimeoutEnv)
	work, cancel := context.WithTimeoutCause(ctx, cmp.Or(limit, forever), slow)
	defer cancel()
	stdout, stderr, err := Command{Path: a.Tool.Path, Args: args, Env: env, Limit: maxOutput}.Run(work)
	if err != nil && ctx.Err() != nil {
		return nil, "", err
	}
	said := string(stderr) + string(stdout)
	if err == nil {
		if cubin, err = store.ReadFile(out, maxCubin); err != nil {
			err = fmt.Errorf("it wrote no cubin: %w", err)
		} else {
			err = CheckCubin(cubin, a.Target, a.Entries...)
		}
		if err == nil {
			return cubin, said, nil
		}
	}
	e := &AssembleError{Tool: a.Tool, Args: args, Exit: -1, Output: strings.TrimSpace(said), Err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		e.Exit = exit.ExitCode()
	}
	return nil, "", e
}

const forever = 1 << 62 * time.Nanosecond

func assembleTimeout() (time.Duration, error) {
	text := os.Getenv(TimeoutEnv)
	if text == "" {
		return defaultTimeout, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%s=%q: want a duration such as 90s, 0 for no end", TimeoutEnv, text)
	}
	return d, nil
}

// toolkitEnv are the variables that make tileiras take ptxas and libnvvm from another toolkit than its own. One that is
// empty or names an older toolkit makes it fail without a reason.
var toolkitEnv = []string{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"}

// childEnv is our environment without those variables, where the tool has a ptxas of its own beside it.
func childEnv(tool string) []string {
	if path, err := filepath.EvalSymlinks(tool); err == nil {
		tool = path
	}
	own := isProgram(filepath.Join(filepath.Dir(tool), Ptxas+exeSuffix))
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return (own || value == "") && slices.Contains(toolkitEnv, name)
	})
}
