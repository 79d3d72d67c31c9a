package parallel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
)

// Parameter is a parameter of a network, which has a gradient of the same shape.
type Parameter struct {
	Name  string // for messages: not empty, and unlike those of others
	Shape []int
}

// Gradients are the gradients of a network, which the processes of a group sum. Its methods may be called from several goroutines.
type Gradients[E dist.Number] struct {
	group *dist.Group
	options
	list    []gradient[E]
	at      map[place]int // where each gradient begins
	buckets []*bucket[E]

	mu     sync.Mutex
	part   int // of those of this process, which is computed now
	ready  int // gradients of the part
	queued int // buckets whose sum is queued in this step
	failed error
}

type gradient[E dist.Number] struct {
	Parameter
	tensor *device.Tensor[E]
	bucket *bucket[E]
	from   int  // its first element in the bucket
	ready  bool // in this part
}

var errClosed = fmt.Errorf("parallel: the gradients are %w", device.ErrClosed)

var errNil = errors.New("parallel: the gradients are nil: use what NewGradients returns")

// place is where a gradient begins in memory.
type place struct {
	memory *core.Memory
	offset int
}

// NewGradients makes tensors of zeros for the gradients of parameters, in the order in which the backward pass computes them: the last layer
// first. Neighbours share a bucket. All processes of the group must call it with the same parameters and options, and get an error that names
// the first difference otherwise.
func NewGradients[E dist.Number](ctx context.Context, g *dist.Group, parameters []Parameter, opts ...Option) (*Gradients[E], error) {
	s := &Gradients[E]{group: g, options: options{bucket: DefaultBucket}, at: map[place]int{}}
	for _, opt := range opts {
		if opt == nil {
			return nil, errors.New("parallel: NewGradients: an option is nil")
		}
		opt(&s.options)
	}
	if err := s.check(ctx, parameters); err != nil {
		return nil, fmt.Errorf("parallel: NewGradients: %w", err)
	}
	if err := s.agree(ctx, parameters); err != nil {
		return nil, fmt.Errorf("parallel: NewGradients: %w", err)
	}
	if err := s.allocate(parameters); err != nil {
		return nil, errors.Join(fmt.Errorf("parallel: NewGradients: %w", err), s.Close())
	}
	return s, nil
}

// Len returns the number of gradients.
func (s *Gradients[E]) Len() int {
	if s == nil {
		return 0
	}
	return len(s.list)
}

// Tensor returns gradient i, a view of its bucket that the backward pass writes. Views of it that have all of its elements, such as by
// Reshape, are the gradient, too. For a number that there is not, the tensor has an error.
func (s *Gradients[E]) Tensor(i int) *device.Tensor[E] {
	if i >= 0 && i < s.Len() {
		return s.list[i].tensor
	}
	err := fmt.Errorf("parallel: there is no gradient %d: the set has %d", i, s.Len())
	return device.Typed(nil, &core.Tensor{Elem: dtype.Of[E](), Err: err}).(*device.Tensor[E])
}

// Buckets returns the buckets, tensors of one axis in which the gradients follow each other in the order of NewGradients, each at a multiple of
// 16 bytes, with zeros between them.
func (s *Gradients[E]) Buckets() []*device.Tensor[E] {
	if s == nil {
		return nil
	}
	var all []*device.Tensor[E]
	for _, b := range s.buckets {
		all = append(all, b.all)
	}
	return all
}

// Like makes tensors of zeros that lie in memory as the gradients do, such as for the parameters and for what an optimiser remembers: one for each
// bucket, and views of these, one for each gradient. So one launch can change all parameters of a bucket.
func (s *Gradients[E]) Like() (buckets, views []*device.Tensor[E], err error) {
	if s == nil {
		return nil, nil, errNil
	}
	for _, b := range s.buckets {
		t, err := device.NewTensor[E](s.group.Device(), b.all.Len())
		if err != nil {
			return nil, nil, fmt.Errorf("parallel: Like: %w", err)
		}
		buckets = append(buckets, t)
		for i := range s.list {
			if g := &s.list[i]; g.bucket == b {
				views = append(views, g.view(t))
			}
		}
	}
	return buckets, views, nil
}

// Parts returns which parts of a batch this process computes, of [WithParts]: the first, and the one behind the last.
func (s *Gradients[E]) Parts() (from, to int) {
	if s == nil {
		return 0, 0
	}
	n := s.own()
	return n * s.group.Rank(), n * (s.group.Rank() + 1)
}

// own is the number of parts that this process computes.
func (s *Gradients[E]) own() int { return s.parts / s.group.Size() }

// Part returns which elements of n belong to part i of parts, from the first to the one behind the last. Parts differ by at most one element.
// Without parts there are none.
func Part(n, i, parts int) (from, to int) {
	if parts < 1 {
		return 0, 0
	}
	return n * i / parts, n * (i + 1) / parts
}

// Ready says that the launches which write gradients have been queued, each in every part. After the last part of this process it queues the sums of
// all buckets that are complete, in the order of buckets, since all processes must queue the same. Until [Gradients.Finish] nothing may
// use the gradients then. A tensor that is no gradient of the set, or ready twice in a part, is an error; those before it in the call count. ctx
// bounds what the call waits for, which is nothing on most devices.
func (s *Gradients[E]) Ready(ctx context.Context, gradients ...*device.Tensor[E]) error {
	if s == nil {
		return errNil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	for _, t := range gradients {
		i, err := s.find(t)
		if err != nil {
			return fmt.Errorf("parallel: Ready: %w", err)
		}
		if err := s.mark(ctx, &s.list[i]); err != nil {
			s.failed = fmt.Errorf("parallel: Ready: %s: %w", s.list[i].Name, err)
			return s.failed
		}
	}
	return nil
}

// find returns the number of a gradient that may become ready.
func (s *Gradients[E]) find(t *device.Tensor[E]) (int, error) {
	u := t.Untyped()
	switch {
	case u == nil:
		return 0, errors.New("a gradient is nil")
	case u.Err != nil:
		return 0, u.Err
	}
	i, ok := s.at[place{u.Memory, u.View.Offset}]
	switch {
	case !ok:
		return 0, fmt.Errorf("%s is no gradient of this set: give what Tensor returns, or a view of all of it", t.String())
	case t.Len() != s.list[i].tensor.Len() || !t.IsContiguous():
		return 0, fmt.Errorf("%v is only a part of the gradient of %s, or in another order: give what Tensor returns", t.String(), s.list[i].Name)
	case s.part == s.own():
		return 0, fmt.Errorf("the gradient of %s is ready again after the last part (of %d): call Finish first", s.list[i].Name, s.own())
	case s.list[i].ready:
		return 0, fmt.Errorf("the gradient of %s is ready twice, while %s%s: call Ready once for each gradient", s.list[i].Name, s.lacking(), s.where())
	}
	return i, nil
}

// mark notes that a gradient is ready, and does what that makes possible.
func (s *Gradients[E]) mark(ctx context.Context, g *gradient[E]) error {
	g.ready = true
	s.ready++
	b := g.bucket
	if b.missing--; b.missing == 0 {
		if err := b.complete(ctx, s.group.Device(), s.part, s.own()); err != nil {
			return err
		}
		if s.part == s.own()-1 {
			if err := s.queue(ctx); err != nil {
				return err
			}
		}
	}
	if s.ready < len(s.list) {
		return nil
	}
	s.part++
	s.ready = 0
	for i := range s.list {
		s.list[i].ready = false
		s.list[i].bucket.missing = s.list[i].bucket.gradients
	}
	return nil
}

// queue queues the sums of buckets that are complete in the last part, up to the first that is not.
func (s *Gradients[E]) queue(ctx context.Context) error {
	for s.queued < len(s.buckets) && s.buckets[s.queued].missing == 0 {
		b := s.buckets[s.queued]
		s.queued++
		if err := dist.AllReduce(ctx, s.group, dist.Sum, b.all, b.all); err != nil {
			return err
		}
		if s.mean && s.parts > 1 {
			if err := b.divide(ctx, s.group.Stream(), s.parts); err != nil { // behind the sum: the backward pass goes on meanwhile
				return err
			}
		}
	}
	return nil
}

// Finish ends a step: launches that are queued later read the sums, and after them the backward pass may write the gradients again. It does not
// wait. A gradient that is not ready is an error, after which the program should end with a code, since other processes may wait.
func (s *Gradients[E]) Finish(ctx context.Context) error {
	if s == nil {
		return errNil
	}
	if err := device.CheckContext(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	if s.part < s.own() {
		return fmt.Errorf("parallel: Finish: %s%s: call Ready when their launches are queued", s.lacking(), s.where())
	}
	s.part, s.queued = 0, 0
	return nil
}

// where names the part, if there are several.
func (s *Gradients[E]) where() string {
	if s.own() == 1 {
		return ""
	}
	return fmt.Sprintf(", in part %d of the %d of this process", s.part+1, s.own())
}

// lacking names gradients that are not ready.
func (s *Gradients[E]) lacking() string {
	const most = 4
	var names []string
	for i := range s.list {
		if g := &s.list[i]; !g.ready {
			names = append(names, g.Name)
		}
	}
	n, more := len(names), ""
	if n > most {
		names, more = names[:most], ", …"
	}
	return fmt.Sprintf("%d of %d gradients are not ready (%s%s)", n, len(s.list), strings.Join(names, ", "), more)
}

// Close frees the gradients when the work that is queued on them has ended.
func (s *Gradients[E]) Close() error {
	if s == nil {
		return errNil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = errClosed
	var failed []error
	for _, b := range s.buckets {
		failed = append(failed, b.close())
	}
	return errors.Join(failed...)
}
