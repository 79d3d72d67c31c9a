package parallel_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/internal/testing/mpitest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/kernels/attention"
)

// TestTensorProcesses: linear layers and rings in two to four processes, on each MPI, or to three where they poll.
func TestTensorProcesses(t *testing.T) {
	mpitest.Each(t, func(t *testing.T, l *mpitest.Launcher) {
		if testenv.Few() { // what goroutines of one process share, the tests without other processes find, too
			right(t, l, 2, nil, "ahead")
			return
		}
		right(t, l, 2, nil, "linear", "ring", "ahead")
		if l.Polls && runtime.NumCPU() < 4 && !testenv.Required("slow") {
			t.Logf("3 processes on %d processors poll in turn, which takes long: only with %s=slow", runtime.NumCPU(), testenv.RequireEnv)
			return
		}
		right(t, l, 3, nil, "linear", "ring")
		if !l.Polls { // three wait for each other in the same ways, and poll for less long
			right(t, l, 4, nil, "linear", "ring")
		}
	})
}

// TestTensorMistakes: each is an error that says what is wrong, before anything is queued.
func TestTensorMistakes(t *testing.T) {
	r := alone(t)
	other := alone(t)
	var a all
	make2 := func(shape ...int) *cutile.Tensor[float32] {
		x, err := cutile.NewTensor[float32](r.dev, shape...)
		return keep(&a, x, err)
	}
	x, w, y, bias := make2(6, 4), make2(8, 4), make2(6, 8), make2(8)
	far, err := cutile.NewTensor[float32](other.dev, 6, 4)
	keep(&a, far, err)
	q, k, sums := make2(1, 4, 10, 8), make2(1, 2, 10, 8), make2(1, 4, 10)
	if a.err != nil {
		t.Fatal(a.err)
	}
	column := func(x, w, bias, y *cutile.Tensor[float32]) error {
		return parallel.ColumnLinear(r, r.g, x, w, bias, y, nil)
	}
	row := func(x, w, bias, y *cutile.Tensor[float32]) error {
		return parallel.RowLinear(r, r.g, x, w, bias, y, nil)
	}
	ring, err := parallel.NewRing(r.g, 10, true)
	if err != nil {
		t.Fatal(err)
	}
	around := func(q, k, v, o, sums *cutile.Tensor[float32]) error {
		return parallel.RingAttention(r, ring, q, k, v, o, sums, 1)
	}
	back := func(to attention.Gradients[float32]) error {
		return parallel.RingAttentionBackward(r, ring, q, k, k, q, sums, q, to, 1)
	}
	newRing := func(n int) error { _, err := parallel.NewRing(r.g, n, true); return err }
	_, nilGroup := parallel.NewRing(nil, 10, false)
	type grads = parallel.LinearGradients[float32]
	for _, c := range []struct {
		err  error
		want string
	}{
		{parallel.ColumnLinear(r, nil, x, w, bias, y, nil), "parallel: ColumnLinear: the group is nil: use the one that dist.Join returns"},
		{column(nil, w, bias, y), "parallel: ColumnLinear: x is nil, expected a tensor [tokens, in]"},
		{column(x, nil, bias, y), "parallel: ColumnLinear: w is nil, expected a tensor [out/P, in]"},
		{column(x, w, bias, nil), "parallel: ColumnLinear: y is nil, expected a tensor [tokens, out/P]"},
		{column(far, w, bias, y), "parallel: ColumnLinear: x is on another device, and the group works on cpu: move it there"},
		{column(x.Narrow(0, 4, 9), w, bias, y), "parallel: ColumnLinear: x: cutile: Narrow of Tensor[float32]"},
		{column(x.Flatten(), w, bias, y), "parallel: ColumnLinear: x has shape [24] of rank 1, expected rank 2: [tokens, in]"},
		{column(x, w, bias, y.Flatten()), "parallel: ColumnLinear: y has shape [48] of rank 1, expected rank 2: [tokens, out/P]"},
		{column(x, w.Reshape(4, 8), bias, y), "parallel: ColumnLinear: x has 4 columns, but w has 8: both are the inputs of the layer"},
		{column(x, w, bias, y.Narrow(0, 0, 5)), "parallel: ColumnLinear: x has 6 rows, expected 5, the rows of y, or 5, a part of them"},
		{column(x, w, bias, y.Narrow(1, 0, 7)), "parallel: ColumnLinear: y has 7 columns, expected 8, the rows of w, or 8 for the 1 processes together"},
		{column(x, w, bias.Narrow(0, 0, 7), y), "parallel: ColumnLinear: bias has shape [7], expected [8]: [out/P], in process 0 of 1"},
		{row(x, w.Reshape(4, 8), bias, y), "parallel: RowLinear: x has 4 columns, but w has 8: both are this process's part of the inputs"},
		{row(x, w, bias, y.Narrow(1, 0, 7)), "parallel: RowLinear: y has 7 columns, but w has 8 rows: both are the outputs of the layer"},
		{row(x, w, bias, y.Narrow(0, 0, 5)), "parallel: RowLinear: y has 5 rows, expected 6, the rows of x, or 6, a part of them"},
		{row(x, w, bias, y.Reshape(8, 6).T()), "parallel: RowLinear: y has the strides [1 6], so there are gaps: use what the Contiguous method returns"},
		{row(x, w, bias.Reshape(2, 4), y), "parallel: RowLinear: bias has shape [2 4], expected [8]: [out], in process 0 of 1"},
		{parallel.ColumnLinearBackward(r, r.g, x, w, y, grads{X: w}), "parallel: ColumnLinearBackward: to.X has shape [8 4], expected [6 4]: [as x]"},
		{parallel.RowLinearBackward(r, r.g, x, w, y, grads{W: x}), "parallel: RowLinearBackward: to.W has shape [6 4], expected [8 4]: [as w]"},
		{parallel.RowLinearBackward(r, r.g, x, w, x, grads{}), "parallel: RowLinearBackward: dy has 4 columns, but w has 8 rows"},
		{nilGroup, "parallel: NewRing: the group is nil: use the one that dist.Join returns"},
		{newRing(1), "parallel: NewRing: a sequence of 1 tokens cannot be divided among 1 processes: it needs 2 tokens at least"},
		{newRing(-4), "parallel: NewRing: a sequence of -4 tokens cannot be divided"},
		{parallel.RingAttention(r, nil, q, k, k, q, sums, 1), "parallel: RingAttention: the ring is nil: use what NewRing returns"},
		{around(nil, k, k, q, sums), "parallel: RingAttention: q is nil, expected a tensor [batch, heads, tokens, dim]"},
		{around(q, k, k, q.Narrow(2, 0, 9), sums), "parallel: RingAttention: o has shape [1 4 9 8], expected [1 4 10 8]: [batch, heads, tokens, dim], in process 0 of 1"},
		{around(q.Narrow(2, 0, 9), k, k, q, sums), "parallel: RingAttention: q has shape [1 4 9 8], expected [1 4 10 8]"},
		{around(q.Narrow(1, 0, 3), k, k, q.Narrow(1, 0, 3), sums.Narrow(1, 0, 3)), "parallel: RingAttention: q has 3 heads and k has 2, expected a multiple"},
		{around(q, k, k.Narrow(1, 0, 1), q, sums), "parallel: RingAttention: v has shape [1 1 10 8], expected [1 2 10 8]: [batch, groups, tokens, dim]"},
		{around(q, k, q.Narrow(1, 0, 2).Narrow(3, 0, 4), q, sums), "parallel: RingAttention: v has shape [1 2 10 4]"},
		{around(q, make2(1, 4, 10, 8).Narrow(3, 0, 8), make2(1, 4, 8, 10).T(), q, sums), "parallel: RingAttention: k and v have the strides [320 80 8 1] and [320 80 1 10], so there are gaps"},
		{around(make2(1, 1, 10, 257), make2(1, 1, 10, 257), make2(1, 1, 10, 257), make2(1, 1, 10, 257), make2(1, 1, 10)), "parallel: RingAttention: heads have 257 elements, expected 1 to 256"},
		{back(attention.Gradients[float32]{Q: q, K: k}), "parallel: RingAttentionBackward: to.V is nil, expected a tensor [batch, groups, tokens, dim]"},
		{back(attention.Gradients[float32]{Q: q, K: k, V: k, Bias: q}), "parallel: RingAttentionBackward: to.Bias is a tensor, expected nil: there is no bias"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
		if strings.Contains(c.want, "shape") && !errors.Is(c.err, cutile.ErrMismatch) {
			t.Errorf("%v is no ErrMismatch", c.err)
		}
	}
	if a.err != nil {
		t.Error(a.err)
	}
}

// TestPositions: in one process, a ring has the whole sequence.
func TestPositions(t *testing.T) {
	r := alone(t)
	for _, causal := range []bool{false, true} {
		ring, err := parallel.NewRing(r.g, 5, causal)
		if err != nil {
			t.Fatal(err)
		}
		if got := ring.Positions(0); !slices.Equal(got, []int{0, 1, 2, 3, 4}) || ring.Len(0) != 5 || ring.Len(1) != 0 || ring.Positions(-1) != nil {
			t.Errorf("causal %v: %v", causal, got)
		}
	}
	if (*parallel.Ring)(nil).Positions(0) != nil || (*parallel.Ring)(nil).Len(0) != 0 {
		t.Error("a nil ring has tokens")
	}
}
