package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/internal/command"
	"github.com/cutile-go/cutile/examples/apps/internal/llama"
	"github.com/cutile-go/cutile/kernels/sample"
)

// options are the program's flags.
type options struct {
	serve                                          bool
	device, model, weights, prompt, system, listen string
	raw                                            bool
	context, max, users, queue                     int
	choice                                         choice
	limit, grace                                   time.Duration
}

// choice says how tokens are chosen.
type choice struct {
	Temperature, TopP, MinP, Penalty float64
	TopK, Seed                       int
}

// parse parses the flags. For -help it writes to out and returns flag.ErrHelp.
func parse(args []string, out io.Writer) (o options, err error) {
	if len(args) > 0 && args[0] == "serve" {
		o.serve, args = true, args[1:]
	}
	f := flag.NewFlagSet("chat", flag.ContinueOnError)
	f.StringVar(&o.model, "model", "", "a folder with a checkpoint, or a file *.gguf")
	f.StringVar(&o.weights, "weights", "f32", "how weights are kept: f32, bf16, int8 or int4")
	f.StringVar(&o.device, "device", "", "one of "+strings.Join(cutile.Devices(), ", ")+"; by default the first")
	f.IntVar(&o.context, "context", 0, "tokens of a conversation; 0 for those of the model, but at most 4096")
	f.IntVar(&o.max, "max", 512, "tokens of an answer at most")
	f.BoolVar(&o.raw, "raw", false, "continue texts without the model's chat template")
	f.Float64Var(&o.choice.Temperature, "temperature", 0.7, "how evenly tokens are chosen; 0 takes the most probable one")
	f.IntVar(&o.choice.TopK, "top-k", 0, "choose among this many tokens; 0 for all")
	f.Float64Var(&o.choice.TopP, "top-p", 0.95, "choose among the most probable tokens that have this probability together")
	f.Float64Var(&o.choice.MinP, "min-p", 0, "leave out tokens with less than this part of the greatest probability")
	f.Float64Var(&o.choice.Penalty, "penalty", 1, "makes tokens less probable that are in the text already; 1 for none")
	f.IntVar(&o.choice.Seed, "seed", 1, "of the random numbers")
	if o.serve {
		f.StringVar(&o.listen, "listen", "localhost:8080", "the address to serve at")
		f.IntVar(&o.users, "users", 4, "conversations that are computed together")
		f.IntVar(&o.queue, "queue", 64, "requests that may wait")
		f.DurationVar(&o.limit, "limit", 10*time.Minute, "how long a request may take")
		f.DurationVar(&o.grace, "grace", 20*time.Second, "how long requests may go on when the server stops")
	} else {
		f.StringVar(&o.prompt, "prompt", "", "answer this and end, instead of talking")
		f.StringVar(&o.system, "system", "", "what the model is told about its part")
	}
	rest, err := command.Parse(f, args, out, "chat talks to a language model; chat serve serves it over HTTP. The flags:\n")
	if err != nil {
		return o, err
	}
	if len(rest) > 0 {
		return o, fmt.Errorf("%q is no flag; -help lists the flags", rest[0])
	}
	return o, o.check()
}

func (o options) check() error {
	if !slices.Contains(llama.Formats, llama.Format(o.weights)) {
		return fmt.Errorf("-weights is %q, expected one of %v", o.weights, llama.Formats)
	}
	if o.max < 1 {
		return fmt.Errorf("-max is %d, expected at least 1", o.max)
	}
	if o.serve && (o.users < 1 || o.users > 256 || o.queue < 1 || o.queue > 1<<16) {
		return fmt.Errorf("-users is %d and -queue %d, expected 1 to 256 and 1 to %d", o.users, o.queue, 1<<16)
	}
	if err := o.choice.check(); err != nil {
		return fmt.Errorf("-%w", err)
	}
	return nil
}

// check names the first number that is out of its limits.
func (c choice) check() error {
	for _, n := range []struct {
		name           string
		got, low, high float64
	}{
		{"temperature", c.Temperature, 0, 100}, {"top-k", float64(c.TopK), 0, 1 << 30}, {"top-p", c.TopP, 0, 1}, {"min-p", c.MinP, 0, 1},
		{"penalty", c.Penalty, 0.1, 10}, {"seed", float64(c.Seed), 0, 1<<31 - 1},
	} {
		if !(n.got >= n.low && n.got <= n.high) {
			return fmt.Errorf("%s is %g, expected %g to %g", n.name, n.got, n.low, n.high)
		}
	}
	return nil
}

// options are the choice for the kernel.
func (c choice) options() sample.Options {
	return sample.Options{Temperature: float32(c.Temperature), TopK: c.TopK, TopP: float32(c.TopP), MinP: float32(c.MinP), Seed: c.Seed}
}
