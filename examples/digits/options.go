package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
)

// options are the program's flags.
type options struct {
	device         string
	epochs, hidden int
	seed           uint64

	ranks, parts int // 0 for what the launcher says, and for one a process
	order        bool

	checkpoint string // a file
	every      int    // epochs
	resume     bool
}

const (
	widest    = 4096 // hidden units
	mostRanks = 64
)

// parse parses the flags. For -help it writes to out and returns flag.ErrHelp.
func parse(args []string, out io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("digits", flag.ContinueOnError)
	flags.StringVar(&o.device, "device", "", "one of "+strings.Join(cutile.Devices(), ", ")+"; by default the first. Each process takes a GPU, unless the name has a number")
	flags.IntVar(&o.epochs, "epochs", 40, "how often to go through the images")
	flags.IntVar(&o.hidden, "hidden", 128, "units between the two layers")
	flags.Uint64Var(&o.seed, "seed", 1, "of the first weights and of the order of images")
	flags.IntVar(&o.ranks, "ranks", 0, "processes that learn together, which mpirun starts; 0 for one, or for those that a launcher has started")
	flags.IntVar(&o.parts, "parts", 0, "parts of a batch, in all processes: a power of two of them for each; 0 for one each")
	flags.BoolVar(&o.order, "order", false, "sum in a fixed order: with as many -parts any number of processes gives the same bits")
	flags.StringVar(&o.checkpoint, "checkpoint", "", "a file for checkpoints")
	flags.IntVar(&o.every, "every", 10, "epochs between checkpoints")
	flags.BoolVar(&o.resume, "resume", false, "go on from -checkpoint, with its -hidden, -parts and -seed")
	flags.SetOutput(io.Discard) // errors are printed once, by main
	err = flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		fmt.Fprintln(out, "digits trains a network to read handwritten digits. Its flags:")
		flags.PrintDefaults()
		return o, err
	case err != nil:
		return o, fmt.Errorf("%w; -help lists the flags", err)
	case flags.NArg() > 0:
		return o, fmt.Errorf("%q is no flag; -help lists the flags", flags.Arg(0))
	case o.epochs < 1:
		return o, fmt.Errorf("-epochs must be at least 1, but is %d", o.epochs)
	case o.hidden < 1 || o.hidden > widest:
		return o, fmt.Errorf("-hidden must be from 1 to %d, but is %d", widest, o.hidden)
	case o.ranks < 0 || o.ranks > mostRanks:
		return o, fmt.Errorf("-ranks must be from 0 to %d, but is %d", mostRanks, o.ranks)
	case o.parts < 0 || o.parts > parallel.MaxParts:
		return o, fmt.Errorf("-parts must be from 0 to %d, but is %d", parallel.MaxParts, o.parts)
	case o.every < 1:
		return o, fmt.Errorf("-every must be at least 1, but is %d", o.every)
	case o.resume && o.checkpoint == "":
		return o, errors.New("-resume needs the file to go on from: give it with -checkpoint")
	}
	return o, nil
}

// place adapts the flags to the process of a job that this one is.
func (o *options) place(self dist.Process) error {
	if o.ranks > 0 && o.ranks != self.Size {
		return fmt.Errorf("-ranks is %d, but %s has started %d processes", o.ranks, self.Launcher, self.Size)
	}
	o.device = self.Device(o.device)
	if o.parts == 0 {
		o.parts = self.Size
	}
	return nil
}

// advise says how to go on after a job that has failed.
func (o *options) advise(err error) error {
	var failed *dist.JobError
	if !errors.As(err, &failed) || o.checkpoint == "" {
		return err
	}
	if _, bad := openCheckpoint(o.checkpoint); errors.Is(bad, os.ErrNotExist) {
		return err
	} else if bad != nil {
		return fmt.Errorf("%w; %v", err, bad)
	}
	return fmt.Errorf("%w; -resume goes on from %s", err, o.checkpoint)
}
