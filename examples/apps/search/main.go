package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/internal/command"
)

// usage is what -help prints.
const usage = `search finds passages of texts by meaning.

  search [flags] index [FOLDER]     index the .txt and .md files of a folder, or Newton's Opticks, which is in the program
  search [flags] ask [-k 5] QUERY   print the passages that are closest to a query
  search [flags] serve [-addr 127.0.0.1:8080]
                                    serve a web page and an API: /api/search?q=QUERY&k=10
  search load [-url URL] [-rate 200] [-duration 1m]
                                    send queries to a server and print how long it takes

Flags:
`

// An exit is an error with the exit code of the process.
type exit struct {
	code int
	error
}

func (e exit) Unwrap() error { return e.error }

// misuse is an error of a command line.
func misuse(format string, args ...any) error {
	return exit{2, fmt.Errorf(format+"; -help tells more", args...)}
}

// A program is a run of the command.
type program struct {
	model, index, device string
	out, err             io.Writer
}

// commands are the commands by name: each gets the arguments behind its name.
var commands = map[string]func(p *program, ctx context.Context, args []string) error{
	"index": (*program).indexFolder,
	"ask":   (*program).ask,
	"serve": (*program).serve,
	"load":  (*program).load,
}

// run runs the command line.
func run(ctx context.Context, args []string, out, errOut io.Writer) error {
	p := &program{out: out, err: errOut}
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.StringVar(&p.model, "model", defaultModel(), "the folder of the model all-MiniLM-L6-v2; $"+modelVariable+" is the default")
	flags.StringVar(&p.index, "index", defaultIndex(), "the file of the index")
	flags.StringVar(&p.device, "device", "", "one of "+strings.Join(cutile.Devices(), ", ")+"; by default the first")
	if rest, err := parse(flags, args, out, usage); err != nil {
		return err
	} else if len(rest) == 0 {
		if err := p.checkModel(); err != nil {
			return err
		}
		command.Usage(flags, out, usage)
		return nil
	} else if command := commands[rest[0]]; command == nil {
		return misuse("%q is no command", rest[0])
	} else {
		return command(p, ctx, rest[1:])
	}
}

// parse is [command.Parse], with the exit code of a misuse.
func parse(flags *flag.FlagSet, args []string, out io.Writer, about string) ([]string, error) {
	rest, err := command.Parse(flags, args, out, about)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = exit{2, err}
	}
	return rest, err
}

// defaultIndex is a file in the user's cache folder.
func defaultIndex() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "search.db"
	}
	return filepath.Join(dir, "cutile", "search.db")
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	var e exit
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.As(err, &e):
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(e.code)
	default:
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}
