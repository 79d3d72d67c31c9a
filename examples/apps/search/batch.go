package main

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
)

// errBusy is the error of a query for which the queue has no room.
var errBusy = errors.New("too many queries are waiting")

// Sizes of a batcher.
const (
	maxBatch  = 16   // queries that are answered together, in less time than one by one
	maxQueue  = 64   // queries that wait
	maxCached = 4096 // queries whose embeddings are kept: 1.5 kB each
)

// A batcher answers queries of several goroutines together, and remembers the embeddings of the last ones: who types asks for some again.
type batcher struct {
	model indexer.Model
	index func() *index // the one that is searched now
	queue chan *job

	mu     sync.Mutex
	cached map[string]*list.Element // of *entry
	order  *list.List               // the last one that was used first
}

// An entry of the cache.
type entry struct {
	query  string
	vector []float32
}

// A job is a query that waits.
type job struct {
	ctx     context.Context
	query   string
	k       int
	vector  []float32
	results found
	err     error
	done    chan struct{}
}

// found are the results of a query, and the number of passages that were compared.
type found struct {
	results  []result
	passages int
}

// newBatcher makes a batcher, which runs until ctx ends.
func newBatcher(ctx context.Context, model indexer.Model, index func() *index) *batcher {
	b := &batcher{model: model, index: index, queue: make(chan *job, maxQueue), cached: map[string]*list.Element{}, order: list.New()}
	go b.run(ctx)
	return b
}

// search gives the k passages that are closest to a query. The error is errBusy where the queue is full.
func (b *batcher) search(ctx context.Context, query string, k int) (found, error) {
	j := &job{ctx: ctx, query: query, k: k, vector: b.lookup(query), done: make(chan struct{})}
	select {
	case b.queue <- j:
	default:
		return found{}, errBusy
	}
	select {
	case <-j.done:
		return j.results, j.err
	case <-ctx.Done():
		return found{}, ctx.Err()
	}
}

// run answers what waits, as many queries at a time as there are.
func (b *batcher) run(ctx context.Context) {
	for {
		var jobs []*job
		select {
		case <-ctx.Done():
			return
		case j := <-b.queue:
			jobs = append(jobs, j)
		}
		for more := true; more && len(jobs) < maxBatch; {
			select {
			case j := <-b.queue:
				jobs = append(jobs, j)
			default:
				more = false
			}
		}
		b.compute(ctx, jobs)
	}
}

// compute answers the jobs that somebody still waits for.
func (b *batcher) compute(ctx context.Context, jobs []*job) {
	jobs = slices.DeleteFunc(jobs, func(j *job) bool { return j.ctx.Err() != nil })
	err := b.embed(ctx, jobs)
	if err == nil {
		err = b.rank(ctx, jobs)
	}
	for _, j := range jobs {
		j.err = err
		close(j.done)
	}
}

// embed gives the queries their embeddings that have none.
func (b *batcher) embed(ctx context.Context, jobs []*job) error {
	var texts []string
	var asked []*job
	for _, j := range jobs {
		if j.vector == nil {
			texts, asked = append(texts, j.query), append(asked, j)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	vectors, err := b.model.Encode(ctx, texts)
	if err != nil {
		return err
	}
	for i, j := range asked {
		j.vector = vectors[i]
		b.remember(j.query, j.vector)
	}
	return nil
}

// rank finds the results of queries.
func (b *batcher) rank(ctx context.Context, jobs []*job) error {
	x, most := b.index(), 0
	vectors := make([][]float32, len(jobs))
	for i, j := range jobs {
		vectors[i], most = j.vector, max(most, j.k)
	}
	results, err := x.nearest(ctx, vectors, most)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		j.results = found{results[i][:min(j.k, len(results[i]))], len(x.items)}
	}
	return nil
}

func (b *batcher) lookup(query string) []float32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.cached[query]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	return e.Value.(*entry).vector
}

func (b *batcher) remember(query string, vector []float32) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cached[query] != nil {
		return
	}
	b.cached[query] = b.order.PushFront(&entry{query, vector})
	if b.order.Len() > maxCached {
		last := b.order.Remove(b.order.Back()).(*entry)
		delete(b.cached, last.query)
	}
}
