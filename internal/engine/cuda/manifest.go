package cuda

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
)

// manifestFile says what a folder of cubins holds.
const manifestFile = "manifest.json"

// manifestVersion is the version of the manifests that this package writes: it changes where an older reader would launch code in a wrong
// way. Manifests from before there were versions have 0; nothing of theirs has changed its meaning.
const manifestVersion = 1

// Manifest is the content of a folder's manifest.json, for other programs, too.
type Manifest struct {
	Version int `json:"version,omitempty"` // of the manifest

	// Bytecodes are the versions that the assembler of the cubins reads, oldest first.
	Bytecodes []tileir.Version `json:"bytecodes,omitempty"`

	Kernels []engine.Interface `json:"kernels,omitempty"` // how other programs launch them; by [engine.Interface].Code
	Files   []ManifestFile     `json:"files"`
}

// ManifestFile describes one file of a folder.
type ManifestFile struct {
	File     string         `json:"file"`
	Kernel   string         `json:"kernel"`             // the entry's symbol
	Code     string         `json:"code,omitempty"`     // the key of the Tile IR that it was made of
	Params   []string       `json:"params"`             // the entry's parameters, as Tile IR writes their types
	Target   string         `json:"target,omitempty"`   // of a cubin, such as "sm_90"
	Bytecode tileir.Version `json:"bytecode"`           // the version of the bytecode, or of what the cubin was made of
	Position string         `json:"position,omitempty"` // of the kernel in its source

	// Own is how code of our own compiler is launched; nil for code of tileiras.
	Own *OwnLaunch `json:"own,omitempty"`

	// Sum is the SHA-256 of the file and of this description, without Sum, as JSON without spaces.
	Sum string `json:"sum,omitempty"`
}

// sum is the Sum of a file with its content.
func (f ManifestFile) sum(data []byte) (string, error) {
	f.Sum = ""
	text, err := json.Marshal(f)
	h := sha256.New()
	h.Write(data)
	h.Write(text)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// read reads the file from its folder. It must be what was written, if that is known.
func (f ManifestFile) read(files fs.FS) ([]byte, error) {
	data, err := fs.ReadFile(files, f.File)
	if err != nil {
		return nil, damaged(err)
	}
	if f.Sum == "" {
		return data, nil
	}
	if sum, err := f.sum(data); err != nil || sum != f.Sum {
		return nil, damaged(engine.Join(fmt.Errorf("%s and what %s says of it do not belong together, as one of them has changed: make the folder again", f.File, manifestFile), err))
	}
	return data, nil
}

// find gives the description of a file.
func (m *Manifest) find(name string) (f ManifestFile, ok bool) {
	i := slices.IndexFunc(m.Files, func(f ManifestFile) bool { return f.File == name })
	if i < 0 {
		return f, false
	}
	return m.Files[i], true
}

func describeFile(name string, job Job) ManifestFile {
	f := ManifestFile{File: name, Target: job.Target, Bytecode: job.Version, Params: []string{}, Code: codeKey(job.Module)}
	if e := job.Entry; e != nil {
		f.Kernel = e.Name
		for _, p := range e.Params {
			f.Params = append(f.Params, p.Type.String())
		}
		f.Position = position(e)
	}
	return f
}

// readManifest gives the manifest of a folder; a folder without one is [fs.ErrNotExist].
func readManifest(files fs.FS) (m Manifest, err error) {
	data, err := fs.ReadFile(files, manifestFile)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err == nil && m.Version > manifestVersion {
		err = fmt.Errorf("it is of version %d, and this program reads versions up to %d: make the folder with this program", m.Version, manifestVersion)
	}
	if err != nil {
		err = damaged(fmt.Errorf("%s: %w", manifestFile, err))
	}
	return m, err
}

// damaged says that a folder is not as it was written.
func damaged(err error) error {
	return &engine.DamagedError{Err: fmt.Errorf("folder of cubins: %w", err)}
}

// lockWait is how long a process waits for another one that writes to the same manifest.
const lockWait = time.Minute

// addToFolder writes a file and its line in the manifest. Several processes may do so at once.
func addToFolder(ctx context.Context, dir string, data []byte, f ManifestFile, bytecodes []tileir.Version) (err error) {
	if f.Sum, err = f.sum(data); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return inFolder(err)
	}
	if err := store.WriteFile(filepath.Join(dir, f.File), data); err != nil {
		return inFolder(err)
	}
	return changeFolder(ctx, dir, func(m *Manifest) {
		if bytecodes != nil {
			m.Bytecodes = bytecodes
		}
		m.Files = append(slices.DeleteFunc(m.Files, func(old ManifestFile) bool { return old.File == f.File }), f)
		slices.SortFunc(m.Files, func(a, b ManifestFile) int {
			return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Target, b.Target), cmp.Compare(a.File, b.File))
		})
	})
}

// folderError is the error of a folder that cannot be written. What made the code is not to blame for it.
type folderError struct{ err error }

func (e *folderError) Error() string { return "folder of cubins: " + e.err.Error() }
func (e *folderError) Unwrap() error { return e.err }

// inFolder says what an error is about.
func inFolder(err error) error {
	if err == nil || engine.Damaged(err) {
		return err
	}
	return &folderError{err}
}

// ofFolder reports whether an error is about the folder that code is written to, and not about the code: no other code could be written, either.
func ofFolder(err error) bool {
	return errors.As(err, new(*folderError)) || engine.Damaged(err)
}

// changeFolder changes a folder's manifest, and the header that follows from it.
func changeFolder(ctx context.Context, dir string, change func(*Manifest)) error {
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	l := flock.New(filepath.Join(dir, ".lock")) // hidden, so that go:embed leaves it out
	if _, err := l.TryLockContext(wait, 5*time.Millisecond); err != nil {
		return inFolder(fmt.Errorf("waiting for another writer: %w", err))
	}
	defer l.Unlock()
	m, err := readManifest(os.DirFS(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.Version = manifestVersion
	change(&m)
	if len(m.Kernels) > 0 {
		if err := store.WriteFile(filepath.Join(dir, headerFile), header(&m)); err != nil {
			return inFolder(err)
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(&m); err != nil {
		return inFolder(err)
	}
	return inFolder(store.WriteFile(filepath.Join(dir, manifestFile), text.Bytes()))
}

// codeKey names the code of a module, as package override does; "" for no module.
func codeKey(m *tileir.Module) string {
	if m == nil {
		return ""
	}
	code, err := identity(m, tileir.Newest)
	if err != nil {
		return "" // of bytecode that others wrote
	}
	return fmt.Sprintf("%x", sha256.Sum256(code))[:32]
}

// Describe adds to a folder how other programs launch the code of a module that [Export] has written there. The folder gets a header for C, too.
func Describe(ctx context.Context, m *tileir.Module, i *engine.Interface, dir string) error {
	described := *i
	described.Code = codeKey(m)
	if e, err := engine.FindEntry(m, i.Symbol); err == nil {
		described.Position = position(e)
	}
	return changeFolder(ctx, dir, func(m *Manifest) {
		m.Kernels = append(slices.DeleteFunc(m.Kernels, func(old engine.Interface) bool { return old.Code == described.Code }), described)
		slices.SortFunc(m.Kernels, func(a, b engine.Interface) int {
			return cmp.Or(cmp.Compare(a.Symbol, b.Symbol), cmp.Compare(len(a.ExactGrid), len(b.ExactGrid)), cmp.Compare(a.Code, b.Code))
		})
	})
}

// position is that of an entry in its source, without folders.
func position(e *tileir.Entry) string {
	if e.Loc.IsZero() {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", filepath.Base(e.Loc.File), e.Loc.Line, e.Loc.Col)
}
