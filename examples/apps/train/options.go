package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/examples/apps/internal/command"
)

// options are the program's flags.
type options struct {
	device, text, out string
	resume, order     bool
	until, ranks      int
	shape             shape
	plan              plan
}

// parse parses the flags. For -help it writes to out and returns flag.ErrHelp.
func parse(args []string, out io.Writer) (o options, err error) {
	f := flag.NewFlagSet("train", flag.ContinueOnError)
	s, p := &o.shape, &o.plan
	f.StringVar(&o.device, "device", "", "one of "+strings.Join(cutile.Devices(), ", ")+"; by default the first. Each process takes a GPU, unless the name has a number")
	f.StringVar(&o.text, "text", "", "a file of UTF-8 to learn; by default parts of the King James Bible that come with the program")
	f.StringVar(&o.out, "out", "trained", "the folder for checkpoints and loss.svg")
	f.BoolVar(&o.resume, "resume", false, "go on from the last checkpoint in -out, with its flags")
	f.IntVar(&o.until, "until", 0, "stop after this step with a checkpoint; 0 for the last one of -steps")
	f.IntVar(&s.Vocab, "vocab", 1024, "tokens, at least 257")
	f.IntVar(&s.Dim, "dim", 192, "numbers for each token between layers")
	f.IntVar(&s.Layers, "layers", 4, "blocks of attention and feed-forward")
	f.IntVar(&s.Heads, "heads", 6, "of queries; they divide -dim")
	f.IntVar(&s.Groups, "groups", 3, "heads of keys and values; they divide -heads")
	f.IntVar(&s.Hidden, "hidden", 512, "numbers inside the feed-forward part")
	f.IntVar(&p.Span, "context", 128, "tokens that the network sees")
	f.IntVar(&p.Windows, "batch", 8, "sequences of a step")
	f.IntVar(&p.Steps, "steps", 600, "steps of training")
	f.IntVar(&p.Warm, "warm", 0, "steps in which the rate grows; 0 for a fifteenth of -steps")
	f.Float64Var(&p.Rate, "rate", 3e-3, "the greatest learning rate")
	f.Float64Var(&p.Least, "least", 3e-4, "the learning rate of the last step")
	f.Float64Var(&p.Beta1, "beta1", 0.9, "the part of the mean of gradients that a step keeps")
	f.Float64Var(&p.Beta2, "beta2", 0.95, "the part of the mean of squares that a step keeps")
	f.Float64Var(&p.Decay, "decay", 0.1, "the decay of weights, times the rate")
	f.Float64Var(&p.Clip, "clip", 1, "the greatest norm of gradients; 0 for none")
	f.Uint64Var(&p.Seed, "seed", 1, "of the first weights and of the order of the text")
	f.IntVar(&p.Every, "every", 100, "steps between checkpoints and measurements of the loss on held-out text")
	f.IntVar(&p.Keep, "keep", 3, "checkpoints that are kept")
	f.IntVar(&p.Sample, "sample", 200, "steps between sample texts; 0 for none")
	f.StringVar(&p.Prompt, "prompt", "And God said", "how sample texts begin")
	f.IntVar(&p.HeldOut, "heldout", 8, "batches of held-out text that are measured")
	f.IntVar(&o.ranks, "ranks", 0, "processes that train together, which mpirun starts; 0 for one, or for those that a launcher has started")
	f.IntVar(&p.Parts, "parts", 0, "parts of a batch, in all processes: a power of two of them for each; 0 for one each")
	f.BoolVar(&o.order, "order", false, "sum in a fixed order: with as many -parts any number of processes gives the same bits")
	rest, err := command.Parse(f, args, out, "train trains a small language model on a text. Its flags:\n")
	if err != nil {
		return o, err
	}
	if len(rest) > 0 {
		return o, fmt.Errorf("%q is no flag; -help lists the flags", rest[0])
	}
	s.Context = p.Span
	if p.Warm == 0 {
		p.Warm = max(p.Steps/15, 1)
	}
	if s.Heads > 0 {
		s.HeadDim = s.Dim / s.Heads
	}
	if err := s.check(); err != nil {
		return o, err
	}
	if o.until < 0 || o.until > p.Steps {
		return o, fmt.Errorf("-until is %d, expected 0 to %d, which -steps is", o.until, p.Steps)
	}
	if err := check([]between{{"ranks", float64(o.ranks), 0, 64}}); err != nil {
		return o, err
	}
	return o, p.check()
}

// place adapts the flags to the process of a job that this one is.
func (o *options) place(self dist.Process) error {
	if o.ranks > 0 && o.ranks != self.Size {
		return fmt.Errorf("-ranks is %d, but %s has started %d processes", o.ranks, self.Launcher, self.Size)
	}
	o.device = self.Device(o.device)
	if o.plan.Parts == 0 {
		o.plan.Parts = self.Size
	}
	return o.plan.check()
}

// advise says how to go on after a job that has failed.
func (o *options) advise(err error) error {
	var failed *dist.JobError
	list, _ := checkpoints(o.out)
	if !errors.As(err, &failed) || len(list) == 0 {
		return err
	}
	if bad := checkSums(list[len(list)-1]); bad != nil {
		return fmt.Errorf("%w; %v", err, bad)
	}
	return fmt.Errorf("%w; -resume goes on from the last checkpoint in %s", err, o.out)
}

// between is a number with the limits that it must keep.
type between struct {
	name           string
	got, low, high float64
}

func check(list []between) error {
	for _, n := range list {
		if !(n.got >= n.low && n.got <= n.high) {
			return fmt.Errorf("-%s is %g, expected %g to %g", n.name, n.got, n.low, n.high)
		}
	}
	return nil
}

// check refuses shapes that make no network.
func (s shape) check() error {
	err := check([]between{
		{"vocab", float64(s.Vocab), 257, 1 << 16}, {"dim", float64(s.Dim), 2, 2048}, {"layers", float64(s.Layers), 1, 64},
		{"heads", float64(s.Heads), 1, 64}, {"groups", float64(s.Groups), 1, 64}, {"hidden", float64(s.Hidden), 1, 8192},
		{"context", float64(s.Context), 2, 4096},
	})
	switch {
	case err != nil:
		return err
	case s.Dim != s.Heads*s.HeadDim || s.HeadDim%2 != 0:
		return fmt.Errorf("-dim is %d with %d -heads, expected an even multiple of them", s.Dim, s.Heads)
	case s.HeadDim > 256:
		return fmt.Errorf("heads of %d numbers are too wide, expected at most 256: take more -heads", s.HeadDim)
	case s.Heads%s.Groups != 0:
		return fmt.Errorf("-heads is %d, expected a multiple of -groups, which is %d", s.Heads, s.Groups)
	}
	return nil
}

// check refuses plans that cannot be followed.
func (p plan) check() error {
	if p.Parts > 0 && p.Windows%p.Parts != 0 {
		return fmt.Errorf("-batch is %d, expected a multiple of -parts, which is %d", p.Windows, p.Parts)
	}
	return check([]between{
		{"parts", float64(p.Parts), 0, parallel.MaxParts},
		{"steps", float64(p.Steps), 1, 1e7}, {"warm", float64(p.Warm), 0, float64(p.Steps)}, {"rate", p.Rate, 1e-9, 10},
		{"least", p.Least, 0, p.Rate}, {"beta1", p.Beta1, 0, 0.9999}, {"beta2", p.Beta2, 0, 0.99999}, {"decay", p.Decay, 0, 10},
		{"clip", p.Clip, 0, 1e9}, {"batch", float64(p.Windows), 1, 1024}, {"context", float64(p.Span), 2, 4096},
		{"every", float64(p.Every), 1, 1e7}, {"keep", float64(p.Keep), 1, 1000}, {"sample", float64(p.Sample), 0, 1e7},
		{"heldout", float64(p.HeldOut), 1, 1000},
	})
}
