package cuda

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
)

// manifestFile says what a folder of cubins holds.
const manifestFile = "manifest.json"

// Manifest is the content of a folder's manifest.json, for other programs, too.
type Manifest struct {
	// Bytecodes are the versions that the assembler of the cubins reads, oldest first.
	Bytecodes []tileir.Version `json:"bytecodes"`
	Files     []ManifestFile   `json:"files"`
}

// ManifestFile describes one file of a folder.
type ManifestFile struct {
	File     string         `json:"file"`
	Kernel   string         `json:"kernel"`             // the entry's symbol
	Params   []string       `json:"params"`             // the entry's parameters, as Tile IR writes their types
	Target   string         `json:"target,omitempty"`   // of a cubin, such as "sm_90"
	Bytecode tileir.Version `json:"bytecode"`           // the version of the bytecode, or of what the cubin was made of
	Position string         `json:"position,omitempty"` // of the kernel in its source

	// Own is how code of our own compiler is launched; nil for code of tileiras.
	Own *OwnLaunch `json:"own,omitempty"`
}

func describeFile(name string, job Job) ManifestFile {
	f := ManifestFile{File: name, Target: job.Target, Bytecode: job.Version, Params: []string{}}
	if e := job.Entry; e != nil {
		f.Kernel = e.Name
		for _, p := range e.Params {
			f.Params = append(f.Params, p.Type.String())
		}
		if !e.Loc.IsZero() {
			f.Position = fmt.Sprintf("%s:%d:%d", filepath.Base(e.Loc.File), e.Loc.Line, e.Loc.Col)
		}
	}
	return f
}

// readManifest gives the manifest of a folder; a folder without one is [fs.ErrNotExist].
func readManifest(files fs.FS) (m Manifest, err error) {
	data, err := fs.ReadFile(files, manifestFile)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		err = fmt.Errorf("folder of cubins: %s: %w", manifestFile, err)
	}
	return m, err
}

// lockWait is how long a process waits for another one that writes to the same manifest.
const lockWait = time.Minute

// addToFolder writes a file and its line in the manifest. Several processes may do so at once.
func addToFolder(ctx context.Context, dir string, data []byte, f ManifestFile, bytecodes []tileir.Version) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("folder of cubins: %w", err)
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := store.WriteFile(filepath.Join(dir, f.File), data); err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	l := flock.New(filepath.Join(dir, ".lock")) // hidden, so that go:embed leaves it out
	if _, err := l.TryLockContext(wait, 5*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another writer: %w", err)
	}
	defer l.Unlock()
	m, err := readManifest(os.DirFS(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytecodes != nil {
		m.Bytecodes = bytecodes
	}
	m.Files = append(slices.DeleteFunc(m.Files, func(old ManifestFile) bool { return old.File == f.File }), f)
	slices.SortFunc(m.Files, func(a, b ManifestFile) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Target, b.Target), cmp.Compare(a.File, b.File))
	})
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	return store.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'))
}
