package parallel

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
)

// check refuses sets that make no sense in any process.
func (s *Gradients[E]) check(ctx context.Context, parameters []Parameter) error {
	if err := device.CheckContext(ctx); err != nil {
		return err
	}
	if s.group.Device() == nil {
		return errors.New("the group is nil: use the one that dist.Join returns")
	}
	if s.parts == 0 {
		s.parts = s.group.Size()
	}
	size, typ := s.group.Size(), dtype.Of[E]()
	own := s.parts / size
	switch {
	case len(parameters) == 0:
		return errors.New("there are no parameters")
	case s.bucket < 1:
		return fmt.Errorf("WithBucket(%d): a bucket has at least one byte", s.bucket)
	case s.parts < 1 || s.parts > max(MaxParts, size):
		return fmt.Errorf("WithParts(%d): the number of parts must be 1 to %d", s.parts, max(MaxParts, size))
	case s.parts%size != 0 || size > 1 && own&(own-1) != 0:
		return fmt.Errorf("WithParts(%d): %d processes need a number of parts that is %d times a power of two", s.parts, size, size)
	case s.mean && elements[typ].divide == nil:
		return fmt.Errorf("WithMean: there is no mean of %v: sum them, or use floats", typ)
	}
	names := map[string]int{}
	for i, p := range parameters {
		if p.Name == "" {
			return fmt.Errorf("parameter %d has no name: give each one of its own", i)
		}
		if j, twice := names[p.Name]; twice {
			return fmt.Errorf("parameter %d has the name %q, as parameter %d has: each needs a name of its own", i, p.Name, j)
		}
		names[p.Name] = i
		if length(p.Shape) < 1 {
			return fmt.Errorf("the shape of %s is %v: it needs elements, and at most %d", p.Name, p.Shape, maxLength)
		}
	}
	return nil
}

// maxLength is how many elements a gradient can have.
const maxLength = 1 << 40

// length is the number of elements of a shape; 0 if there are none or too many.
func length(shape []int) int {
	n := 1
	for _, extent := range shape {
		if extent < 1 || n > maxLength/extent {
			return 0
		}
		n *= extent
	}
	return n
}

// padded is how many elements a gradient takes in its bucket.
func padded(n, size int) int { return (n*size + alignment - 1) / alignment * alignment / size }

// agree compares what the processes were called with.
func (s *Gradients[E]) agree(ctx context.Context, parameters []Parameter) error {
	kind := "sums"
	if s.mean {
		kind = "means"
	}
	lines := []string{fmt.Sprintf("%s of %d parts in buckets of %d bytes", kind, s.parts, s.bucket)}
	for i, p := range parameters {
		lines = append(lines, fmt.Sprintf("parameter %d, %s %v of %v", i, p.Name, p.Shape, dtype.Of[E]()))
	}
	return agree(ctx, s.group, lines)
}

// bucket is a tensor of gradients.
type bucket[E dist.Number] struct {
	all       *device.Tensor[E]
	sums      []*device.Tensor[E] // sums of 1, 2, 4 … parts, see complete
	gradients int
	missing   int // those that are not ready in this part
}

// allocate makes the buckets.
func (s *Gradients[E]) allocate(parameters []Parameter) error {
	size := dtype.Of[E]().Size()
	for first := 0; first < len(parameters); {
		last, n := first, 0
		for last < len(parameters) && (last == first || (n+length(parameters[last].Shape))*size <= s.bucket) {
			n += padded(length(parameters[last].Shape), size)
			last++
		}
		b := &bucket[E]{gradients: last - first, missing: last - first}
		s.buckets = append(s.buckets, b)
		if err := b.allocate(s.group.Device(), n, s.own()); err != nil {
			return err
		}
		from := 0
		for _, p := range parameters[first:last] {
			g := gradient[E]{Parameter: p, bucket: b, from: from}
			if g.tensor = g.view(b.all); g.tensor.Err() != nil {
				return g.tensor.Err()
			}
			s.at[place{b.all.Untyped().Memory, g.tensor.Untyped().View.Offset}] = len(s.list)
			s.list = append(s.list, g)
			from += padded(length(p.Shape), size)
		}
		first = last
	}
	return nil
}

// view is the gradient's part of a tensor that is like its bucket.
func (g *gradient[E]) view(of *device.Tensor[E]) *device.Tensor[E] {
	return of.Narrow(0, g.from, g.from+length(g.Shape)).Reshape(g.Shape...)
}

func (b *bucket[E]) allocate(dev *device.Device, n, parts int) (err error) {
	if b.all, err = device.NewTensor[E](dev, n); err != nil {
		return err
	}
	for range bits.Len(uint(parts - 1)) {
		t, err := device.NewTensor[E](dev, n)
		if err != nil {
			return err
		}
		b.sums = append(b.sums, t)
	}
	return nil
}

func (b *bucket[E]) close() error {
	failed := []error{}
	for _, t := range append(b.sums, b.all) {
		if t != nil {
			failed = append(failed, t.Close())
		}
	}
	return errors.Join(failed...)
}

// complete adds a part of a process's parts, all gradients of which are ready. Sums are those of a tree, as [dist.WithTree] has them: bit k of
// the number of a part says that sums[k] is the sum of 2ᵏ parts before it. After the last part b.all has the sum.
func (b *bucket[E]) complete(ctx context.Context, dev *device.Device, part, parts int) error {
	last := part == parts-1
	for k := range b.sums {
		switch {
		case part>>k&1 != 0:
			if err := cutile.Launch(ctx, dev, elements[dtype.Of[E]()].add, b.sums[k], b.all); err != nil {
				return err
			}
		case !last:
			return b.sums[k].Copy(ctx, b.all)
		}
	}
	return nil
}

// divide queues the division by a number.
func (b *bucket[E]) divide(ctx context.Context, on cutile.Target, by int) error {
	return cutile.Launch(ctx, on, elements[dtype.Of[E]()].divide, b.all, float32(by))
}
