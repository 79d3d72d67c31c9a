package reduce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// Crashing is a test of which modules are interesting with which an assembler fails as it does with the first one: by the same signal, with
// the same exit status and the same first line of output but for numbers and names, without an end within the time, or with a result that is
// no cubin.
type Crashing struct {
	Tool    toolchain.Tool
	Version tileir.Version // of the bytecode
	Target  string         // such as sm_90
	Options []string
	Limit   time.Duration // of a run; 0 for that of [toolchain.TimeoutEnv]

	failure string // of the first module
}

// Test is the [Test].
func (c *Crashing) Test(ctx context.Context, m *tileir.Module) (bool, error) {
	code, err := bytecode.Write(m, c.Version, bytecode.Options{})
	if err != nil {
		return false, err
	}
	run := toolchain.Assembly{Tool: c.Tool, Input: code, Target: c.Target, Options: c.Options, Limit: c.Limit}
	for _, e := range m.Entries {
		run.Entries = append(run.Entries, e.Name)
	}
	_, _, err = run.Run(ctx)
	var failed *toolchain.AssembleError
	switch {
	case err == nil:
		return false, nil
	case !errors.As(err, &failed):
		return false, err
	}
	failure := kind(failed)
	if c.failure == "" {
		c.failure = failure
	}
	return failure == c.failure, nil
}

// Failure says how the assembler fails with the first module; "" if it does not.
func (c *Crashing) Failure() string { return c.failure }

// varying is what differs in messages about the same fault: numbers, and names in quotes.
var varying = regexp.MustCompile(`0x[0-9a-fA-F]+|\d+|'[^']*'|"[^"]*"|` + "`[^`]*`")

// kind is how an assembler failed.
func kind(failed *toolchain.AssembleError) string {
	text := failed.Err.Error()
	if failed.Exit > 0 {
		line, _, _ := strings.Cut(failed.Output, "\n")
		text += ": " + line
	}
	if failed.Exit > 0 {
		status, words, _ := strings.Cut(text, ": ")
		return status + ": " + varying.ReplaceAllString(words, "_")
	}
	return varying.ReplaceAllString(text, "_")
}

// Command is a test of which modules are interesting for which a command ends with the status 0. The name of a file with the module as text
// is its last argument; beside it lies one with bytecode, whose name ends in bc.
type Command struct {
	Words   []string // the program and its arguments
	Version tileir.Version
	Limit   time.Duration // after which the command is killed, which is not interesting; 0 for none
}

// Test is the [Test].
func (c *Command) Test(ctx context.Context, m *tileir.Module) (interesting bool, err error) {
	dir, err := os.MkdirTemp("", "cutile-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	code, err := bytecode.Write(m, c.Version, bytecode.Options{})
	if err != nil {
		return false, err
	}
	file := filepath.Join(dir, "module.tileir")
	if err := errors.Join(os.WriteFile(file, []byte(text.Sprint(m)), 0o600), os.WriteFile(file+"bc", code, 0o600)); err != nil {
		return false, err
	}
	if c.Limit > 0 {
		within, cancel := context.WithTimeout(ctx, c.Limit)
		defer cancel()
		ctx = within
	}
	words := append(c.Words[1:len(c.Words):len(c.Words)], file)
	_, _, err = toolchain.Command{Path: c.Words[0], Args: words, Limit: 1 << 16}.Run(ctx)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &exit) || errors.Is(err, context.DeadlineExceeded):
		return false, nil
	}
	return false, fmt.Errorf("%s: %w", c.Words[0], err)
}

// Words splits a command line at blanks.
func Words(line string) ([]string, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil, toolbox.Usagef("-test: want a program, with arguments if it takes some")
	}
	return words, nil
}
