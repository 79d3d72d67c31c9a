package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
	"github.com/cutile-go/cutile/examples/apps/search/internal/passages"
	"github.com/cutile-go/cutile/examples/apps/search/internal/rank"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

// An index is what is in memory of the file of an index.
type index struct {
	head    store.Head
	files   int
	items   []item // of each row of the matrix
	matrix  *rank.Matrix
	changed time.Time // of the file
}

// An item is a passage and where it is.
type item struct {
	Path string `json:"path"`
	passages.Passage
}

// A result is a passage that was found.
type result struct {
	Score float32 `json:"score"` // 1 for the same meaning, about 0 for something else
	item
}

// loadIndex reads the index of a model and puts its embeddings on a device.
func loadIndex(dev *cutile.Device, model indexer.Model, path string) (*index, error) {
	info, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	s, err := store.Open(path, store.Head{Model: model.Identity(), Dim: model.Dim()})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	x := &index{head: s.Head(), changed: info.ModTime()}
	var vectors [][]float32
	err = s.Files(func(f store.File, vs [][]float32) error {
		x.files++
		vectors = append(vectors, vs...)
		for _, p := range f.Passages {
			x.items = append(x.items, item{f.Path, p})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(vectors) == 0 {
		return nil, fmt.Errorf("%w: %s has no passages yet; the command index adds some", store.ErrNone, path)
	}
	x.matrix, err = rank.New(dev, x.head.Dim, vectors)
	return x, err
}

// nearest gives for each query the k passages that are closest to it, the closest first.
func (x *index) nearest(ctx context.Context, queries [][]float32, k int) ([][]result, error) {
	hits, err := x.matrix.Top(ctx, queries, k)
	if err != nil {
		return nil, err
	}
	results := make([][]result, len(hits))
	for i := range hits {
		results[i] = make([]result, len(hits[i]))
		for n, h := range hits[i] {
			results[i][n] = result{h.Score, x.items[h.Row]}
		}
	}
	return results, nil
}
