package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

// A model whose embeddings depend on the text alone, and which counts the texts.
type model struct {
	dim   int
	texts []string
	delay time.Duration
	fail  error
	after func() // called with the first embeddings, if it is set
}

func (m *model) Identity() string                { return fmt.Sprint("model of the tests ", m.dim) }
func (m *model) Dim() int                        { return m.dim }
func (m *model) Tokens(text string) (int, error) { return len(strings.Fields(text)), nil }

func (m *model) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	time.Sleep(m.delay)
	if m.fail != nil {
		return nil, m.fail
	}
	if m.after != nil {
		defer m.after()
	}
	m.texts = append(m.texts, texts...)
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = embedding(text, m.dim)
	}
	return out, ctx.Err()
}

func embedding(text string, dim int) []float32 {
	out, sum := make([]float32, dim), 0.0
	for j := range out {
		h := fnv.New32a()
		fmt.Fprint(h, j, text)
		out[j] = float32(h.Sum32())/math.MaxUint32 - 0.5
		sum += float64(out[j] * out[j])
	}
	for j := range out {
		out[j] /= float32(math.Sqrt(sum))
	}
	return out
}

// A log is a Progress that is kept.
type log struct {
	total, done int64
	passages    int
	skipped     map[string]string
}

func (l *log) Start(bytes int64)           { l.total = bytes }
func (l *log) Embedded(n int, bytes int64) { l.passages, l.done = l.passages+n, l.done+bytes }
func (l *log) Skipped(path, reason string) { l.skipped[path] = reason }

// update indexes files and returns what happened.
func update(t *testing.T, m *model, files fs.FS, path string) (indexer.Report, *log) {
	t.Helper()
	s, err := store.Create(path, store.Head{Model: m.Identity(), Dim: m.dim, Folder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := &log{skipped: map[string]string{}}
	m.texts = nil
	r, err := indexer.Update(t.Context(), m, files, s, l)
	if err != nil {
		t.Fatal(err)
	}
	if l.done != l.total || l.passages != r.Embedded || len(m.texts) != r.Embedded {
		t.Errorf("progress %d of %d bytes, %d passages, %d texts; report %+v", l.done, l.total, l.passages, len(m.texts), r)
	}
	return r, l
}

// contents gives the texts of the index by path and line, each checked to have its embedding.
func contents(t *testing.T, m *model, path string) map[string]string {
	t.Helper()
	s, err := store.Open(path, store.Head{Model: m.Identity(), Dim: m.dim})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := map[string]string{}
	err = s.Files(func(f store.File, vectors [][]float32) error {
		for i, p := range f.Passages {
			out[fmt.Sprintf("%s:%d", f.Path, p.Line)] = p.Text
			if !slices.Equal(vectors[i], embedding(p.Embedded(), m.dim)) {
				t.Errorf("%s:%d has another embedding", f.Path, p.Line)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func file(text string, at int64) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(text), ModTime: time.Unix(at, 0)}
}

// TestUpdate follows a folder through changes: what is embedded anew, and what the index has then.
func TestUpdate(t *testing.T) {
	m, path := &model{dim: 8}, filepath.Join(t.TempDir(), "index.db")
	files := fstest.MapFS{"a.md": file("# A\nOne.\n# B\nTwo.", 1), "d/b.TXT": file("Three.", 1), "c.go": file("package c", 1), ".git/x.md": file("no", 1)}
	same := func() {}
	for _, step := range []struct {
		name                                         string
		change                                       func()
		files, added, changed, removed, embedded, in int
	}{
		{"new", same, 2, 2, 0, 0, 3, 3},
		{"nothing", same, 2, 0, 0, 0, 0, 3},
		{"another time", func() { files["a.md"] = file("# A\nOne.\n# B\nTwo.", 2) }, 2, 0, 0, 0, 0, 3},
		{"one passage changed", func() { files["a.md"] = file("# A\nOne.\n# B\nTwo and more.", 3) }, 2, 0, 1, 0, 1, 3},
		{"moved", func() { files["e.txt"] = files["d/b.TXT"]; delete(files, "d/b.TXT") }, 2, 1, 0, 1, 0, 3},
		{"removed", func() { delete(files, "a.md") }, 1, 0, 0, 1, 0, 1},
		{"no text", func() { files["a.md"] = file("\xff", 4) }, 1, 0, 0, 0, 0, 1},
		{"empty", func() { files["a.md"] = file("", 5) }, 2, 1, 0, 0, 0, 1},
		{"a text twice", func() { files["a.md"] = file("Same.", 6); files["f.md"] = file("Same.", 6) }, 3, 1, 1, 0, 1, 3},
		{"no longer a text", func() { files["a.md"] = file("\xfe", 7) }, 2, 0, 0, 1, 0, 2},
	} {
		step.change()
		r, _ := update(t, m, files, path)
		if r.Files != step.files || r.Added != step.added || r.Changed != step.changed || r.Removed != step.removed || r.Embedded != step.embedded {
			t.Errorf("%s: report %+v, want %+v", step.name, r, step)
		}
		if got := contents(t, m, path); len(got) != step.in {
			t.Errorf("%s: the index has %q, want %d passages", step.name, got, step.in)
		}
	}
}

func TestSkipped(t *testing.T) {
	m := &model{dim: 8}
	files := fstest.MapFS{"a.md": file("ok", 1), "b.md": file("\xff\xfe", 1), "c.txt": file(strings.Repeat("x ", indexer.MaxFile/2)+"x", 1)}
	r, l := update(t, m, files, filepath.Join(t.TempDir(), "index.db"))
	want := map[string]string{"b.md": "it is not a text in UTF-8", "c.txt": "it has 16777217 bytes, at most 16777216 are allowed"}
	if r.Skipped != 2 || r.Files != 1 || !maps.Equal(l.skipped, want) {
		t.Errorf("%+v, skipped %v", r, l.skipped)
	}
}

// TestStopped stops an Update by its context and by an error of the model; the next one continues.
func TestStopped(t *testing.T) {
	m, path := &model{dim: 8}, filepath.Join(t.TempDir(), "index.db")
	files := many(40, 10)
	s, err := store.Create(path, store.Head{Model: m.Identity(), Dim: m.dim, Folder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := indexer.Update(ctx, m, files, s, &log{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	m.fail = errors.New("the device is gone")
	if _, err := indexer.Update(t.Context(), m, files, s, &log{}); !errors.Is(err, m.fail) {
		t.Errorf("got %v", err)
	}
	s.Close()
	m.fail = nil
	r, _ := update(t, m, files, path)
	if r.Files != 40 || r.Embedded != 400 || len(contents(t, m, path)) != 400 {
		t.Errorf("%+v", r)
	}
}

// TestWritten stops in a file: only files that are complete, and so found by searches, are reported as written.
func TestWritten(t *testing.T) {
	m, path := &model{dim: 8}, filepath.Join(t.TempDir(), "index.db")
	s, err := store.Create(path, store.Head{Model: m.Identity(), Dim: m.dim, Folder: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m.after = func() { m.fail = context.Canceled } // after the first group of 64
	r, err := indexer.Update(t.Context(), m, many(4, 50), s, &log{})
	if !errors.Is(err, context.Canceled) || r.Embedded != 64 || r.Written != 1 || r.Found != 50 {
		t.Errorf("stopped in the second file of 50 passages: %v, %+v, expected 64 passages embedded, 1 file written and 50 passages found", err, r)
	}
	m.fail, m.after = nil, nil
	if r, err = indexer.Update(t.Context(), m, many(4, 50), s, &log{}); err != nil || r.Embedded != 136 || r.Written != 3 || r.Found != 150 {
		t.Errorf("the rest: %v, %+v", err, r)
	}
}

// many makes files, each of so many passages.
func many(files, each int) fstest.MapFS {
	out := fstest.MapFS{}
	for i := range files {
		var b strings.Builder
		for j := range each {
			fmt.Fprintf(&b, "# Heading %d\nText %d of file %d.\n", j, j, i)
		}
		out[fmt.Sprintf("%03d.md", i)] = file(b.String(), 1)
	}
	return out
}
