package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tempPrefix starts the names of files that are being written.
const tempPrefix = "tmp-"

// WriteFile writes a file atomically, so that nobody reads half of it and a process that is killed leaves the old one. It
// replaces a file or symlink. Anything else, such as a device or a pipe, stays and is an error.
func WriteFile(path string, data []byte) error {
	if st, err := os.Lstat(path); err == nil && !st.Mode().IsRegular() && st.Mode()&fs.ModeSymlink == 0 {
		return &fs.PathError{Op: "replace", Path: path, Err: errors.New("it is not a regular file")}
	}
	return replace(path, data)
}

// replace is WriteFile for the store's own folder, where nothing but its files belongs.
func replace(path string, data []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

type file struct {
	path string
	size int64
	used time.Time
}

// trim drops the values that were not used for longest until the rest is three quarters of the bound, so that it has not
// to be done for each new value. Files that a killed process left half written go, too.
func (s *Store) trim() error {
	var files []file
	var total int64
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == lockName {
			return nil // another process drops files at the same time
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		if strings.HasPrefix(d.Name(), tempPrefix) {
			if time.Since(info.ModTime()) > touchAfter {
				os.Remove(path)
			}
			return nil
		}
		files = append(files, file{path, info.Size(), info.ModTime()})
		total += info.Size()
		return nil
	})
	if err != nil || total <= s.max {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return a.used.Compare(b.used) })
	for _, f := range files {
		if total <= s.max/4*3 {
			break
		}
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= f.size
	}
	return nil
}
