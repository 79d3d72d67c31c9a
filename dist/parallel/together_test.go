package parallel_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dist/parallel"
)

// differ gives the processes different sets: all get the same error.
func (r *rank) differ() error {
	first, last := r.g.Rank() == 0, r.g.Rank() == r.g.Size()-1
	size := r.g.Size()
	either := func(which bool, a, b []parallel.Parameter) []parallel.Parameter {
		if which {
			return a
		}
		return b
	}
	wider := []parallel.Parameter{layers[0], {"b3", []int{12}}}
	for _, c := range []struct {
		own  []parallel.Parameter
		opts []parallel.Option
		want string
	}{
		{either(first, layers[:2], wider), nil, "; from rank 0 on: parameter 1, b3 [11] of float32; from rank 1 on: parameter 1, b3 [12] of float32"},
		{either(last, layers[:2], layers[:3]), nil, fmt.Sprintf("; from rank 0 on: parameter 2, scale [] of float32; from rank %d on: no more parameters", size-1)},
		{layers, []parallel.Option{parallel.WithBucket(100 + r.g.Rank()/(size-1))}, fmt.Sprintf("; from rank 0 on: sums of %d parts in buckets of 100 bytes; from rank %d on: sums of %d parts in buckets of 101 bytes", size, size-1, size)},
	} {
		want := "parallel: NewGradients: the processes differ" + c.want + ": call it in all processes with the same arguments"
		if _, err := parallel.NewGradients[float32](r, r.g, c.own, c.opts...); err == nil || err.Error() != want {
			return fmt.Errorf("error %v, want %s", err, want)
		}
	}
	_, err := parallel.NewGradients[float32](r, r.g, layers, parallel.WithParts(3*size))
	if want := fmt.Sprintf("parallel: NewGradients: WithParts(%d): %d processes need a number of parts that is %d times a power of two", 3*size, size, size); err == nil || err.Error() != want {
		return fmt.Errorf("error %v, want %s", err, want)
	}
	return nil
}

// early checks that the sum of a bucket does not wait for the next one: the last process completes its second bucket only after it has seen the sum
// of the first.
func (r *rank) early() error { return r.earlyIn(r.g) }

// gpu does without kernels, which a stand-in for the driver does not run, once with MPI and once with NCCL, if there is one.
func (r *rank) gpu() error {
	if text := parent.String(); os.Getenv("CUTILE_LIBNCCL") != "" && !strings.Contains(text, "NCCL") {
		return fmt.Errorf("the group is %s", text)
	}
	return errors.Join(r.earlyIn(r.g), r.earlyIn(parent), r.replicas())
}

func (r *rank) earlyIn(g *dist.Group) error {
	s, err := parallel.NewGradients[float32](r, g, []parallel.Parameter{{"b", []int{3}}, {"a", []int{4}}}, parallel.WithBucket(12))
	if err != nil {
		return err
	}
	b, a := s.Tensor(0), s.Tensor(1)
	if err := errors.Join(b.Fill(r, 2), s.Ready(r, b)); err != nil {
		return err
	}
	if err := fills(b, float32(2*r.g.Size())); err != nil {
		return fmt.Errorf("before the second bucket: %w", err)
	}
	if err := errors.Join(a.Fill(r, 3), s.Ready(r, a), s.Finish(r)); err != nil {
		return err
	}
	return fills(a, float32(3*r.g.Size()))
}

func fills(x *cutile.Tensor[float32], want float32) error {
	got, err := x.Slice()
	if err != nil {
		return err
	}
	for _, v := range got {
		if v != want {
			return fmt.Errorf("%v, want %v everywhere", got, want)
		}
	}
	return nil
}

// replicas copies and compares parameters.
func (r *rank) replicas() error {
	x, err := cutile.Full(r.dev, float32(r.g.Rank()+1), 3, 5)
	if err != nil {
		return err
	}
	y, err := cutile.Full(r.dev, float32(7), 2)
	if err != nil {
		return err
	}
	err = parallel.CheckReplicas(r, r.g, y, x)
	if r.g.Size() > 1 {
		want := "parallel: CheckReplicas: tensor 1 [3 5] of float32 differs from that of rank 0 in rank 1"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			return fmt.Errorf("error %v, want %s", err, want)
		}
	} else if err != nil {
		return err
	}
	if err := errors.Join(parallel.Replicate(r, r.g, x, y), fills(x, 1), fills(y, 7), parallel.CheckReplicas(r, r.g, x, y)); err != nil {
		return err
	}
	if r.g.Size() == 1 {
		return nil
	}
	longer, err := cutile.NewTensor[float32](r.dev, 3+r.g.Rank()/(r.g.Size()-1))
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		err  error
	}{
		{"Replicate", parallel.Replicate(r, r.g, x, longer)},
		{"CheckReplicas", parallel.CheckReplicas(r, r.g, x, longer)},
	} {
		want := fmt.Sprintf("parallel: %s: the processes differ; from rank 0 on: tensor 1 [3] of float32; from rank %d on: tensor 1 [4] of float32", c.name, r.g.Size()-1)
		if c.err == nil || !strings.HasPrefix(c.err.Error(), want) {
			return fmt.Errorf("error %v, want %s", c.err, want)
		}
	}
	return r.g.Barrier(r)
}
