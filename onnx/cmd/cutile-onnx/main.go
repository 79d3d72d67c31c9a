// Command cutile-onnx shows what package onnx makes of a model: whether it can run it, the kernels that it becomes, and how long they
// take.
//
//	cutile-onnx check model.onnx
//	cutile-onnx dump -shape x=1x3x224x224 -stage fused,cost model.onnx
//	cutile-onnx profile -shape x=1x3x224x224 model.onnx
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/cutile-go/cutile/onnx"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for could not be done
	exitUsage  = 2 // the command line is wrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command is one of the things to do with a model.
type command struct {
	name, short, long string
	do                func(ctx context.Context, w io.Writer, m *onnx.Model, o *options) error
	flags             []string // that it has
}

var commands = []command{
	{"check", "say whether a model can run: its inputs, outputs and operators", checkHelp, check, []string{"shape", "known"}},
	{"dump", "show what a model becomes for inputs of given shapes", dumpHelp, dump, []string{"shape", "known", "stage"}},
	{"profile", "measure the kernels of a model for inputs of given shapes", profileHelp, profile, []string{"shape", "known", "device", "runs"}},
}

const shapesHelp = `
A graph is made for fixed shapes. -shape gives those that the model leaves open; a scalar has no extents, as in -shape x=.
-known gives the elements of an input that decides on shapes or on what is computed, such as a number of steps; other
inputs are zeros.
`

// usageError is a wrong command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// run runs a command line and gives the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := bufio.NewWriter(printable{stdout})
	stderr = printable{stderr}
	path, err := dispatch(ctx, args, out)
	if flushed := out.Flush(); err == nil && flushed != nil {
		err = fmt.Errorf("the output cannot be written: %w", flushed)
	}
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		err = errors.New("interrupted")
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "%s: %v; see `%s`\n", path, err, strings.Replace(path, "cutile-onnx", "cutile-onnx help", 1))
		return exitUsage
	}
	fmt.Fprintf(stderr, "%s: %v\n", path, err)
	return exitFailed
}

// printable writes control characters, which names in a model may have, as text, so that a terminal does not obey them.
type printable struct{ w io.Writer }

func (p printable) Write(b []byte) (int, error) {
	var text []byte
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			text = fmt.Appendf(text, "\\x%02x", c)
		} else {
			text = append(text, c)
		}
	}
	if _, err := p.w.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// dispatch finds the command and runs it. path is its name, for messages.
func dispatch(ctx context.Context, args []string, w io.Writer) (path string, err error) {
	path = "cutile-onnx"
	if len(args) == 0 {
		return path, usagef("no command is given")
	}
	name, args := args[0], args[1:]
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		return path, help(w, args)
	}
	c := find(name)
	if c == nil {
		return path, usagef("there is no command %q", name)
	}
	path += " " + name
	fs, o := c.flagSet()
	files, err := parse(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return path, c.help(w)
	case err != nil:
		return path, usageError(err.Error())
	case len(files) != 1:
		return path, usagef("want one file, got %d", len(files))
	}
	m, err := onnx.ReadFile(files[0])
	if err != nil {
		return path, err
	}
	o.file = files[0]
	return path, c.do(ctx, w, m, o)
}

func find(name string) *command {
	for i := range commands {
		if commands[i].name == name {
			return &commands[i]
		}
	}
	return nil
}

// parse reads flags, which may also stand between and behind the other arguments.
func parse(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		if args = fs.Args(); len(args) == 0 {
			return rest, nil
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

// help explains the program, or a command.
func help(w io.Writer, args []string) error {
	if len(args) > 0 {
		if c := find(args[0]); c != nil {
			return c.help(w)
		}
		return usagef("there is no command %q", args[0])
	}
	fmt.Fprint(w, "usage: cutile-onnx COMMAND\n\nShow what cuTile for Go makes of ONNX models.\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-8s %s\n", c.name, c.short)
	}
	_, err := fmt.Fprint(w, "\n`cutile-onnx help COMMAND` says more.\n")
	return err
}

func (c *command) help(w io.Writer) error {
	fmt.Fprintf(w, "usage: cutile-onnx %s [flags] FILE\n\n%s%s.\n\n%s\n\nflags:\n", c.name, strings.ToUpper(c.short[:1]), c.short[1:], strings.TrimSpace(c.long))
	fs, _ := c.flagSet()
	fs.SetOutput(w)
	fs.PrintDefaults()
	return nil
}
