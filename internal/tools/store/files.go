package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tempPrefix starts the names of files that are being written.
const tempPrefix = "tmp-"

// WriteFile writes a file atomically, so that nobody reads half of it and a process that is killed leaves the old one. Of a symlink, the file that it
// leads to is replaced, or made. What is no file, such as a device or a pipe, stays and is an error.
func WriteFile(path string, data []byte) error {
	at, err := Followed(path)
	if err != nil {
		return err
	}
	if st, err := os.Lstat(at); err == nil && !st.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: at, Err: errors.New("it is not a regular file")}
	}
	return replace(at, data)
}

// mostLinks bounds the symlinks that lead to a file.
const mostLinks = 40

// Followed gives the path that a path leads to by symlinks, which need not exist. Whoever replaces a file replaces that one, so that
// the links stay.
func Followed(path string) (string, error) {
	at := path
	for range mostLinks {
		to, err := os.Readlink(at)
		if err != nil { // it is no link, or not there, which who writes it finds out
			return at, nil
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(at) // which leaves .. behind a link to a folder as it is
			to = dir + to
		}
		at = to
	}
	return "", &fs.PathError{Op: "follow", Path: path, Err: fmt.Errorf("it is one of more than %d symlinks, or of a circle", mostLinks)}
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
