package moe

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// Router says how the experts of a token and their weights follow from a logit for each expert. The score of an expert is the softmax over all
// experts, or the sigmoid of its logit; the experts with the greatest scores, or with the greatest sums of score and bias, are chosen, the
// first of equal ones. Their weights are their scores, without the bias.
//
// {Normalise: true} is that of Mixtral, whose softmax over the chosen logits is the same. (A. Jiang and others, Mixtral of experts, 2024.)
// {Sigmoid: true, Normalise: true, Scale: 2.5} with a bias is that of DeepSeek-V3 without its limit of nodes, as one that has a single group
// of experts. (DeepSeek-V3 technical report, 2024.)
type Router struct {
	// Sigmoid takes the sigmoid of a logit as its score, else the softmax.
	Sigmoid bool
	// Normalise divides the weights of a token by their sum. To keep that from 0, 1e-20 is added.
	Normalise bool
	// Scale multiplies weights in the end. 0 means 1.
	Scale float32
}

func (r Router) factors() Factors {
	f := Factors{r.Sigmoid, r.Normalise, r.Scale}
	if f.Scale == 0 {
		f.Scale = 1
	}
	return f
}

// mostExperts is how many experts a block can compare, and mostShare how many of them a token can have.
const mostExperts, mostShare = 4096, 64

func checkChoice(function string, args ...shape.Arg) (shape.Extents, error) {
	n, err := shape.Check(function, args...)
	switch {
	case err != nil:
		return nil, err
	case n["experts"] > mostExperts:
		return nil, shape.Wrong(function, "there are %d experts, expected at most %d", n["experts"], mostExperts)
	case n["share"] > min(n["experts"], mostShare):
		return nil, shape.Wrong(function, "a token has %d experts of %d, expected at most %d", n["share"], n["experts"], min(n["experts"], mostShare))
	}
	return n, nil
}

// RunChoose queues the choice of experts: ids [tokens, share] gets the experts of each token, the best one first, and weights [tokens, share]
// their weights, for logits [tokens, experts]. bias [experts] may be nil. Logits that are NaN are chosen last, and make weights that are NaN.
func RunChoose[E Float](ctx context.Context, on cutile.Target, r Router, logits *cutile.Tensor[E], bias *cutile.Tensor[float32], ids *cutile.Tensor[int32],
	weights *cutile.Tensor[float32]) error {
	const name = "moe.RunChoose"
	args := []shape.Arg{shape.Of("logits", logits, "tokens experts"), shape.Of("ids", ids, "tokens share"), shape.Of("weights", weights, "tokens share")}
	if bias != nil {
		args = append(args, shape.Of("bias", bias, "experts"))
	}
	n, err := checkChoice(name, args...)
	if err != nil || ids.Len() == 0 {
		return err
	}
	biased := bias != nil
	if !biased {
		if bias, err = cutile.NewTensor[float32](logits.Device(), 1); err != nil {
			return err
		}
		defer bias.Close() // after the kernel
	}
	c := shape.Fit(n["experts"], 1, mostExperts)
	k := cutile.Sized(Choose[E, one, one, one], shape.Together(n["tokens"], c, 2048), shape.Fit(n["share"], 1, mostShare), c)
	return cutile.Launch(ctx, on, k, logits, bias, ids, weights, biased, r.factors())
}

// RunChooseBackward queues dlogits [tokens, experts], the gradient of the logits for [RunChoose] with the same router, given the ids that it
// stored and dweights [tokens, share], the gradient of the weights. Which experts are chosen has no gradient, and neither has the bias.
func RunChooseBackward[E, D Float](ctx context.Context, on cutile.Target, r Router, logits *cutile.Tensor[E], ids *cutile.Tensor[int32],
	dweights *cutile.Tensor[float32], dlogits *cutile.Tensor[D]) error {
	n, err := checkChoice("moe.RunChooseBackward", shape.Of("logits", logits, "tokens experts"), shape.Of("ids", ids, "tokens share"),
		shape.Of("dweights", dweights, "tokens share"), shape.Of("dlogits", dlogits, "tokens experts"))
	if err != nil {
		return err
	}
	c := shape.Fit(n["experts"], 1, mostExperts)
	k := cutile.Sized(ChooseBackward[E, D, one, one], shape.Together(n["tokens"], c, 2048), c)
	return cutile.Launch(ctx, on, k, logits, ids, dweights, dlogits, r.factors())
}
