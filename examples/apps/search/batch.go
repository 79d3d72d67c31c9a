package main

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
)

// errBusy is the error of a query for which the queue has no room.
var errBusy = errors.New("too many queries are waiting")

// The sizes of a batcher.
const (
	maxBatch  = 8    // queries that are embedded together: one takes little less time than eight
	maxQueue  = 64   // queries that wait
	maxCached = 4096 // queries whose embeddings are kept: 1.5 kB each
)

// A batcher embeds queries of several goroutines together, and remembers the last ones: who types asks for some again.
type batcher struct {
	model indexer.Model
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
	ctx    context.Context
	query  string
	vector []float32
	err    error
	done   chan struct{}
}

// newBatcher makes a batcher, which runs until ctx ends.
func newBatcher(ctx context.Context, model indexer.Model) *batcher {
	b := &batcher{model: model, queue: make(chan *job, maxQueue), cached: map[string]*list.Element{}, order: list.New()}
	go b.run(ctx)
	return b
}

// embed gives the embedding of a query. The error is errBusy where the queue is full.
func (b *batcher) embed(ctx context.Context, query string) ([]float32, error) {
	if v := b.lookup(query); v != nil {
		return v, nil
	}
	j := &job{ctx: ctx, query: query, done: make(chan struct{})}
	select {
	case b.queue <- j:
	default:
		return nil, errBusy
	}
	select {
	case <-j.done:
		return j.vector, j.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run embeds what waits, as many queries at a time as there are.
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

// compute embeds the queries of jobs that somebody still waits for.
func (b *batcher) compute(ctx context.Context, jobs []*job) {
	var texts []string
	var asked []*job
	for _, j := range jobs {
		if j.ctx.Err() == nil {
			texts, asked = append(texts, j.query), append(asked, j)
		}
	}
	if len(asked) == 0 {
		return
	}
	vectors, err := b.model.Encode(ctx, texts)
	for i, j := range asked {
		if j.err = err; err == nil {
			j.vector = vectors[i]
			b.remember(j.query, j.vector)
		}
		close(j.done)
	}
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
