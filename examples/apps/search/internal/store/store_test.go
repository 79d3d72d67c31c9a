package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/search/internal/passages"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

var head = store.Head{Model: strings.Repeat("a", 64), Dim: 2, Folder: "/texts"}

// create makes an index of one passage.
func create(t *testing.T, path string, vector ...float32) {
	t.Helper()
	s, err := store.Create(path, head)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := passages.Passage{Line: 1, Text: "text"}
	if err := s.Put(map[store.Key][]float32{store.KeyOf(p): vector}, store.File{Path: "a.md", Passages: []passages.Passage{p}}); err != nil {
		t.Fatal(err)
	}
}

// TestRefused checks what Open says about indexes that it cannot use.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	create(t, good, 0.6, 0.8)
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, bytes.Repeat([]byte("no index\n"), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	with := func(f func(*store.Head)) store.Head {
		h := head
		f(&h)
		return h
	}
	for _, c := range []struct {
		path string
		head store.Head
		is   error
		want []string // in the message
	}{
		{filepath.Join(dir, "none.db"), head, store.ErrNone, []string{"none.db", "command index"}},
		{text, head, nil, []string{"text.db is no index", "delete it"}},
		{good, with(func(h *store.Head) { h.Model = strings.Repeat("b", 64) }), store.ErrOther, []string{"aaaaaaaaaaaa…", "bbbbbbbbbbbb…", "give the model of the index"}},
		{good, with(func(h *store.Head) { h.Dim = 3 }), store.ErrOther, nil},
		{good, with(func(h *store.Head) { h.Folder = "/other" }), store.ErrOther, []string{"/texts", "/other", "-index"}},
	} {
		_, err := store.Open(c.path, c.head)
		if err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s, %+v: %v", c.path, c.head, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q lacks %q", err, w)
			}
		}
	}
	if s, err := store.Open(good, with(func(h *store.Head) { h.Folder = "" })); err != nil {
		t.Error(err)
	} else {
		s.Close()
	}
	writer, err := store.Create(good, head)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if _, err := store.Open(good, head); err == nil || !strings.Contains(err.Error(), "being written by another process") {
		t.Errorf("got %v", err)
	}
}

// TestNumbers checks that embeddings which are no numbers, or too long, are refused where they are read.
func TestNumbers(t *testing.T) {
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), -2} {
		path := filepath.Join(t.TempDir(), "index.db")
		create(t, path, 0, bad)
		s, err := store.Open(path, head)
		if err != nil {
			t.Fatal(err)
		}
		err = s.Files(func(store.File, [][]float32) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "a.md:1: element 1 of an embedding is") {
			t.Errorf("%v: %v", bad, err)
		}
		s.Close()
	}
}

// TestCut cuts an index anywhere, as an interrupted copy is: the error says what to do.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	create(t, good, 0.6, 0.8)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 17, 100, 4095, 4096, 4097, 8191, 8192, 8193} {
		for name, open := range map[string]func(string, store.Head) (*store.Store, error){"Open": store.Open, "Create": store.Create} {
			path := filepath.Join(dir, fmt.Sprintf("%s%d.db", name, n)) // after a panic of bbolt a file stays locked until the process ends
			if err := os.WriteFile(path, data[:n], 0o644); err != nil {
				t.Fatal(err)
			}
			s, err := open(path, head)
			if err == nil {
				err = s.Files(func(store.File, [][]float32) error { return nil })
				s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), path+" is no index, or is damaged") || !strings.Contains(err.Error(), "delete it and index again") {
				t.Errorf("%s of the first %d of %d bytes: %v", name, n, len(data), err)
			}
		}
	}
}

// TestDamaged changes bytes of an index at random: it opens and is read, or there is an error, but never a panic.
func TestDamaged(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	create(t, good, 0.6, 0.8)
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	path, refused := filepath.Join(dir, "bad.db"), 0
	for range 300 {
		changed := bytes.Clone(data)
		for range 1 + r.IntN(20) {
			changed[r.IntN(len(changed))] = byte(r.IntN(256))
		}
		if r.IntN(4) == 0 {
			changed = changed[:r.IntN(len(changed))]
		}
		if err := os.WriteFile(path, changed, 0o644); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(path, head)
		if err == nil {
			_, err = s.Stamps()
			err = errors.Join(err, s.Files(func(store.File, [][]float32) error { return nil }))
			s.Close()
		}
		if err != nil {
			refused++
			if !errors.Is(err, store.ErrNone) && !strings.Contains(err.Error(), "delete it") && !strings.Contains(err.Error(), "delete this one") {
				t.Errorf("the error does not say what to do: %v", err)
			}
		}
	}
	if refused < 50 {
		t.Errorf("only %d of 300 damaged indexes were refused", refused)
	}
	t.Logf("%d of 300 were refused", refused)
}
