package rank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// A Hit is a row that was found.
type Hit struct {
	Row   int
	Score float32 // the scalar product of the row and the query: for embeddings, the cosine of the angle between them
}

// A Matrix is the embeddings in which queries are looked up. Any number of goroutines may use it.
type Matrix struct {
	dev  *cutile.Device
	rows int
	dim  int
	data *cutile.Tensor[float32] // [rows, dim]
	free sync.Pool               // of *buffers
	mu   sync.Mutex              // one launch on data at a time: a tensor must not be used by several goroutines
}

// buffers are what some queries need on the device.
type buffers struct {
	queries, scores *cutile.Tensor[float32]
}

// together is how many queries are compared at a time.
const together = 16

// New copies embeddings, each of dim elements, to a device.
func New(dev *cutile.Device, dim int, vectors [][]float32) (*Matrix, error) {
	m := &Matrix{dev: dev, rows: len(vectors), dim: dim}
	if len(vectors) == 0 {
		return m, nil
	}
	flat := make([]float32, 0, len(vectors)*dim)
	for i, v := range vectors {
		if len(v) != dim {
			return nil, fmt.Errorf("embedding %d has %d elements, expected %d", i, len(v), dim)
		}
		flat = append(flat, v...)
	}
	var err error
	if m.data, err = cutile.FromSlice(dev, flat, len(vectors), dim); err != nil {
		return nil, err
	}
	return m, m.data.Freeze(context.Background())
}

// Len is the number of rows.
func (m *Matrix) Len() int { return m.rows }

// Top gives for each query the k rows with the greatest scores, the greatest first; of equal ones the first rows. There are fewer than
// k if there are fewer rows.
func (m *Matrix) Top(ctx context.Context, queries [][]float32, k int) ([][]Hit, error) {
	for i, q := range queries {
		if len(q) != m.dim {
			return nil, fmt.Errorf("query %d has %d elements, expected %d", i, len(q), m.dim)
		}
	}
	hits := make([][]Hit, 0, len(queries))
	if m.rows == 0 || k < 1 {
		return hits[:len(queries)], nil
	}
	for part := range slices.Chunk(queries, together) {
		scores, err := m.scores(ctx, slices.Concat(part...))
		if err != nil {
			return nil, err
		}
		for row := range slices.Chunk(scores, m.rows) {
			hits = append(hits, top(row, k))
		}
	}
	return hits, nil
}

// scores computes the score of every row for each of some queries, one behind the other.
func (m *Matrix) scores(ctx context.Context, queries []float32) ([]float32, error) {
	b, err := m.buffers()
	if err != nil {
		return nil, err
	}
	n := len(queries) / m.dim
	in, scores := b.queries.Narrow(0, 0, n), b.scores.Narrow(0, 0, n)
	if err := in.Write(ctx, queries); err != nil {
		return nil, err
	}
	if err := m.launch(ctx, in, scores); err != nil {
		return nil, err
	}
	out := make([]float32, n*m.rows)
	if err := scores.Read(ctx, out); err != nil {
		return nil, err
	}
	m.free.Put(b)
	return out, nil
}

// launch queues the kernel that suits the number of queries: BenchmarkTop shows that a product takes longer for a single one.
func (m *Matrix) launch(ctx context.Context, queries, scores *cutile.Tensor[float32]) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if queries.Shape()[0] == 1 {
		return cutile.Launch3(ctx, m.dev, score[tile.D32, tile.D128], queries.Broadcast(32, m.dim), m.data, scores.T())
	}
	return cutile.Launch3(ctx, m.dev, scoreAll[tile.D16, tile.D128, tile.D64], queries, m.data.T(), scores)
}

func (m *Matrix) buffers() (*buffers, error) {
	if b, ok := m.free.Get().(*buffers); ok {
		return b, nil
	}
	queries, err1 := cutile.NewTensor[float32](m.dev, together, m.dim)
	scores, err2 := cutile.NewTensor[float32](m.dev, together, m.rows)
	return &buffers{queries, scores}, errors.Join(err1, err2)
}

// Close frees the memory on the device.
func (m *Matrix) Close() error {
	if m.data == nil {
		return nil
	}
	return m.data.Close()
}

// top selects the k greatest scores with a heap of the best so far, of which the worst is at the root.
func top(scores []float32, k int) []Hit {
	heap := make([]Hit, 0, min(k, len(scores)))
	for row, s := range scores {
		h := Hit{row, s}
		switch {
		case len(heap) < cap(heap):
			heap = append(heap, h)
			for i := len(heap) - 1; i > 0 && order(heap[i], heap[(i-1)/2]) > 0; i = (i - 1) / 2 {
				heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
			}
		case s > heap[0].Score: // later rows come after earlier ones of the same score
			heap[0] = h
			sink(heap)
		}
	}
	slices.SortFunc(heap, order)
	return heap
}

// sink moves the root of a heap to where it belongs.
func sink(heap []Hit) {
	for i := 0; ; {
		worst := i
		for _, c := range []int{2*i + 1, 2*i + 2} {
			if c < len(heap) && order(heap[c], heap[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}

// order puts greater scores first, then lower rows.
func order(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row))
}
