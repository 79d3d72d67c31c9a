// Command train trains a small language model on a text. Every step of the training is a tile kernel. Its checkpoints are of the
// kind of Llama, so that command chat runs them.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/models/tokenizer"
)

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // which batch systems send before they kill
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal("train: ", err)
	}
}

// run trains in this process until the last step, or until ctx ends: then it writes a checkpoint first. Or it starts the program in several.
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
	err = o.work(ctx, dev, out)
	if err != nil && self.Size > 1 {
		return fmt.Errorf("rank %d of %d: %w", self.Rank, self.Size, err) // the program ends now: Close might wait for others
	}
	return errors.Join(err, dev.Close())
}

// work joins the other processes and trains.
func (o options) work(ctx context.Context, dev *cutile.Device, out io.Writer) error {
	var opts []dist.Option
	if o.order {
		opts = append(opts, dist.WithTree())
	}
	whole := context.WithoutCancel(ctx)
	g, err := dist.Join(whole, dev, opts...)
	if err != nil {
		return err
	}
	text, err := readText(o.text)
	if err != nil {
		return err
	}
	w, err := prepare(whole, g, &o, text, out)
	if err != nil {
		return err
	}
	if g.Rank() == 0 {
		if err := canSave(o.out); err != nil {
			return err
		}
	}
	if err := w.share(whole); err != nil {
		return err
	}
	if err := w.train(ctx, o, out); err != nil {
		return err
	}
	return g.Close()
}

// work is training with what it reads and writes.
type work struct {
	*trainer
	tokenizer  *tokenizer.Tokenizer
	vocabulary []byte // tokenizer.json
}

// prepare makes a new network, or takes up the last checkpoint.
func prepare(ctx context.Context, g *dist.Group, o *options, text string, out io.Writer) (*work, error) {
	old, err := checkpoints(o.out)
	if err != nil {
		return nil, err
	}
	switch {
	case o.resume && len(old) == 0:
		return nil, fmt.Errorf("-resume: there is no checkpoint in %s", o.out)
	case o.resume:
		return take(ctx, g, o, text, old[len(old)-1], out)
	case len(old) > 0:
		return nil, fmt.Errorf("%s has a checkpoint already, %s: go on from it with -resume, or choose another folder with -out", o.out, filepath.Base(old[len(old)-1]))
	}
	tokens, merges := learn(text, o.shape.Vocab)
	o.shape.Vocab = len(tokens) // a short text has fewer
	w := &work{}
	if w.vocabulary, err = tokenizerJSON(tokens, merges); err != nil {
		return nil, err
	}
	if err := w.make(ctx, g, o, text); err != nil {
		return nil, err
	}
	if err := w.p.all.Write(ctx, o.shape.initial(o.plan.Seed)); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d tokens to learn, %d held out; %d parameters on %s\n", len(w.data.learned), len(w.data.held), w.p.all.Len(), g.Device().Name())
	return w, nil
}

// make builds the trainer for a text.
func (w *work) make(ctx context.Context, g *dist.Group, o *options, text string) (err error) {
	if w.tokenizer, err = tokenizer.Read(bytes.NewReader(w.vocabulary)); err != nil {
		return err
	}
	data, err := newCorpus(text, w.tokenizer, o.plan.Span)
	if err != nil {
		return err
	}
	if o.plan.TextDigest != "" && o.plan.TextDigest != data.digest {
		return errors.New("-resume: the text is not the one that the checkpoint was trained on: give it with -text")
	}
	o.plan.TextDigest = data.digest
	if w.trainer, err = newTrainer(ctx, g, o.shape, o.plan, data); err != nil {
		return fmt.Errorf("with -parts %d: %w", o.plan.Parts, err)
	}
	return nil
}

// take goes on from a checkpoint.
func take(ctx context.Context, g *dist.Group, o *options, text, folder string, out io.Writer) (*work, error) {
	if err := checkSums(folder); err != nil {
		return nil, err
	}
	s, err := readState(folder)
	if err != nil {
		return nil, err
	}
	o.shape, o.plan = s.Shape, s.Plan
	w := &work{}
	if w.vocabulary, err = os.ReadFile(filepath.Join(folder, "tokenizer.json")); err != nil {
		return nil, err
	}
	if err := w.make(ctx, g, o, text); err != nil {
		return nil, err
	}
	if n := w.tokenizer.VocabSize(); n != s.Shape.Vocab {
		return nil, fmt.Errorf("%s has a tokenizer of %d tokens, expected %d", folder, n, s.Shape.Vocab)
	}
	if err := w.restore(ctx, folder); err != nil {
		return nil, err
	}
	w.done, w.history = s.Done, s.History
	fmt.Fprintf(out, "going on from step %d of %d in %s\n", w.done, w.plan.Steps, folder)
	return w, nil
}

// share gives all processes what rank 0 starts with, and checks that they go on from the same step with the same text.
func (w *work) share(ctx context.Context) error {
	digest, err := strconv.ParseUint(w.plan.TextDigest[:16], 16, 64)
	if err != nil {
		return err
	}
	own := []int64{int64(w.done), int64(digest)}
	t, err := cutile.FromSlice(w.dev, own)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := parallel.Replicate(ctx, w.group, t); err != nil {
		return err
	}
	of0, err := t.Slice()
	switch {
	case err != nil:
		return err
	case of0[0] != own[0]:
		return fmt.Errorf("this process goes on from step %d, but that of rank 0 from %d: all need to see the folder -out", own[0], of0[0])
	case of0[1] != own[1]:
		return errors.New("this process has another text than that of rank 0: give all the same -text")
	}
	return parallel.Replicate(ctx, w.group, w.p.all, w.m.all, w.v.all)
}

// train makes the steps that are left.
func (w *work) train(ctx context.Context, o options, out io.Writer) error {
	last := w.plan.Steps
	if o.until > 0 {
		last = min(o.until, last)
	}
	r, start := newReporter(out, w.plan, w.done, last), time.Now()
	whole := context.WithoutCancel(ctx) // a step is not cut short
	first, alone := w.group.Rank() == 0, w.group.Size() == 1
	var path string
	for stop := alone && ctx.Err() != nil; w.done < last && !stop; {
		var loss float64
		var err error
		if loss, stop, err = w.step(whole, ctx.Err() != nil); err != nil {
			return fmt.Errorf("step %d: %w", w.done, err)
		}
		stop = stop || alone && ctx.Err() != nil // several stop together, after the next step
		w.history = append(w.history, point{Step: w.done, Loss: loss})
		r.step(w.done, loss)
		if w.done%w.plan.Every == 0 || w.done == last || stop {
			if path, err = w.stop(whole, o.out, r); err != nil {
				return err
			}
		}
		if n := w.plan.Sample; first && n > 0 && (w.done%n == 0 || w.done == w.plan.Steps) {
			text, err := w.text(whole, w.tokenizer, 60)
			if err != nil {
				return err
			}
			r.print("--- %s ---", text)
		}
	}
	r.print("%d steps, %.1f min; checkpoint %s, plot %s", w.done, time.Since(start).Minutes(), path, filepath.Join(o.out, "loss.svg"))
	if path != "" {
		r.print("go run ./examples/chat -model %s -prompt %q", path, w.plan.Prompt)
	}
	return nil
}

// stop measures the loss on what is held out, writes a checkpoint and draws the plot. All processes must have the same parameters.
func (w *work) stop(ctx context.Context, folder string, r *reporter) (string, error) {
	if err := parallel.CheckReplicas(ctx, w.group, w.p.all); err != nil {
		return "", err
	}
	held, err := w.measure(ctx)
	if err != nil {
		return "", err
	}
	w.history[len(w.history)-1].Held = held
	if w.group.Rank() > 0 {
		return "", nil
	}
	path, err := w.save(folder, w.vocabulary)
	if err != nil {
		return "", err
	}
	r.print("step %d: loss %.3f held out (%.3f bits per byte)", w.done, held, held/math.Ln2/w.data.bytesPerToken)
	return path, writeFile(filepath.Join(folder, "loss.svg"), []byte(plot(w.history, w.plan.Steps)))
}
