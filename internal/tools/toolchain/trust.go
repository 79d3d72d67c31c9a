package toolchain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/tools/store"
)

// trustedRoot is the folder of the installed toolchains; it is an error if there is none, or if others may write there.
func trustedRoot() (string, error) {
	root, err := installDir()
	if err != nil {
		return "", err
	}
	return root, trustFolders(root)
}

// trustFolders checks a folder in our own one, and that one.
func trustFolders(dir string) error {
	cache, err := CacheDir()
	if err != nil {
		return err
	}
	if err := store.TrustRoot(cache); err != nil {
		return err
	}
	return store.TrustBelow(cache, dir)
}

// Distrusted says why each thing in our own folder that should be used is not, and what to do: it belongs to another
// user, or others may write it. It looks at the toolchains with all their files, and at the folders of what is kept.
func Distrusted() []error {
	cache, err := CacheDir()
	if err != nil {
		return []error{err}
	}
	if err := store.TrustRoot(cache); err != nil {
		return []error{err}
	}
	var errs []error
	entries, _ := os.ReadDir(cache)
	for _, e := range entries {
		if err := store.Trust(filepath.Join(cache, e.Name())); err != nil {
			errs = append(errs, err)
		}
	}
	root, err := trustedRoot()
	if err != nil {
		return errs // it is among them
	}
	entries, _ = os.ReadDir(root)
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if _, err := readInstallation(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && e.IsDir() && !strings.HasPrefix(e.Name(), tempPrefix) {
			errs = append(errs, err)
			continue
		}
		if err := trustTree(dir); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// trustTree gives the first thing below a folder that is not trusted.
func trustTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process works here
		}
		if err != nil {
			return err
		}
		return store.Trust(path)
	})
}

// resolve makes the paths of a manifest whole. They lie in its folder, which is trusted with all on the way to them.
func (in Installation) resolve() error {
	for name, rel := range in.Tools {
		local := filepath.FromSlash(rel)
		if !filepath.IsLocal(local) {
			return &store.TrustError{Path: filepath.Join(in.Dir, manifestName), Reason: fmt.Sprintf("it says that %s is %q, which is not in its folder", name, rel),
				Advice: "install the toolchain again (cutile toolchain install)"}
		}
		path := filepath.Join(in.Dir, local)
		if err := store.TrustBelow(in.Dir, path); err != nil {
			return err
		}
		in.Tools[name] = path
	}
	return nil
}
