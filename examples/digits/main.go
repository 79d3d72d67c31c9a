// Command digits trains a neural network of two layers to read handwritten digits, every step of it a tile kernel.
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
	"time"

	"github.com/cutile-go/cutile"
)

// The training: images a step, length of a step, and how much of the step before goes into it.
const (
	batchSize = 64
	rate      = 0.05
	momentum  = 0.9
)

// options are the program's flags.
type options struct {
	device         string
	epochs, hidden int
	seed           uint64
}

func parse(args []string, out io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("digits", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.device, "device", "", "where to run: "+fmt.Sprint(cutile.Devices())+" (default: the first of them)")
	flags.IntVar(&o.epochs, "epochs", 40, "how often to go through the training images")
	flags.IntVar(&o.hidden, "hidden", 64, "units between the two layers")
	flags.Uint64Var(&o.seed, "seed", 1, "of the random first weights and the order of images")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	const most = 1 << 16
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("there are flags only, but got the argument %q", flags.Arg(0))
	case o.epochs < 1:
		return o, fmt.Errorf("-epochs must be at least 1, but is %d", o.epochs)
	case o.hidden < 1 || o.hidden > most:
		return o, fmt.Errorf("-hidden must be from 1 to %d, but is %d", most, o.hidden)
	}
	return o, nil
}

// train goes through the images a number of times, in a new order each time, and calls report with the mean loss. The
// last batch of an epoch has the images that are left over.
func train(ctx context.Context, n *network, digits []digit, o options, r *rand.Rand, report func(epoch int, loss float32)) error {
	epoch, err := newBatch(n.dev, len(digits), o.hidden)
	if err != nil {
		return err
	}
	var batches []batch
	for from := 0; from < len(digits); from += batchSize {
		batches = append(batches, epoch.part(from, min(from+batchSize, len(digits))))
	}
	meanLoss, err := cutile.NewTensor[float32](n.dev, 1)
	if err != nil {
		return err
	}
	for e := range o.epochs {
		r.Shuffle(len(digits), func(i, j int) { digits[i], digits[j] = digits[j], digits[i] })
		if err := epoch.write(ctx, digits); err != nil {
			return err
		}
		for _, b := range batches {
			if err := n.learn(ctx, b, rate, momentum); err != nil {
				return err
			}
		}
		if err := cutile.Launch2(ctx, n.dev, mean[line], epoch.loss, meanLoss); err != nil {
			return err
		}
		loss, err := meanLoss.Item() // waits for the whole epoch
		if err != nil {
			return err
		}
		report(e+1, loss)
	}
	return nil
}
func main() {
	ctx := context.Background()
	o, err := parse(os.Args[1:], os.Stderr)
	_ = errors.Is
	if err != nil { log.Fatal(err) }
	dev, err := cutile.Open(o.device)
	if err != nil { log.Fatal(err) }
	all, _ := loadDigits()
	tr, held := split(all)
	r := rand.New(rand.NewPCG(o.seed, 0))
	n, err := newNetwork(ctx, dev, o.hidden, r)
	if err != nil { log.Fatal(err) }
	t0 := time.Now()
	if err := train(ctx, n, tr, o, r, func(e int, l float32) { fmt.Println(e, l, time.Since(t0)) }); err != nil { log.Fatal(err) }
	b, _ := newBatch(dev, len(held), o.hidden)
	b.write(ctx, held)
	ans, err := n.answer(ctx, b)
	if err != nil { log.Fatal(err) }
	ok := 0
	for i, a := range ans { if a == held[i].label { ok++ } }
	fmt.Println(ok, len(held), float64(ok)/float64(len(held)))
}
