package indexer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/examples/apps/search/internal/passages"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

// A Model embeds texts.
type Model interface {
	Identity() string
	Dim() int
	Tokens(text string) (int, error)
	Encode(ctx context.Context, texts []string) ([][]float32, error)
}

// The limits of what is indexed.
const (
	// MaxFile is how many bytes a file may have.
	MaxFile = 16 << 20
	// MaxPassage is how many tokens a passage has at most. With the two that the model adds they fit in 128.
	MaxPassage = 120
	// group is how many passages are embedded and written at a time: what is lost when the process is killed.
	group = 64
)

// Extensions are those of the files that are indexed.
var Extensions = []string{".txt", ".md", ".markdown"}

// Progress is told what an Update does. Its methods are called one after the other.
type Progress interface {
	Start(bytes int64)                  // the size of new and changed files
	Embedded(passages int, bytes int64) // more passages have been embedded, and the part of the files that they stand for
	Skipped(path, reason string)        // a file is not indexed
}

// A Report says what an Update did.
type Report struct {
	Files, Added, Changed, Removed, Skipped int // numbers of files: all in the index, and what became of them
	Passages, Embedded                      int // passages of new and changed files, and those that had to be embedded
	Written, Found                          int // new and changed files that are in the index now, and their passages, which searches find
}

// An updater is an Update that runs.
type updater struct {
	model    Model
	files    fs.FS
	index    *store.Store
	progress Progress
	report   Report

	pending  []pending // files that are cut, but not in the index yet
	missing  []missing // of them, texts without an embedding
	embedded int       // texts that are no longer missing
	known    map[store.Key]bool
}

// A pending file is complete when so many texts in all have been embedded.
type pending struct {
	store.File
	after int
}

// A missing is a text to embed.
type missing struct {
	key   store.Key
	text  string
	bytes int64 // of its file
}

// Update makes the index one of the files. When ctx ends it returns that error, and what was done stays done.
func Update(ctx context.Context, model Model, files fs.FS, index *store.Store, progress Progress) (Report, error) {
	u := &updater{model: model, files: files, index: index, progress: progress, known: map[store.Key]bool{}}
	err := u.run(ctx)
	return u.report, err
}

func (u *updater) run(ctx context.Context) error {
	found, err := u.walk()
	if err != nil {
		return err
	}
	old, err := u.index.Stamps()
	if err != nil {
		return err
	}
	changed, err := u.compare(found, old)
	if err != nil {
		return err
	}
	var total int64
	for _, f := range changed {
		total += f.Size
	}
	u.progress.Start(total)
	for _, f := range changed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := u.add(ctx, f, old); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	if err := u.flush(ctx); err != nil {
		return err
	}
	var gone []string
	for p := range old {
		if _, ok := found[p]; !ok {
			gone = append(gone, p)
		}
	}
	u.report.Removed, u.report.Files = len(gone), len(found)
	return u.index.Sweep(gone...)
}

// walk finds the files to index. What begins with a point is left out, as are links.
func (u *updater) walk() (map[string]store.File, error) {
	found := map[string]store.File{}
	err := fs.WalkDir(u.files, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && p == ".":
			return err
		case err != nil:
			u.skip(found, p, err.Error())
			return nil
		case p != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || !slices.Contains(Extensions, strings.ToLower(path.Ext(p))):
			return nil
		}
		info, err := d.Info()
		switch {
		case err != nil:
			u.skip(found, p, err.Error())
		case info.Size() > MaxFile:
			u.skip(found, p, fmt.Sprintf("it has %d bytes, at most %d are allowed", info.Size(), MaxFile))
		default:
			found[p] = store.File{Path: p, Stamp: store.Stamp{Size: info.Size(), Time: info.ModTime()}}
		}
		return nil
	})
	return found, err
}

// skip leaves a file out, and removes what the index has of it.
func (u *updater) skip(found map[string]store.File, p, reason string) {
	delete(found, p)
	u.report.Skipped++
	u.progress.Skipped(p, reason)
}

// compare gives the files whose contents are not those in the index, by path. A file of the same size and time is taken for
// unchanged; of one that has only another time, the stamp is written anew.
func (u *updater) compare(found map[string]store.File, old map[string]store.Stamp) ([]store.File, error) {
	var changed []store.File
	touched := map[string]store.Stamp{}
	for p, f := range found {
		was, ok := old[p]
		if ok && was.Size == f.Size && was.Time.Equal(f.Time) && !f.Time.IsZero() {
			continue
		}
		text, reason := u.read(p)
		if reason != "" {
			u.skip(found, p, reason)
			continue
		}
		sum := sha256.Sum256([]byte(text))
		f.Hash = hex.EncodeToString(sum[:])
		if ok && was.Hash == f.Hash {
			touched[p] = f.Stamp
			continue
		}
		changed = append(changed, f)
	}
	slices.SortFunc(changed, func(a, b store.File) int { return strings.Compare(a.Path, b.Path) })
	if len(touched) == 0 {
		return changed, nil
	}
	return changed, u.index.Touch(touched)
}

// read reads a file, or says why it cannot be indexed.
func (u *updater) read(p string) (text, reason string) {
	data, err := fs.ReadFile(u.files, p)
	switch {
	case err != nil:
		return "", err.Error()
	case len(data) > MaxFile:
		return "", fmt.Sprintf("it has %d bytes, at most %d are allowed", len(data), MaxFile)
	case !utf8.Valid(data):
		return "", "it is not a text in UTF-8"
	}
	return string(data), ""
}

// add cuts a file and embeds what is missing, as soon as that is a group.
func (u *updater) add(ctx context.Context, f store.File, old map[string]store.Stamp) error {
	text, reason := u.read(f.Path)
	if reason != "" { // it has changed since compare
		u.report.Skipped++
		u.progress.Skipped(f.Path, reason)
		return nil
	}
	cut := passages.Cutter{Max: MaxPassage, Size: u.size}
	var err error
	if f.Passages, err = cut.Cut(text, path.Ext(f.Path) != ".txt"); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(text))
	f.Hash = hex.EncodeToString(sum[:])
	if err := u.miss(f); err != nil {
		return err
	}
	if _, ok := old[f.Path]; ok {
		u.report.Changed++
	} else {
		u.report.Added++
	}
	u.report.Passages += len(f.Passages)
	u.pending = append(u.pending, pending{f, u.embedded + len(u.missing)})
	for len(u.missing) >= group {
		if err := u.embed(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// size is the size of a text for a Cutter: its tokens, but at least one for 16 bytes, as a long word is one token for the model.
func (u *updater) size(text string) (int, error) {
	n, err := u.model.Tokens(text)
	return max(n, (len(text)+15)/16), err
}
