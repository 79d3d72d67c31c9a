package main

import (
	"context"
	"embed"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/tile"
)

// The kernel compiler reads the kernels' source at run time.
//
//go:embed kernels.go
var source embed.FS
var _ = cutile.Module(source)

// The extents of the kernels' tiles.
type (
	rows  = tile.D32  // images
	wide  = tile.D32  // pixels and hidden units
	class = tile.D16  // the classes, all in one tile
	line  = tile.D256 // one long row
)

type (
	floats = *cutile.Tensor[float32]
	ints   = *cutile.Tensor[int32]
)

// parameters are the weights and biases of both layers, or a number for each of them, such as their gradients.
type parameters struct{ w1, b1, w2, b2 floats }

// layers lists the parameters in the order in which the backward pass computes their gradients.
func layers(hidden int) []parallel.Parameter {
	return []parallel.Parameter{
		{Name: "w2", Shape: []int{hidden, classes}}, {Name: "b2", Shape: []int{classes}},
		{Name: "w1", Shape: []int{pixels, hidden}}, {Name: "b1", Shape: []int{hidden}},
	}
}

// randomise sets the weights to random numbers of such a size that the layers neither amplify nor damp (K. He and
// others, 2015). The biases stay zero.
func (p parameters) randomise(ctx context.Context, r *rand.Rand) error {
	for _, w := range []floats{p.w1, p.w2} {
		x, deviation := make([]float32, w.Len()), math.Sqrt(2/float64(w.Shape()[0]))
		for i := range x {
			x[i] = float32(r.NormFloat64() * deviation)
		}
		if err := w.Write(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// batch holds images and everything that the network computes from them, with one row for each image.
type batch struct {
	images  floats // pixels of each image
	labels  ints
	hidden  floats // result of the first layer
	scores  floats // result of the second layer, one number for each class
	dHidden floats // gradient of the loss with respect to the hidden units before their activation
	dScores floats // gradient of the loss with respect to the scores
	loss    floats
	answers ints
}

func newBatch(dev *cutile.Device, n, hidden int) (b batch, err error) {
	var failed []error
	newFloats := func(shape ...int) floats {
		t, err := cutile.NewTensor[float32](dev, shape...)
		failed = append(failed, err)
		return t
	}
	newInts := func(n int) ints {
		t, err := cutile.NewTensor[int32](dev, n)
		failed = append(failed, err)
		return t
	}
	b = batch{
		images: newFloats(n, pixels), labels: newInts(n),
		hidden: newFloats(n, hidden), scores: newFloats(n, classes),
		dHidden: newFloats(n, hidden), dScores: newFloats(n, classes),
		loss: newFloats(n), answers: newInts(n),
	}
	return b, errors.Join(failed...)
}

// part returns a range of the images as views, without a copy.
func (b batch) part(from, to int) batch {
	return batch{
		images: b.images.Narrow(0, from, to), labels: b.labels.Narrow(0, from, to),
		hidden: b.hidden.Narrow(0, from, to), scores: b.scores.Narrow(0, from, to),
		dHidden: b.dHidden.Narrow(0, from, to), dScores: b.dScores.Narrow(0, from, to),
		loss: b.loss.Narrow(0, from, to), answers: b.answers.Narrow(0, from, to),
	}
}

// write copies images to the batch. Their number must be the batch's number of rows.
func (b batch) write(ctx context.Context, digits []digit) error {
	images, labels := flatten(digits)
	return errors.Join(b.images.Write(ctx, images), b.labels.Write(ctx, labels))
}

// network has two layers: images -> linear, relu -> hidden units -> linear -> scores. Each process of a group has a copy.
type network struct {
	dev           *cutile.Device
	group         *dist.Group
	hidden, parts int // parts of a batch, in all processes

	weights, grads parameters
	sums           *parallel.Gradients[float32] // what grads are views of

	// Tensors with all weights of a bucket of gradients, of which weights are views, and their velocities.
	allWeights, velocities []floats
}

// newNetwork makes a network with random weights. All processes must call it; the weights of rank 0 count.
func newNetwork(ctx context.Context, g *dist.Group, parts, hidden int, r *rand.Rand) (n *network, err error) {
	n = &network{dev: g.Device(), group: g, hidden: hidden, parts: parts}
	if n.sums, err = parallel.NewGradients[float32](ctx, g, layers(hidden), parallel.WithParts(parts)); err != nil {
		return nil, err
	}
	n.grads = parameters{w2: n.sums.Tensor(0), b2: n.sums.Tensor(1), w1: n.sums.Tensor(2), b1: n.sums.Tensor(3)}
	var views []floats
	if n.allWeights, views, err = n.sums.Like(); err != nil {
		return nil, err
	}
	n.weights = parameters{w2: views[0], b2: views[1], w1: views[2], b1: views[3]}
	if n.velocities, _, err = n.sums.Like(); err != nil {
		return nil, err
	}
	if err := n.weights.randomise(ctx, r); err != nil {
		return nil, err
	}
	return n, parallel.Replicate(ctx, g, n.allWeights...)
}

// forward queues the computation of the scores of a batch.
func (n *network) forward(ctx context.Context, b batch) error {
	w := n.weights
	return errors.Join(
		cutile.Launch4With(ctx, n.dev, linear[rows, wide, wide], b.images, w.w1, w.b1, b.hidden, relu[mat[rows, wide]]),
		cutile.Launch4With(ctx, n.dev, linear[rows, class, wide], b.hidden, w.w2, w.b2, b.scores, same[mat[rows, class]]),
	)
}

// backward queues the computation of the losses of a part of a batch after forward, and of its part of the gradients of the batch's mean loss.
// images is the number of images of the whole batch. The sum of a bucket of gradients over all processes begins when the bucket is complete.
func (n *network) backward(ctx context.Context, b batch, images int) error {
	w, g := n.weights, n.grads
	return errors.Join(
		cutile.Launch4With(ctx, n.dev, crossEntropy[rows, class], b.scores, b.labels, b.dScores, b.loss, images),
		cutile.Launch3(ctx, n.dev, weightGrad[wide, class, rows], b.hidden, b.dScores, g.w2),
		cutile.Launch2(ctx, n.dev, biasGrad[class, rows], b.dScores, g.b2),
		n.sums.Ready(ctx, g.w2, g.b2),
		cutile.Launch4(ctx, n.dev, hiddenGrad[rows, wide, class], b.dScores, w.w2, b.hidden, b.dHidden),
		cutile.Launch3(ctx, n.dev, weightGrad[wide, wide, rows], b.images, b.dHidden, g.w1),
		cutile.Launch2(ctx, n.dev, biasGrad[wide, rows], b.dHidden, g.b1),
		n.sums.Ready(ctx, g.w1, g.b1),
	)
}

// learn queues one step of training: this process computes its parts of the batch.
func (n *network) learn(ctx context.Context, b batch) error {
	images := b.images.Shape()[0]
	first, last := n.sums.Parts()
	for i := first; i < last; i++ {
		part := b.part(parallel.Part(images, i, n.parts))
		if err := errors.Join(n.forward(ctx, part), n.backward(ctx, part, images)); err != nil {
			return err
		}
	}
	if err := n.sums.Finish(ctx); err != nil {
		return err
	}
	for i, g := range n.sums.Buckets() {
		if err := cutile.Launch(ctx, n.dev, update[line], g, n.allWeights[i], n.velocities[i], rate, momentum); err != nil {
			return err
		}
	}
	return nil
}

// predict queues the predictions for a batch.
func (n *network) predict(ctx context.Context, b batch) error {
	return errors.Join(
		n.forward(ctx, b),
		cutile.Launch2(ctx, n.dev, predict[rows, class], b.scores, b.answers),
	)
}
