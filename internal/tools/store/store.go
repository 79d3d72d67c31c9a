// Package store keeps in a folder what is costly to make, under a hash of all that it was made from, for every process
// of the machine. What is missing is made by one process while the others wait for it.
//
// The folder is a convenience: where it cannot be read or written, values are made as if it were not there, and
// [Store.Stats] says why. So it is with a folder or file that another user may have written: see [Trust].
package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Key names a value: a hash of everything that decides it.
type Key [sha256.Size]byte

// KeyOf hashes the parts that decide a value. Parts that are cut differently give different keys.
func KeyOf(parts ...[]byte) Key {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p)
		h.Write(sum[:])
	}
	return Key(h.Sum(nil))
}

// Store is a folder of values. Its methods may be called from several goroutines.
type Store struct {
	dir string
	max int64

	mu    sync.Mutex
	stats Stats
}

// Stats counts what a store did in this process.
type Stats struct {
	Found int64 // values that were in the folder
	Made  int64 // values that were made
	Err   error // the last failure to use the folder, which cost time and nothing else
}

const (
	maxValue = 1 << 30 // bytes of a value
	lockPoll = 20 * time.Millisecond
	// touchAfter is how old a value's last use may get before a new one is noted.
	touchAfter = time.Hour
)

// New gives the store in a folder, which is made when a value is kept. max bounds the bytes in it: beyond that the values
// whose last use is longest ago are dropped.
func New(dir string, max int64) *Store { return &Store{dir: dir, max: max} }

// Get gives the value of a key, which build makes where the folder does not have it. Only the end of ctx and the error of
// build are errors.
func (s *Store) Get(ctx context.Context, key Key, build func(context.Context) ([]byte, error)) ([]byte, error) {
	path := s.path(key)
	if err := s.trust(path); err != nil {
		s.note(func(st *Stats) { st.Err = err })
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return s.make(ctx, build)
	}
	if v, ok := s.find(path); ok {
		return v, nil
	}
	unlock := s.lock(ctx, path)
	defer unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if v, ok := s.find(path); ok { // another process made it
		return v, nil
	}
	v, err := s.make(ctx, build)
	if err != nil {
		return nil, err
	}
	if err := s.keep(path, v); err != nil {
		s.note(func(st *Stats) { st.Err = err })
	}
	return v, nil
}

func (s *Store) make(ctx context.Context, build func(context.Context) ([]byte, error)) ([]byte, error) {
	v, err := build(ctx)
	if err == nil {
		s.note(func(st *Stats) { st.Made++ })
	}
	return v, err
}

// Drop removes the value of a key, such as one that turned out to be of no use.
func (s *Store) Drop(key Key) error {
	path := s.path(key)
	if err := s.trust(path); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// trust checks the folders of a value: the store's own, and the one that holds it, which the user names.
func (s *Store) trust(path string) error {
	if err := TrustRoot(filepath.Dir(s.dir)); err != nil {
		return err
	}
	if err := Trust(s.dir); err != nil {
		return err
	}
	return Trust(filepath.Dir(path))
}

// path is the file of a key, in one of 256 folders.
func (s *Store) path(key Key) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(s.dir, name[:2], name[2:])
}

// find reads a value. One that is damaged, which a crash of the machine can leave behind, counts as missing.
func (s *Store) find(path string) ([]byte, bool) {
	data, err := ReadFile(path, maxValue)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			s.note(func(st *Stats) { st.Err = err })
		}
		return nil, false
	}
	if len(data) < sha256.Size {
		return nil, false
	}
	v := data[sha256.Size:]
	if sum := sha256.Sum256(v); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil, false
	}
	if st, err := os.Stat(path); err == nil && time.Since(st.ModTime()) > touchAfter {
		now := time.Now()
		os.Chtimes(path, now, now)
	}
	s.note(func(st *Stats) { st.Found++ })
	return v, true
}

// lock keeps other processes from making what lies in the same one of the 256 folders. Where there can be no lock, all
// go on without.
func (s *Store) lock(ctx context.Context, path string) (unlock func()) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		s.note(func(st *Stats) { st.Err = err })
		return func() {}
	}
	l := flock.New(filepath.Join(dir, lockName))
	if _, err := l.TryLockContext(ctx, lockPoll); err != nil {
		if ctx.Err() == nil {
			s.note(func(st *Stats) { st.Err = err })
		}
		return func() {}
	}
	return func() { l.Unlock() }
}

const lockName = "lock"

func (s *Store) keep(path string, v []byte) error {
	sum := sha256.Sum256(v)
	if err := replace(path, append(sum[:], v...)); err != nil {
		return err
	}
	return s.trim()
}

func (s *Store) note(f func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.stats)
}

// Stats gives the counts so far.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}
