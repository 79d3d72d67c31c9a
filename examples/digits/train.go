package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
)

// Parameters of the training: the number of images in a step, the length of a step, and the momentum.
const (
	batchSize = 64
	rate      = 0.05
	momentum  = 0.9
)

// train runs epochs over the images, each in a new order, and reports the mean loss of each epoch. The first ones, of which done are, only
// change the order.
func train(ctx context.Context, n *network, digits []digit, done, epochs int, r *rand.Rand, report func(epoch int, loss float32) error) error {
	digits = slices.Clone(digits)
	if last := (len(digits)-1)%batchSize + 1; n.parts > last {
		return fmt.Errorf("-parts is %d, but the last batch of an epoch has only %d images", n.parts, last)
	}
	all, err := newBatch(n.dev, len(digits), n.hidden)
	if err != nil {
		return err
	}
	meanLoss, err := cutile.NewTensor[float32](n.dev, 1)
	if err != nil {
		return err
	}
	var batches []batch // the last one has the remaining images
	for from := 0; from < len(digits); from += batchSize {
		batches = append(batches, all.part(from, min(from+batchSize, len(digits))))
	}
	for epoch := range epochs {
		r.Shuffle(len(digits), func(i, j int) { digits[i], digits[j] = digits[j], digits[i] })
		if epoch < done {
			continue
		}
		loss, err := n.epoch(ctx, all, batches, digits, meanLoss)
		if err != nil {
			return err
		}
		if err := report(epoch+1, loss); err != nil {
			return err
		}
	}
	return nil
}

// epoch learns all batches and returns the mean loss of all images.
func (n *network) epoch(ctx context.Context, all batch, batches []batch, digits []digit, meanLoss floats) (float32, error) {
	if err := errors.Join(all.write(ctx, digits), all.loss.Fill(ctx, 0)); err != nil {
		return 0, err
	}
	for _, b := range batches {
		if err := n.learn(ctx, b); err != nil {
			return 0, err
		}
	}
	// This process has the losses of its parts, and zeros for others.
	if err := dist.AllReduce(ctx, n.group, dist.Sum, all.loss, all.loss); err != nil {
		return 0, err
	}
	if err := cutile.Launch2(ctx, n.dev, mean[line], all.loss, meanLoss); err != nil {
		return 0, err
	}
	return meanLoss.Item() // waits for the whole epoch
}

// read returns the network's predictions for images.
func read(ctx context.Context, n *network, digits []digit) ([]int32, error) {
	b, err := newBatch(n.dev, len(digits), n.hidden)
	if err != nil {
		return nil, err
	}
	if err := b.write(ctx, digits); err != nil {
		return nil, err
	}
	if err := n.predict(ctx, b); err != nil {
		return nil, err
	}
	return b.answers.Slice()
}
