package loss_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/loss"
)

// policy is the reference of one token: its loss and the slope of that by the logits.
func policy(logits []float64, token int, advantage, old, ref float64, p loss.Policy) float64 {
	t := float64(p.Temperature)
	if t == 0 {
		t = 1
	}
	peak, sum := slices.Max(logits)/t, 0.0
	for _, x := range logits {
		sum += math.Exp(x/t - peak)
	}
	log := logits[token]/t - peak - math.Log(sum)
	ratio := math.Exp(log - old)
	bounded := min(max(ratio, 1-float64(p.Low)), 1+float64(p.High))
	return -min(ratio*advantage, bounded*advantage) + float64(p.Beta)*(math.Exp(ref-log)-(ref-log)-1)
}

func testGRPO[E element](t *testing.T, tolerance, rounding float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, s := range [][3]int{{3, 7, 5}, {2, 3, 2100}, {1, 1, 1}, {2, 0, 3}, {0, 3, 3}} {
		seqs, length, classes := s[0], s[1], s[2]
		for _, p := range []loss.Policy{{Low: 0.2, High: 0.2, Beta: 0.04, Ignore: -100}, {Low: 0.2, High: 0.28, Temperature: 0.7, Ignore: -1}, {Low: 0.1, High: 0.1, Beta: 1}} {
			what := fmt.Sprint(s, p)
			x, xs := kerneltest.Random[E](t, dev, r, seqs, length, classes)
			advantage, as := kerneltest.Random[float32](t, dev, r, seqs)
			ids, olds, refs := make([]float64, seqs*length), make([]float64, seqs*length), make([]float64, seqs*length)
			for i := range ids {
				ids[i] = float64(r.IntN(classes))
				logits := xs[i*classes:][:classes]
				log := math.Log(math.Exp(-policy(logits, int(ids[i]), 1, 0, 0, loss.Policy{Low: 1, High: 1, Temperature: p.Temperature})))
				log = math.Log(log) // the loss is -p where nothing is bounded
				olds[i], refs[i] = log+0.5*r.NormFloat64(), log+0.5*r.NormFloat64()
				if i%4 == 2 && p.Ignore != 0 {
					ids[i] = float64(p.Ignore)
				}
			}
			tokens, _ := kerneltest.Tensor[int32](t, dev, ids, seqs, length)
			old, olds := kerneltest.Tensor[float32](t, dev, olds, seqs, length)
			ref, refs := kerneltest.Tensor[float32](t, dev, refs, seqs, length)
			dy, dys := kerneltest.Random[float32](t, dev, r, seqs, length)
			y, dx := kerneltest.New[float32](t, dev, seqs, length), kerneltest.New[E](t, dev, seqs, length, classes)
			want, slopes := make([]float64, seqs*length), make([]float64, len(xs))
			for i, id := range ids {
				if id < 0 {
					continue
				}
				row := xs[i*classes:][:classes]
				at := func() float64 { return policy(row, int(id), as[i/length], olds[i], refs[i], p) }
				want[i] = at()
				for j, v := range row[:min(classes, 40)] { // differences of all would take long
					const h = 1e-6
					row[j] = v + h
					up := at()
					row[j] = v - h
					slopes[i*classes+j] = (up - at()) / (2 * h) * dys[i]
					row[j] = v
				}
			}
			if p.Beta == 0 {
				ref = nil
			}
			kerneltest.Must(t, loss.GRPO(t.Context(), dev, x, tokens, advantage, old, ref, y, p))
			kerneltest.Near(t, what, y, want, tolerance)
			kerneltest.Must(t, loss.GRPOBackward(t.Context(), dev, x, tokens, advantage, old, ref, dy, dx, p))
			part := min(classes, 40)
			firsts, err := dx.Narrow(2, 0, part).Contiguous()
			kerneltest.Must(t, err)
			var list []float64
			for i := range ids {
				list = append(list, slopes[i*classes:][:part]...)
			}
			kerneltest.Near(t, what+" backward", firsts, list, rounding)
		}
	}
}

func TestGRPO(t *testing.T) {
	t.Run("float32", func(t *testing.T) { testGRPO[float32](t, 2e-5, 2e-5) })
	t.Run("bfloat16", func(t *testing.T) { testGRPO[dtype.BFloat16](t, 2e-5, 1e-2) })
}

// TestGRPOSampling: without old probabilities the ratio is 1, and the gradient that of -advantage·log p.
func TestGRPOSampling(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	const length, classes = 3, 4
	x, xs := kerneltest.Random[float32](t, dev, r, 2, length, classes)
	advantage, as := kerneltest.Random[float32](t, dev, r, 2)
	ids := []float64{0, 3, 2, 1, 1, 0}
	tokens, _ := kerneltest.Tensor[int32](t, dev, ids, 2, length)
	dy, dys := kerneltest.Random[float32](t, dev, r, 2, length)
	y, dx := kerneltest.New[float32](t, dev, 2, length), kerneltest.New[float32](t, dev, 2, length, classes)
	p := loss.Policy{Low: 0.2, High: 0.2}
	kerneltest.Must(t, loss.GRPO(t.Context(), dev, x, tokens, advantage, nil, nil, y, p))
	kerneltest.Must(t, loss.GRPOBackward(t.Context(), dev, x, tokens, advantage, nil, nil, dy, dx, p))
	_, slopes, _ := entropy(xs, ids, classes, loss.Labels{})
	want := make([]float64, 2*length)
	for i := range want {
		want[i] = -as[i/length]
		for j := range classes {
			slopes[i*classes+j] *= as[i/length] * dys[i]
		}
	}
	kerneltest.Near(t, "losses", y, want, 1e-6)
	kerneltest.Near(t, "gradient", dx, slopes, 1e-6)
}

func TestGRPOMistakes(t *testing.T) {
	dev := kerneltest.CPU(t)
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	tokens, _ := kerneltest.Tensor[int32](t, dev, []float64{0, 1, 4}, 1, 3)
	for _, c := range []struct {
		p    loss.Policy
		want string
	}{
		{loss.Policy{Beta: 1}, "ref is nil, expected a tensor"},
		{loss.Policy{Low: 1.5}, "Low is 1.5 and High 0, expected 0 to 1, and 0 or more"},
		{loss.Policy{Temperature: -1}, "the temperature is -1, expected a positive number, or 0 for 1"},
		{loss.Policy{Ignore: 5}, "the token to ignore is 5, expected a negative number, or 0 for none"},
	} {
		kerneltest.Mismatch(t, loss.GRPO(t.Context(), dev, x(1, 3, 4), tokens, x(1), nil, nil, x(1, 3), c.p), "loss.GRPO: "+c.want)
	}
	kerneltest.Mismatch(t, loss.GRPO(t.Context(), dev, x(1, 3, 4), tokens, x(1), nil, x(1, 3), x(1, 3), loss.Policy{Beta: -1}), "loss.GRPO: Beta is -1, expected 0 or more")
	err := loss.GRPO(t.Context(), dev, x(1, 3, 4), tokens, x(1), nil, nil, x(1, 3), loss.Policy{})
	if err == nil {
		err = dev.Sync(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "a token of the loss is neither a column of the logits nor the number to ignore") {
		t.Errorf("a token that is no class: %v", err)
	}
}
