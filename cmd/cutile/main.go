// Command cutile is the toolbox of cuTile for Go: it shows what the compiler makes of a kernel; reads, writes, checks,
// compares, runs and counts Tile IR of any origin; and says and installs what GPUs need. docs/command.md describes it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	rdebug "runtime/debug"
	"strings"
	"text/tabwriter"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // what was asked for could not be done
	exitUsage  = 2 // the command line is wrong
)

func main() {
	vetTool(os.Args[1:])
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// command is one row of the table of commands: a group of others where sub is not nil.
type command struct {
	name  string
	args  string // what follows the flags, for the usage line
	short string // one line
	long  string
	setup func(fs *flag.FlagSet) action
	sub   []*command

	verbatim bool // flags behind the first argument are arguments, as those of another command

	failed int // the exit code where it could not do its work, 0 for exitFailed
}

// action does a command's work; args is what stands beside the flags.
type action func(c *call, args []string) error

// call is one run of a command.
type call struct {
	ctx      context.Context
	in       io.Reader
	out, err io.Writer
}

// exitError ends a command with its own exit code, after the command has printed its message.
type exitError struct{ code int }

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", e.code) }

// one gives the only argument of a command, which is a file or the like.
func one(what string, args []string) (string, error) {
	if len(args) != 1 {
		return "", toolbox.Usagef("want one %s, got %d", what, len(args))
	}
	return args[0], nil
}

// none refuses arguments, for a command that takes flags alone.
func none(args []string) error {
	if len(args) > 0 {
		return toolbox.Usagef("unexpected argument %q", args[0])
	}
	return nil
}

// root is the table of commands.
var root *command

func init() { // help refers to the table
	root = &command{name: "cutile", short: "The toolbox of cuTile for Go.", sub: []*command{
		dumpCommand, vetCommand, genCommand, disasmCommand, asmCommand, verifyCommand, diffCommand, runCommand, reduceCommand, serveCommand, costCommand, benchCommand, profileCommand, coverCommand, opsCommand, doctorCommand, toolchainCommand, versionCommand,
		{name: "help", args: "[COMMAND]", short: "explain a command", setup: func(*flag.FlagSet) action { return help }},
	}}
}

// run runs a command line, the program's name aside, and gives the exit code. It does not panic.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	cmd, path := root, "cutile"
	for cmd.sub != nil && len(args) > 0 && cmd.find(args[0]) != nil {
		cmd = cmd.find(args[0])
		path += " " + cmd.name
		args = args[1:]
	}
	failed := max(exitFailed, cmd.failed)
	return interruptible(stderr, failed, func(ctx context.Context) int {
		c := &call{ctx, stdin, &output{w: stdout}, &output{w: stderr}}
		code := c.run(cmd, path, args)
		if code == exitOK && c.err.(*output).failed() != nil {
			code = failed // there is no place to say so
		}
		return code
	})
}

// run runs a command.
func (c *call) run(cmd *command, path string, args []string) (code int) {
	failed := max(exitFailed, cmd.failed)
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(c.err, "%s: BUG: %s: please report this\n", path, strings.TrimPrefix(fmt.Sprint(r), "BUG: "))
			if debug.On(debug.Backtrace) {
				c.err.Write(rdebug.Stack())
			}
			code = failed
		}
	}()
	err := cmd.run(c, path, args)
	var usage toolbox.UsageError
	var exit exitError
	written := c.out.(*output).failed()
	switch {
	case written != nil && (err == nil || errors.As(err, &exit)):
		err = fmt.Errorf("the output cannot be written: %w", written)
	case err == nil:
		return exitOK
	case c.ctx.Err() != nil: // whatever its error is
		err = errInterrupted
	case errors.As(err, &exit):
		return exit.code
	case errors.As(err, &usage):
		fmt.Fprintf(c.err, "%s: %v; see `%s`\n", path, err, helpFor(path))
		return exitUsage
	}
	fmt.Fprintf(c.err, "%s: %v\n", path, err)
	if stack, ours := bundle.Ours(err); ours && debug.On(debug.Backtrace) && !strings.Contains(err.Error(), stack) {
		fmt.Fprintln(c.err, stack)
	}
	return failed
}

// helpFor is the command line that explains the command of the given words.
func helpFor(path string) string {
	return strings.TrimSpace("cutile help " + strings.TrimPrefix(strings.TrimPrefix(path, "cutile"), " "))
}

func (cmd *command) find(name string) *command {
	for _, s := range cmd.sub {
		if s.name == name {
			return s
		}
	}
	return nil
}

func (cmd *command) run(c *call, path string, args []string) error {
	fs := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var do action
	if cmd.setup != nil {
		do = cmd.setup(fs)
	}
	rest, err := parse(fs, args, cmd.sub == nil && !cmd.verbatim)
	switch {
	case errors.Is(err, flag.ErrHelp):
		cmd.help(c.out, path)
		return nil
	case err != nil:
		return toolbox.UsageError(err.Error())
	case cmd.sub == nil:
		return do(c, rest)
	case len(rest) > 0:
		return toolbox.Usagef("there is no command %q", rest[0])
	}
	return toolbox.Usagef("no command is given")
}

// parse reads flags, which may also stand between and behind the other arguments.
func parse(fs *flag.FlagSet, args []string, between bool) (rest []string, err error) {
	for {
		if err := fs.Parse(args); err != nil {
			return nil, err
		}
		args = fs.Args()
		if len(args) == 0 {
			return rest, nil
		}
		if !between {
			return args, nil
		}
		rest, args = append(rest, args[0]), args[1:]
	}
}

func help(c *call, args []string) error {
	cmd, path := root, "cutile"
	for _, a := range args {
		next := cmd.find(a)
		if next == nil {
			return toolbox.Usagef("%s has no command %q", path, a)
		}
		cmd, path = next, path+" "+a
	}
	cmd.help(c.out, path)
	return nil
}

// help explains a command.
func (cmd *command) help(w io.Writer, path string) {
	if cmd.sub != nil {
		fmt.Fprintf(w, "usage: %s COMMAND\n\n%s\n\n", path, sentence(cmd.short))
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, s := range cmd.sub {
			fmt.Fprintf(tw, "  %s\t%s\n", s.name, s.short)
		}
		tw.Flush()
		fmt.Fprintf(w, "\n`%s COMMAND` says more.\n", helpFor(path))
		return
	}
	fs := flag.NewFlagSet(cmd.name, flag.ContinueOnError)
	cmd.setup(fs)
	usage := "usage: " + path
	flags := 0
	fs.VisitAll(func(*flag.Flag) { flags++ })
	if flags > 0 {
		usage += " [flags]"
	}
	if cmd.args != "" {
		usage += " " + cmd.args
	}
	fmt.Fprintf(w, "%s\n\n%s\n", usage, sentence(cmd.short))
	if cmd.long != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(cmd.long))
	}
	if flags > 0 {
		fmt.Fprintf(w, "\nflags:\n")
		fs.SetOutput(w)
		fs.PrintDefaults()
	}
}

// sentence makes a table's line a sentence.
func sentence(s string) string {
	return strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
}

// printJSON prints a value for programs.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
