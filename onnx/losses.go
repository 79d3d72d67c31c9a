package onnx

import (
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/graph"
)

var lossOperators = map[string]operator{
	"NegativeLogLikelihoodLoss": {12, 0, 2, 3, func(c *call) []*val { return c.out(logLoss(c, c.x(0))) }, false},
	"SoftmaxCrossEntropyLoss": {12, 0, 2, 3, func(c *call) []*val {
		c.rank(0, 2)
		log := graph.LogSoftmax(c.x(0), 1)
		return c.out(logLoss(c, log), log)
	}, false},
}

// logLoss takes what log, of shape [batch, classes, …], has for the class that input 1 names, weighted by input 2.
func logLoss(c *call, log *value) *value {
	shape, at := log.Shape(), c.in[1].shape
	if len(shape) < 2 || !slices.Equal(at, slices.Delete(slices.Clone(shape), 1, 2)) || shape[1] < 1 {
		refuse("shapes %v and %v do not fit", shape, at)
	}
	ignore := c.attrs["ignore_index"] != nil
	skip := c.int("ignore_index", 0)
	classes := c.x(1)
	weight := graph.Broadcast(c.like(log, 1), at...)
	safe := classes
	if ignore {
		keep := graph.NotEqual(classes, graph.Convert(c.num(dtype.I64, float64(skip)), classes.DType()))
		safe = graph.Where(keep, classes, c.like(classes, 0))
		weight = graph.Where(keep, c.like(log, 1), c.like(log, 0))
	}
	if w := c.opt(2); w != nil {
		weight = graph.Mul(weight, graph.Gather(w, safe, 0))
	}
	picked := graph.Reshape(graph.TakeAlong(log, graph.ExpandDims(safe, 1), 1), at...)
	loss := graph.Neg(graph.Mul(picked, weight))
	switch r := c.text("reduction", "mean"); r {
	case "none":
		return loss
	case "sum":
		return graph.ReduceSum(loss)
	case "mean":
		return graph.Div(graph.ReduceSum(loss), graph.ReduceSum(weight))
	default:
		refuse("reduction is %q, expected none, sum or mean", r)
		return nil
	}
}
