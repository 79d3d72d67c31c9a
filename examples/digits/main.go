// Command digits trains a neural network of two layers to recognise handwritten digits. Every step is a tile kernel. It runs in one process, or in
// several that share each batch.
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
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
)

// run runs the program in this process, or starts it in several.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	self, err := dist.Self()
	if err != nil {
		return err
	}
	if self.Launcher == "" && o.ranks > 1 {
		return o.advise(dist.Spawn(ctx, o.ranks))
	}
	if err := o.place(self); err != nil {
		return err
	}
	if self.Launcher != "" {
		out = struct{ io.Writer }{out} // a launcher's terminal does not show what a user's does
	}
	if self.Rank > 0 {
		out = io.Discard // all would print the same
	}
	dev, err := cutile.Open(o.device)
	if err != nil {
		return err
	}
	var opts []dist.Option
	if o.order {
		opts = append(opts, dist.WithTree())
	}
	g, err := dist.Join(ctx, dev, opts...)
	if err == nil {
		if err = work(ctx, g, o, out); err == nil {
			err = g.Close()
		}
	}
	if err != nil && self.Size > 1 {
		return fmt.Errorf("rank %d of %d: %w", self.Rank, self.Size, err) // the program ends now: Close might wait for others
	}
	return errors.Join(err, dev.Close()) // frees every tensor
}

// work trains the network and shows what it has learned.
func work(ctx context.Context, g *dist.Group, o options, out io.Writer) error {
	all, err := loadDigits()
	if err != nil {
		return err
	}
	learned, heldOut := split(all)
	start := time.Now()
	net, err := learn(ctx, g, o, learned, len(heldOut), out)
	if err != nil {
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

// learn makes a network, or takes one from a checkpoint, and trains it.
func learn(ctx context.Context, g *dist.Group, o options, digits []digit, heldOut int, out io.Writer) (*network, error) {
	c := checkpoint{Hidden: o.hidden, Parts: o.parts, Seed: o.seed}
	var from *saved
	var err error
	if o.checkpoint != "" && g.Rank() == 0 {
		if err := canSave(o.checkpoint); err != nil {
			return nil, err
		}
	}
	if o.resume && g.Rank() == 0 { // the others need not see the file
		if from, err = openCheckpoint(o.checkpoint); err != nil {
			return nil, err
		}
		c = from.checkpoint
	}
	if err := c.share(ctx, g); err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(c.Seed, 0))
	net, err := newNetwork(ctx, g, c.Parts, c.Hidden, r)
	if err != nil {
		return nil, fmt.Errorf("with -parts %d: %w", c.Parts, err)
	}
	if from != nil {
		if err := from.read(ctx, net); err != nil {
			return nil, err
		}
	}
	if o.resume {
		if err := parallel.Replicate(ctx, g, append(net.allWeights, net.velocities...)...); err != nil {
			return nil, err
		}
		fmt.Fprintf(out, "going on after epoch %d of %s\n", c.Epochs, o.checkpoint)
	}
	fmt.Fprintf(out, "%d images to learn, %d held out; a network of %d -> %d -> %d on %s%s\n",
		len(digits), heldOut, pixels, c.Hidden, classes, g.Device().Name(), processes(g))
	bar := progress(out, o.epochs)
	err = train(ctx, net, digits, c.Epochs, o.epochs, r, func(epoch int, loss float32) error {
		bar(epoch, loss)
		if c.Epochs = epoch; o.checkpoint == "" || g.Rank() > 0 || epoch%o.every != 0 && epoch != o.epochs {
			return nil
		}
		return c.save(o.checkpoint, net)
	})
	if err != nil {
		return nil, err
	}
	return net, parallel.CheckReplicas(ctx, g, net.allWeights...)
}

// processes says how many there are, if not one.
func processes(g *dist.Group) string {
	if g.Size() == 1 {
		return ""
	}
	return fmt.Sprintf(", in %d processes", g.Size())
}

func main() {
	log.SetFlags(0)
	err := run(context.Background(), os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal("digits: ", err) // a launcher ends the other processes
	}
}
