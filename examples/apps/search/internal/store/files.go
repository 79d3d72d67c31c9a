package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/cutile-go/cutile/examples/apps/search/internal/passages"
	"go.etcd.io/bbolt"
)

// A Stamp is what tells whether a file has changed.
type Stamp struct {
	Hash string    `json:"hash"` // of its contents
	Size int64     `json:"size"`
	Time time.Time `json:"time"` // of its last change
}

// A File is what an index holds of a file.
type File struct {
	Path string `json:"path"` // below the folder, with slashes
	Stamp
	Passages []passages.Passage `json:"passages"`
	Vectors  [][]float32        `json:"-"` // of each passage
}

// Stamps gives the stamps of the files of the index, by path.
func (s *Store) Stamps() (map[string]Stamp, error) {
	out := map[string]Stamp{}
	err := s.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(filesBucket).ForEach(func(path, data []byte) error {
			var f struct{ Stamp }
			if err := json.Unmarshal(data, &f); err != nil {
				return damaged(s.path, err)
			}
			out[string(path)] = f.Stamp
			return nil
		})
	})
	return out, err
}

// Put writes files, in place of what the index had of those paths, in one transaction.
func (s *Store) Put(files ...File) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, f := range files {
			data, err := json.Marshal(f)
			if err != nil {
				return err
			}
			if len(f.Vectors) != len(f.Passages) {
				return fmt.Errorf("BUG: %s has %d passages and %d embeddings", f.Path, len(f.Passages), len(f.Vectors))
			}
			vectors := make([]byte, 0, 4*len(f.Vectors)*s.head.Dim)
			for _, v := range f.Vectors {
				if len(v) != s.head.Dim {
					return fmt.Errorf("BUG: an embedding of %s has %d elements, not %d", f.Path, len(v), s.head.Dim)
				}
				for _, x := range v {
					vectors = binary.LittleEndian.AppendUint32(vectors, math.Float32bits(x))
				}
			}
			if err := tx.Bucket(filesBucket).Put([]byte(f.Path), data); err != nil {
				return err
			}
			if err := tx.Bucket(vectorsBucket).Put([]byte(f.Path), vectors); err != nil {
				return err
			}
		}
		return nil
	})
}

// Touch writes new stamps of files whose contents are what they were.
func (s *Store) Touch(stamps map[string]Stamp) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket(filesBucket)
		for path, stamp := range stamps {
			var f File
			if err := json.Unmarshal(b.Get([]byte(path)), &f); err != nil {
				return damaged(s.path, err)
			}
			f.Stamp = stamp
			data, err := json.Marshal(f)
			if err != nil {
				return err
			}
			if err := b.Put([]byte(path), data); err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete removes files.
func (s *Store) Delete(paths ...string) error {
	return s.db.Update(func(tx *bbolt.Tx) error {
		for _, path := range paths {
			for _, bucket := range [][]byte{filesBucket, vectorsBucket} {
				if err := tx.Bucket(bucket).Delete([]byte(path)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Files gives all files to a function, by path, until that returns an error. They are checked: an index may have been damaged.
func (s *Store) Files(each func(File) error) error {
	return s.view(func(tx *bbolt.Tx) error {
		vectors := tx.Bucket(vectorsBucket)
		return tx.Bucket(filesBucket).ForEach(func(path, data []byte) error {
			var f File
			if err := json.Unmarshal(data, &f); err != nil {
				return damaged(s.path, err)
			}
			var err error
			if f.Vectors, err = s.vectors(vectors.Get(path), len(f.Passages)); err != nil {
				return damaged(s.path, fmt.Errorf("%s: %w", path, err))
			}
			f.Path = string(path)
			return each(f)
		})
	})
}

// vectors reads n embeddings, whose elements must be numbers: a NaN would come before everything else in an order by scores.
func (s *Store) vectors(data []byte, n int) ([][]float32, error) {
	if len(data) != 4*n*s.head.Dim {
		return nil, fmt.Errorf("%d bytes for %d embeddings of %d elements", len(data), n, s.head.Dim)
	}
	flat := make([]float32, n*s.head.Dim)
	for i := range flat {
		flat[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := float64(flat[i]); math.IsNaN(x) || math.Abs(x) > 1.001 {
			return nil, fmt.Errorf("element %d of embedding %d is %v, but embeddings have length 1", i%s.head.Dim, i/s.head.Dim, x)
		}
	}
	out := make([][]float32, n)
	for i := range out {
		out[i] = flat[i*s.head.Dim : (i+1)*s.head.Dim]
	}
	return out, nil
}
