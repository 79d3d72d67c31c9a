package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	o := options{settle: 40 * time.Millisecond}
	serving := flag.Bool("serve", false, "answer requests, as one of the processes that are measured")
	threads := flag.String("threads", "", "numbers of threads, separated by commas (default 1 and the number of cores)")
	flag.StringVar(&o.only, "only", "", "a regular expression: the workloads whose names it matches, and the roofline")
	flag.IntVar(&o.rounds, "rounds", 5, "how often each contender is measured")
	flag.DurationVar(&o.each, "each", 200*time.Millisecond, "how long a measurement takes, if a run is not longer")
	flag.DurationVar(&o.slow, "slow", 2*time.Second, "a contender whose run takes longer is measured in one round only")
	flag.StringVar(&o.out, "o", "", "write the results to a file, in JSON, too")
	flag.StringVar(&o.python, "python", "", "a Python that has the libraries; without it, only the engine and loops in Go are measured")
	flag.StringVar(&o.before, "before", "", "a command that starts another build of this program, such as 'env NAME=VALUE FILE': its engine is measured, too")
	flag.StringVar(&o.peer, "peer", "internal/testing/peers/peer.py", "the program that measures the libraries")
	flag.BoolVar(&o.tiny, "tiny", false, "run each kind of workload with small extents, to compare the results only")
	flag.BoolVar(&o.list, "list", false, "print the workloads only")
	flag.Parse()
	err := o.parseThreads(*threads)
	if *serving {
		err = serve(os.Stdin, os.Stdout, o.each)
	} else if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		err = o.run(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func (o *options) parseThreads(list string) error {
	if list == "" {
		list = "1," + strconv.Itoa(runtime.NumCPU())
	}
	seen := map[int]bool{}
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("-threads: %q is not a number of threads", text)
		}
		if !seen[n] {
			o.threads = append(o.threads, n)
		}
		seen[n] = true
	}
	return nil
}

// run measures the workloads that were asked for, and prints them.
func (o *options) run(ctx context.Context) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	all := workloads()
	if o.tiny {
		all = tiny()
	}
	if o.list {
		for _, w := range all {
			fmt.Printf("%s %s=%v\n", w.Name, strings.ReplaceAll(kinds[w.Kind].axes, " ", ","), w.Dims)
		}
		return nil
	}
	processes, err := o.processes(ctx)
	if err != nil {
		return err
	}
	r := report{Machine: machine(), Versions: map[string]string{}, Rounds: o.rounds}
	for _, p := range processes {
		defer p.stop()
		r.Versions[p.name] = p.version
	}
	for _, w := range all {
		if w.Kind != peakName && w.Kind != copyName && !only.MatchString(w.Name) {
			continue
		}
		start := time.Now()
		entrants := o.measure(&w, processes)
		if ctx.Err() != nil {
			break // and print what is known
		}
		r.add(&w, entrants, o.threads)
		fmt.Fprintf(os.Stderr, "%s: %.1f s\n", w.Name, time.Since(start).Seconds())
	}
	return o.print(&r)
}

// processes starts this program and the libraries, for each number of threads.
func (o *options) processes(ctx context.Context) (all []*process, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	for _, n := range o.threads {
		commands := [][]string{{engine, self, "-serve", "-each", o.each.String()}}
		if command := strings.Fields(o.before); len(command) > 0 {
			commands = append(commands, append([]string{before}, append(command, "-serve", "-each", o.each.String())...))
		}
		if o.python != "" {
			for _, library := range []string{"numpy", "torch", "onnxruntime"} {
				commands = append(commands, []string{library, o.python, o.peer, library, strconv.Itoa(n)})
			}
		}
		for _, c := range commands {
			p, err := start(ctx, c[0], n, c[1:]...)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	return all, nil
}

func (o *options) print(r *report) error {
	if err := r.text(os.Stdout, o.threads); err != nil {
		return err
	}
	if o.out != "" {
		if err := r.json(o.out); err != nil {
			return err
		}
	}
	if n := r.failed(); n > 0 {
		return fmt.Errorf("%d results are wrong or missing", n)
	}
	return nil
}
