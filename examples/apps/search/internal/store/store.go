package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// format is the version of what an index holds.
const format = 1

// The buckets, and the key of the head.
var (
	headBucket    = []byte("head")
	filesBucket   = []byte("files")   // JSON of a File by path
	vectorsBucket = []byte("vectors") // embeddings by Key: float32, little-endian
	headKey       = []byte("head")
)

// A Head says what an index is of.
type Head struct {
	Format int    `json:"format"`
	Model  string `json:"model"` // the identity of the model
	Dim    int    `json:"dim"`   // elements of an embedding
	Folder string `json:"folder"`
}

// A Store is an open index.
type Store struct {
	db   *bbolt.DB
	path string
	head Head
}

// ErrOther is part of the error about an index of another model or folder.
var ErrOther = errors.New("the index is of another model or folder")

// ErrNone is part of the error about an index that is not there, or has nothing in it yet.
var ErrNone = errors.New("there is no index")

// wait is how long Open waits for a process that has the index open.
const wait = 2 * time.Second

// Create opens an index for writing, and makes the file if it is not there. A folder that the index is not of is refused; an
// empty one stands for any.
func Create(path string, head Head) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	s, err := open(path, &bbolt.Options{Timeout: wait, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	head.Format = format
	err = s.db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{headBucket, filesBucket, vectorsBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		if tx.Bucket(headBucket).Get(headKey) == nil {
			data, err := json.Marshal(head)
			if err != nil {
				return err
			}
			return tx.Bucket(headBucket).Put(headKey, data)
		}
		return nil
	})
	if err == nil {
		err = s.check(head)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Open opens an index for reading; others may read it at the same time. The model must be that of the index.
func Open(path string, head Head) (*Store, error) {
	if info, err := os.Stat(path); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil, fmt.Errorf("%w at %s: make one with the command index", ErrNone, path)
	}
	s, err := open(path, &bbolt.Options{Timeout: wait, ReadOnly: true})
	if err != nil {
		return nil, err
	}
	head.Format = format
	if err := s.check(head); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func open(path string, options *bbolt.Options) (s *Store, err error) {
	defer recovered(path, &err)()
	db, err := bbolt.Open(path, 0o644, options)
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fmt.Errorf("the index %s is being written by another process: wait until it has ended, or choose another file with -index", path)
	case errors.As(err, new(syscall.Errno)): // of the system: the file may be sound
		return nil, fmt.Errorf("opening the index %s: %w", path, err)
	case err != nil: // bbolt has no names for some errors about what is in a file, as for one that was cut
		return nil, damaged(path, err)
	}
	return &Store{db: db, path: path}, nil
}

// damaged describes a file that is no index.
func damaged(path string, why any) error {
	return fmt.Errorf("%s is no index, or is damaged (%v): delete it and index again, or choose another file with -index", path, why)
}

// check reads the head and compares it with what is wanted.
func (s *Store) check(want Head) error {
	return s.view(func(tx *bbolt.Tx) error {
		b := tx.Bucket(headBucket)
		if b == nil || b.Get(headKey) == nil || tx.Bucket(filesBucket) == nil || tx.Bucket(vectorsBucket) == nil {
			return damaged(s.path, "it has no head")
		}
		if err := json.NewDecoder(bytes.NewReader(b.Get(headKey))).Decode(&s.head); err != nil {
			return damaged(s.path, err)
		}
		return s.head.accept(want, s.path)
	})
}

func (h Head) accept(want Head, path string) error {
	const advice = "choose another file with -index, or delete this one and index again"
	switch {
	case h.Format != want.Format:
		return fmt.Errorf("the index %s has format %d, but this program needs %d: %s", path, h.Format, want.Format, advice)
	case h.Model != want.Model || h.Dim != want.Dim:
		return fmt.Errorf("%w: %s was made with the model %.12s…, and -model is %.12s…, whose embeddings cannot be compared with those: give the model of the index, or %s",
			ErrOther, path, h.Model, want.Model, advice)
	case want.Folder != "" && h.Folder != want.Folder:
		return fmt.Errorf("%w: %s is of the folder %s, not of %s: %s", ErrOther, path, h.Folder, want.Folder, advice)
	}
	return nil
}

// Head says what the index is of.
func (s *Store) Head() Head { return s.head }

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// view reads in a transaction.
func (s *Store) view(f func(tx *bbolt.Tx) error) (err error) {
	defer recovered(s.path, &err)()
	return s.db.View(f)
}

// update writes in a transaction.
func (s *Store) update(f func(tx *bbolt.Tx) error) (err error) {
	defer recovered(s.path, &err)()
	return s.db.Update(f)
}

// recovered gives a function to defer. bbolt ends by a panic where pages of a damaged file make no sense, and by a fault where they
// lead to memory beyond the file, which becomes a panic here; both become errors.
func recovered(path string, err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		if p := recover(); p != nil {
			*err = damaged(path, p)
		}
	}
}
