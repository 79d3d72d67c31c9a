// Package sample draws columns of rows of logits at random, for example the next tokens of a language model.
package sample

import (
	"context"
	"embed"
	"math"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernels.go sample.go
var source embed.FS
var _ = cutile.Module(source)

// Float lists the supported element types; the kernels compute in float32.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

// Options say how columns are drawn. The zero value takes the greatest logit of each row, the first one of equal ones.
//
// The limits count one after the other, in the order of the fields, each among what the ones before it have left. Equal logits are kept
// or left out together.
type Options struct {
	// Temperature divides the logits. 0 takes the greatest logit; the other fields do not matter then.
	Temperature float32
	// TopK, unless it is 0, keeps the greatest TopK logits.
	TopK int
	// TopP, unless it is 0, keeps the most probable columns whose probabilities together are at least TopP, from 0 to 1. (A. Holtzman
	// and others, The curious case of neural text degeneration, 2019.)
	TopP float32
	// MinP leaves out the columns whose probability is less than MinP times the greatest, from 0 to 1. (N. Nguyen and others, Turning up
	// the heat: min-p sampling, 2024.)
	MinP float32
	// Seed and Step select the random numbers, together with the row. The same numbers draw the same columns; each token of a text needs
	// a step, or a seed, of its own.
	Seed, Step int
}

func (o Options) check(function string) error {
	switch {
	case !(o.Temperature >= 0) || math.IsInf(float64(o.Temperature), 1):
		return shape.Wrong(function, "the temperature is %v, expected a number from 0", o.Temperature)
	case o.Temperature > 0 && o.Temperature < coldest:
		return shape.Wrong(function, "the temperature is %v, expected at least %v, or 0 for the greatest logit", o.Temperature, coldest)
	case o.TopK < 0:
		return shape.Wrong(function, "TopK is %d, expected a number of columns, or 0 for all", o.TopK)
	case !(o.TopP >= 0 && o.TopP <= 1) || !(o.MinP >= 0 && o.MinP <= 1):
		return shape.Wrong(function, "TopP is %v and MinP is %v, expected 0 to 1", o.TopP, o.MinP)
	}
	return nil
}

// coldest is the least temperature: logits over it are still finite numbers, as a rule.
const coldest = 1e-6

// rules are the numbers for the kernel, for rows of a number of columns.
func (o Options) rules(cols int) Rules {
	r := Rules{TopK: int32(cols), TopP: 1, MinP: float32(math.Log2(float64(o.MinP))), Seed: o.Seed, Step: o.Step}
	if o.Temperature > 0 {
		r.Scale = float32(math.Log2E / float64(o.Temperature))
	}
	if o.TopK > 0 {
		r.TopK = int32(min(o.TopK, cols))
	}
	if o.TopP > 0 {
		r.TopP = o.TopP
	}
	return r
}

// Run queues y = a column of each row of the logits x [rows, cols], for y [rows], drawn with the probabilities softmax(x/temperature)
// among those that the limits of o leave. NaN is never drawn; the result for a row of NaN and -Inf is 0.
func Run[E Float](ctx context.Context, on cutile.Target, x *cutile.Tensor[E], y *cutile.Tensor[int32], o Options) error {
	const name = "sample.Run"
	n, err := shape.Check(name, shape.Of("x", x, "rows cols"), shape.Of("y", y, "rows"))
	if err == nil {
		err = o.check(name)
	}
	if err != nil || n["rows"] == 0 {
		return err
	}
	switch cols := n["cols"]; {
	case cols == 0:
		return shape.Wrong(name, "x has shape %v, expected at least one column", x.Shape())
	case cols > mostCols:
		return shape.Wrong(name, "x has %d columns, expected at most %d, which float32 can count", cols, mostCols)
	}
	k := cutile.Sized(Rows[E, tile.D1], shape.Fit(n["cols"], 1, 2048))
	return cutile.Launch(ctx, on, k, x, y, o.rules(n["cols"]))
}

// mostCols is how many ones float32 can add.
const mostCols = 1 << 24
