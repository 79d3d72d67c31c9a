// Command digits trains a neural network of two layers to recognise handwritten digits. Every step is a tile kernel.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/cutile-go/cutile"
)

// options are the program's flags.
type options struct {
	device         string
	epochs, hidden int
	seed           uint64
}

// parse parses the flags. For -help it writes to out and returns flag.ErrHelp.
func parse(args []string, out io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("digits", flag.ContinueOnError)
	flags.StringVar(&o.device, "device", "", "one of "+strings.Join(cutile.Devices(), ", ")+"; by default the first")
	flags.IntVar(&o.epochs, "epochs", 40, "how often to go through the images")
	flags.IntVar(&o.hidden, "hidden", 128, "units between the two layers")
	flags.Uint64Var(&o.seed, "seed", 1, "of the first weights and of the order of images")
	flags.SetOutput(io.Discard) // errors are printed once, by main
	err = flags.Parse(args)
	const widest = 4096
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
	}
	return o, nil
}

func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	dev, err := cutile.Open(o.device)
	if err != nil {
		return err
	}
	defer dev.Close() // also frees every tensor
	all, err := loadDigits()
	if err != nil {
		return err
	}
	learned, heldOut := split(all)
	fmt.Fprintf(out, "%d images to learn, %d held out; a network of %d -> %d -> %d on %s\n",
		len(learned), len(heldOut), pixels, o.hidden, classes, dev.Name())

	r := rand.New(rand.NewPCG(o.seed, 0))
	net, err := newNetwork(ctx, dev, o.hidden, r)
	if err != nil {
		return err
	}
	start := time.Now()
	if err := train(ctx, net, learned, o.epochs, r, progress(out, o.epochs)); err != nil {
		return err
	}
	fmt.Fprintf(out, "trained in %.1f s\n", time.Since(start).Seconds())

	answers, err := read(ctx, net, heldOut)
	if err != nil {
		return err
	}
	show(out, heldOut, answers)
	return nil
}

func main() {
	log.SetFlags(0)
	err := run(context.Background(), os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal("digits: ", err)
	}
}
