package main

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile"
)

// Parameters of the training: the number of images in a step, the length of a step, and the momentum.
const (
	batchSize = 64
	rate      = 0.05
	momentum  = 0.9
)

// train runs a number of epochs over the images, each in a new order, and reports the mean loss of each epoch.
func train(ctx context.Context, n *network, digits []digit, epochs int, r *rand.Rand,
	report func(epoch int, loss float32)) error {
	digits = slices.Clone(digits)
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
		if err := all.write(ctx, digits); err != nil {
			return err
		}
		for _, b := range batches {
			if err := n.learn(ctx, b); err != nil {
				return err
			}
		}
		if err := cutile.Launch2(ctx, n.dev, mean[line], all.loss, meanLoss); err != nil {
			return err
		}
		loss, err := meanLoss.Item() // waits for the whole epoch
		if err != nil {
			return err
		}
		report(epoch+1, loss)
	}
	return nil
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
