package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"strings"
	"time"
)

//go:embed explained.txt
var explained string

// options are the flags.
type options struct {
	n, from, to, least int
	seed               uint64
	limit              time.Duration
	only, again        string
	list               bool
	wanted             map[string]bool // the places of the file of -again: nil for all
}

func main() {
	var o options
	flag.IntVar(&o.n, "n", 200, "how many mutants")
	flag.IntVar(&o.from, "from", 0, "the first place of a part of the sample; -list shows their numbers")
	flag.IntVar(&o.to, "to", 0, "the place that ends the part: what is before it is tried, in place of -n mutants")
	flag.Uint64Var(&o.seed, "seed", 1, "which places")
	flag.IntVar(&o.least, "least", 90, "the percentage that must be noticed")
	flag.DurationVar(&o.limit, "limit", 5*time.Minute, "how long the tests of a mutant may take")
	flag.StringVar(&o.only, "only", "", "the prefix of the files to break")
	flag.StringVar(&o.again, "again", "", "a file with places that a run or -list printed: those are tried, whatever the seed")
	flag.BoolVar(&o.list, "list", false, "print the places only")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	files, err := product(".", o.only)
	if err == nil && o.again != "" {
		err = o.readAgain()
	}
	if err != nil {
		return err
	}
	if o.list {
		for k, m := range o.places(files) {
			if o.to == 0 && k >= o.from+o.n {
				break
			}
			fmt.Printf("%d %v", k, m.report())
		}
		return nil
	}
	b, err := newBench(ctx, o.limit, files)
	if err != nil {
		return err
	}
	defer b.close()
	count, err := o.sample(ctx, b, files)
	if err != nil {
		return err
	}
	fmt.Println(count)
	if 100*count.noticed < o.least*count.tried() {
		return fmt.Errorf("less than %d%% are noticed", o.least)
	}
	return nil
}

// places are the places of the sample, or of a part of it, with their numbers.
func (o *options) places(files []*file) iter.Seq2[int, *mutant] {
	return func(yield func(int, *mutant) bool) {
		all := mutants(files, o.seed)
		if o.wanted != nil {
			all = named(files, o.wanted)
		}
		k := 0
		for m := range all {
			if o.to > 0 && k >= o.to || k >= o.from && !yield(k, m) {
				return
			}
			k++
		}
	}
}

// tally counts mutants that compile.
type tally struct{ noticed, survived, known int }

func (t tally) tried() int { return t.noticed + t.survived }

func (t tally) String() string {
	return fmt.Sprintf("%d mutants: %d noticed, %d survived, %d of them explained", t.tried(), t.noticed, t.survived, t.known)
}

// sample tries the mutants and prints those that survive.
func (o *options) sample(ctx context.Context, b *bench, files []*file) (count tally, err error) {
	for k, m := range o.places(files) {
		if o.to == 0 && count.tried() == o.n {
			break
		}
		progress := fmt.Sprintf("%d of %d", count.tried()+1, o.n)
		if o.to > 0 {
			progress = fmt.Sprintf("%d to %d", k, o.to)
		}
		fmt.Fprintf(os.Stderr, "%s: %s:%d %s\n", progress, m.file, m.line, m.kind)
		how, err := b.try(ctx, m)
		if err == nil {
			err = ctx.Err()
		}
		switch {
		case err != nil:
			return count, err
		case how == dead:
			count.noticed++
		case how == alive:
			note := "SURVIVED"
			if reason := explanation(m); reason != "" {
				note, count.known = "explained ("+reason+")", count.known+1
			}
			count.survived++
			fmt.Print(note, " ", m.report())
		}
	}
	return count, nil
}

// explanation is the reason that explained.txt gives for a survivor: "" for none.
func explanation(m *mutant) string {
	for _, line := range strings.Split(explained, "\n") {
		if rest, ok := strings.CutPrefix(line, m.String()); ok {
			return strings.TrimLeft(rest, " #")
		}
	}
	return ""
}
