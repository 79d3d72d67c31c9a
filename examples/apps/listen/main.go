package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/internal/command"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/vad"
)

// usage is what -help prints.
const usage = `listen finds speech in WAV files.

  listen [flags] [FILE]     without a file: a recording that is in the program

Flags:
`

// An exit is an error with the exit code of the process.
type exit struct {
	code int
	error
}

func (e exit) Unwrap() error { return e.error }

// options are the flags.
type options struct {
	model, device, svg string
	json               bool
	rule               vad.Rule
}

// parse parses the command line. For -help it prints to out and returns flag.ErrHelp.
func parse(args []string, out io.Writer) (o options, files []string, err error) {
	flags := flag.NewFlagSet("listen", flag.ContinueOnError)
	flags.StringVar(&o.model, "model", defaultModel(), "the file of the model, or the folder that has it; $"+modelVariable+" is the default")
	flags.StringVar(&o.device, "device", "cpu", "one of "+strings.Join(cutile.Devices(), ", ")+": the model is small, a CPU is enough")
	flags.StringVar(&o.svg, "svg", "", "a file for a picture")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	threshold := flags.Float64("threshold", 0.5, "speech begins at this probability")
	silence := flags.Float64("silence", 0.1, "a segment ends after so many seconds of silence")
	speech := flags.Float64("speech", 0.25, "shorter segments are dropped, in seconds")
	pad := flags.Float64("pad", 0.03, "seconds that are added before and behind a segment")
	longest := flags.Float64("longest", 0, "longer segments are cut, in seconds; 0 stands for no limit")
	if files, err = command.Parse(flags, args, out, usage); errors.Is(err, flag.ErrHelp) {
		return o, nil, err
	} else if err != nil {
		return o, nil, exit{2, err}
	}
	if !(*threshold > 0 && *threshold < 1) {
		return o, nil, exit{2, fmt.Errorf("-threshold must be between 0 and 1, but is %v", *threshold)}
	}
	for _, s := range []struct {
		name       string
		value, max float64
	}{{"silence", *silence, 3600}, {"speech", *speech, 3600}, {"pad", *pad, 60}, {"longest", *longest, 86400}} {
		if !(s.value >= 0 && s.value <= s.max) {
			return o, nil, exit{2, fmt.Errorf("-%s must be from 0 to %v seconds, but is %v", s.name, s.max, s.value)}
		}
	}
	if *longest > 0 && *longest < 2**pad+0.1 {
		return o, nil, exit{2, fmt.Errorf("-longest must be at least 0.1 seconds more than twice -pad, but is %v", *longest)}
	}
	o.rule = vad.Rule{Threshold: *threshold, MinSpeech: *speech * vad.Rate, MinSilence: *silence * vad.Rate, Pad: *pad * vad.Rate, MaxSpeech: *longest * vad.Rate}
	return o, files, nil
}

// run runs the command line.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, files, err := parse(args, out)
	if err != nil {
		return err
	}
	if len(files) > 1 {
		return exit{2, fmt.Errorf("there are %d files, one is expected; -help tells more", len(files))}
	}
	path, err := findModel(o.model)
	if err != nil {
		return err
	}
	in, err := openSound(files)
	if err != nil {
		return err
	}
	defer in.Close()
	dev, err := cutile.Open(o.device)
	if err != nil {
		return err
	}
	defer dev.Close()
	detector, err := vad.Open(dev, path)
	if err != nil {
		return err
	}
	h, err := listen(ctx, detector, in)
	if err != nil {
		return fmt.Errorf("%s: %w", in.name, err)
	}
	h.segments = vad.Segments(h.probabilities, h.samples, o.rule)
	if o.svg != "" {
		if err := os.WriteFile(o.svg, picture(h, o.rule.Threshold), 0o644); err != nil {
			return err
		}
	}
	if o.json {
		return h.printJSON(out)
	}
	h.print(out)
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return
	}
	fmt.Fprintln(os.Stderr, "listen:", err)
	var e exit
	if errors.As(err, &e) {
		os.Exit(e.code)
	}
	os.Exit(1)
}
