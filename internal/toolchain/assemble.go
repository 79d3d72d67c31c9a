package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// AssembleError is a tileiras that refused a module or failed.
type AssembleError struct {
	Tool   Tool
	Args   []string
	Exit   int    // -1 where a signal ended it
	Output string // its own words
	Err    error
}

// Error is the program, how it ended, and its words.
func (e *AssembleError) Error() string {
	s := fmt.Sprintf("%s: %v", e.Tool.Path, e.Err)
	if e.Output != "" {
		s += "\n\t" + strings.ReplaceAll(e.Output, "\n", "\n\t")
	}
	return s
}

// Unwrap is the [*exec.ExitError], where the program ran.
func (e *AssembleError) Unwrap() error { return e.Err }

// LineInfo is the option of tileiras with which the cubin says what line of the source an instruction belongs to.
const LineInfo = "--lineinfo"

// Assemble runs tileiras on a module for a target such as "sm_90" and gives the cubin. Its temporary files, which it
// leaves where it is killed, lie in a folder that is removed. Errors are an [*AssembleError], or ctx's.
func Assemble(ctx context.Context, tool Tool, module []byte, target string, options ...string) ([]byte, error) {
	cubin, _, err := AssembleWithOutput(ctx, tool, module, target, options...)
	return cubin, err
}

// AssembleWithOutput is [Assemble], and gives what tileiras prints as well, such as the remarks of --remarks=all.
func AssembleWithOutput(ctx context.Context, tool Tool, module []byte, target string, options ...string) (cubin []byte, output string, err error) {
	dir, err := os.MkdirTemp("", "cutile-")
	if err != nil {
		return nil, "", fmt.Errorf("tileiras: %w", err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "kernel.tileirbc"), filepath.Join(dir, "kernel.cubin")
	if err := os.WriteFile(in, module, 0o600); err != nil {
		return nil, "", fmt.Errorf("tileiras: %w", err)
	}
	args := append([]string{"--gpu-name=" + target, "-o", out}, options...)
	args = append(args, in)
	env := append(childEnv(tool.Path), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
	stdout, stderr, err := Command{Path: tool.Path, Args: args, Env: env}.Run(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, "", err
		}
		e := &AssembleError{Tool: tool, Args: args, Exit: -1, Output: strings.TrimSpace(string(stderr) + string(stdout)), Err: err}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			e.Exit = exit.ExitCode()
		}
		return nil, "", e
	}
	if cubin, err = os.ReadFile(out); err != nil {
		return nil, "", &AssembleError{Tool: tool, Args: args, Err: fmt.Errorf("it wrote no cubin: %w", err), Output: strings.TrimSpace(string(stderr))}
	}
	return cubin, string(stdout) + string(stderr), nil
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
