package store

import (
	"encoding/json"
	"fmt"
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
	Path string `json:"-"` // below the folder, with slashes
	Stamp
	Passages []passages.Passage `json:"passages"`
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

// Put writes embeddings and files, in place of what the index had of those paths, in one transaction. The embeddings of a file must
// be among them or in the index.
func (s *Store) Put(vectors map[Key][]float32, files ...File) error {
	return s.update(func(tx *bbolt.Tx) error {
		if err := s.putVectors(tx, vectors); err != nil {
			return err
		}
		for _, f := range files {
			for _, p := range f.Passages {
				if key := KeyOf(p); tx.Bucket(vectorsBucket).Get(key[:]) == nil {
					return fmt.Errorf("BUG: %s is written before the embedding of its line %d", f.Path, p.Line)
				}
			}
			if err := putFile(tx, f); err != nil {
				return err
			}
		}
		return nil
	})
}

func putFile(tx *bbolt.Tx, f File) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return tx.Bucket(filesBucket).Put([]byte(f.Path), data)
}

// Touch writes new stamps of files whose contents are what they were.
func (s *Store) Touch(stamps map[string]Stamp) error {
	return s.update(func(tx *bbolt.Tx) error {
		for path, stamp := range stamps {
			f, err := s.file(path, tx.Bucket(filesBucket).Get([]byte(path)))
			if err != nil {
				return err
			}
			f.Stamp = stamp
			if err := putFile(tx, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// file reads the record of a file.
func (s *Store) file(path string, data []byte) (File, error) {
	f := File{Path: path}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, damaged(s.path, err)
	}
	return f, nil
}

// Sweep removes files, and the embeddings that no file needs then.
func (s *Store) Sweep(removed ...string) error {
	return s.update(func(tx *bbolt.Tx) error {
		files, vectors := tx.Bucket(filesBucket), tx.Bucket(vectorsBucket)
		for _, path := range removed {
			if err := files.Delete([]byte(path)); err != nil {
				return err
			}
		}
		needed := map[Key]bool{}
		err := files.ForEach(func(path, data []byte) error {
			f, err := s.file(string(path), data)
			for _, p := range f.Passages {
				needed[KeyOf(p)] = true
			}
			return err
		})
		if err != nil {
			return err
		}
		var unneeded [][]byte // a bucket must not be changed while it is walked through
		err = vectors.ForEach(func(key, _ []byte) error {
			if len(key) != len(Key{}) || !needed[Key(key)] {
				unneeded = append(unneeded, key)
			}
			return nil
		})
		for _, key := range unneeded {
			if err == nil {
				err = vectors.Delete(key)
			}
		}
		return err
	})
}

// Files gives all files with the embeddings of their passages to a function, by path, until that returns an error.
func (s *Store) Files(each func(f File, vectors [][]float32) error) error {
	return s.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(filesBucket).ForEach(func(path, data []byte) error {
			f, err := s.file(string(path), data)
			if err != nil {
				return err
			}
			vectors := make([][]float32, len(f.Passages))
			for i, p := range f.Passages {
				key := KeyOf(p)
				if vectors[i], err = s.vector(tx.Bucket(vectorsBucket).Get(key[:])); err != nil {
					return damaged(s.path, fmt.Errorf("%s:%d: %w", path, p.Line, err))
				}
			}
			return each(f, vectors)
		})
	})
}
