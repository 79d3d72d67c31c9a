package indexer

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

// miss notes the passages of a file for which neither the index nor what is waiting has an embedding.
func (u *updater) miss(f store.File) error {
	keys := map[store.Key]bool{}
	for _, p := range f.Passages {
		if key := store.KeyOf(p); !u.known[key] {
			keys[key] = false
		}
	}
	if err := u.index.Has(keys); err != nil {
		return err
	}
	first := len(u.missing)
	for _, p := range f.Passages {
		key := store.KeyOf(p)
		if has, asked := keys[key]; asked && !has && !u.known[key] {
			u.missing = append(u.missing, missing{key: key, text: p.Embedded()})
		}
		u.known[key] = true
	}
	added := u.missing[first:]
	for i := range added { // each stands for a part of the file, which is shown as done with it
		n := int64(len(added))
		added[i].bytes = f.Size*int64(i+1)/n - f.Size*int64(i)/n
	}
	if len(added) == 0 {
		u.progress.Embedded(0, f.Size)
	}
	return nil
}

// embed embeds the first n texts that are missing and writes them, with the files that are complete then.
func (u *updater) embed(ctx context.Context, n int) error {
	texts := make([]string, n)
	for i, m := range u.missing[:n] {
		texts[i] = m.text
	}
	vectors, err := u.model.Encode(ctx, texts)
	if err != nil {
		return err
	}
	if len(vectors) != n {
		return fmt.Errorf("BUG: the model gave %d embeddings for %d texts", len(vectors), n)
	}
	made := make(map[store.Key][]float32, n)
	var bytes int64
	for i, m := range u.missing[:n] {
		made[m.key] = vectors[i]
		bytes += m.bytes
	}
	u.missing = u.missing[n:]
	u.embedded += n
	u.report.Embedded += n
	u.progress.Embedded(n, bytes)
	return u.write(made)
}

// write writes embeddings and the pending files that lack none then.
func (u *updater) write(made map[store.Key][]float32) error {
	var complete []store.File
	for _, f := range u.pending {
		if f.after > u.embedded {
			break
		}
		complete = append(complete, f.File)
	}
	if err := u.index.Put(made, complete...); err != nil {
		return err
	}
	u.pending = u.pending[len(complete):]
	u.report.Written += len(complete)
	for _, f := range complete {
		u.report.Found += len(f.Passages)
	}
	return nil
}

// flush embeds and writes all that is waiting.
func (u *updater) flush(ctx context.Context) error {
	for len(u.missing) > 0 {
		if err := u.embed(ctx, min(group, len(u.missing))); err != nil {
			return err
		}
	}
	return u.write(nil)
}
