//go:build unix

package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cutile-go/cutile/internal/tools/store"
)

// give gives a file to another user than the one who asks.
func give(t *testing.T, path string) {
	t.Helper()
	if os.Geteuid() == 0 {
		check(t, os.Chown(path, 12345, 12345))
		return
	}
	t.Cleanup(store.SetUser(os.Geteuid() + 1))
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestDistrust plants, each time, a value or a folder that another user may have made: it is not used, and what a store
// says about that names it.
func TestDistrust(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(t *testing.T, dir, value string)
		want  string
		kept  bool // the value that was made instead is kept
	}{
		"value of another user":  {func(t *testing.T, _, value string) { give(t, value) }, "it belongs to another user", os.Geteuid() == 0},
		"value for everybody":    {func(t *testing.T, _, value string) { check(t, os.Chmod(value, 0o666)) }, "everybody may write there", true},
		"folder of another user": {func(t *testing.T, dir, _ string) { give(t, dir) }, "it belongs to another user", false},
		"folder for everybody":   {func(t *testing.T, dir, _ string) { check(t, os.Chmod(dir, 0o777)) }, "everybody may write there", false},
		"sticky folder":          {func(t *testing.T, dir, _ string) { check(t, os.Chmod(dir, 0o777|os.ModeSticky)) }, "everybody may write there", false},
		"folder above":           {func(t *testing.T, dir, _ string) { check(t, os.Chmod(filepath.Dir(dir), 0o777)) }, "everybody may write there", false},
		"one of 256 folders": {func(t *testing.T, _, value string) { check(t, os.Chmod(filepath.Dir(value), 0o777)) },
			"everybody may write there", false},
		"symlink": {func(t *testing.T, dir, value string) {
			check(t, os.Rename(value, dir+"-value"))
			check(t, os.Symlink(dir+"-value", value))
		}, "it is a symlink", true},
		"symlinked folder": {func(t *testing.T, dir, _ string) {
			check(t, os.Rename(dir, dir+"-real"))
			check(t, os.Symlink(dir+"-real", dir))
		}, "it is a symlink", false},
		"fifo": {func(t *testing.T, _, value string) {
			check(t, os.Remove(value))
			check(t, syscall.Mkfifo(value, 0o600))
		}, "it is neither a file nor a folder", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "cache", "values")
			get(t, store.New(dir, 1<<20), "a", "planted", "planted")
			c.plant(t, dir, values(t, dir)[0])
			s := store.New(dir, 1<<20)
			get(t, s, "a", "own", "own")
			var e *store.TrustError
			if err := s.Stats().Err; !errors.As(err, &e) || !strings.Contains(err.Error(), " is not used: "+c.want+"; ") {
				t.Errorf("stats say %v, want %s", err, c.want)
			}
			next := map[bool]string{true: "own", false: "next"}[c.kept]
			get(t, store.New(dir, 1<<20), "a", "next", next)
		})
	}
}

// TestTrustRoot: a folder that the user has put elsewhere by a symlink is the user's.
func TestTrustRoot(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	check(t, os.Mkdir(real, 0o755))
	check(t, os.Symlink(real, link))
	s := store.New(filepath.Join(link, "values"), 1<<20)
	get(t, s, "a", "first", "first")
	get(t, s, "a", "second", "first")
	if err := s.Stats().Err; err != nil {
		t.Error(err)
	}
	check(t, os.Chmod(real, 0o777))
	get(t, s, "a", "third", "third")
}

// TestDrop: a value that is dropped is made again.
func TestDrop(t *testing.T) {
	s := store.New(t.TempDir(), 1<<20)
	get(t, s, "a", "first", "first")
	check(t, s.Drop(store.KeyOf([]byte("a"))))
	check(t, s.Drop(store.KeyOf([]byte("a"))))
	get(t, s, "a", "second", "second")
}

// TestWriteFileReplacesFilesOnly: a pipe, as a device, is not replaced by a file.
func TestWriteFileReplacesFilesOnly(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	check(t, syscall.Mkfifo(pipe, 0o600))
	check(t, os.Symlink(pipe, link))
	if err := store.WriteFile(pipe, []byte("x")); err == nil || !strings.Contains(err.Error(), "pipe: it is not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
	if err := store.WriteFile(link, []byte("x")); err == nil || !strings.Contains(err.Error(), "pipe: it is not a regular file") {
		t.Errorf("a symlink to a pipe: %v", err)
	}
	for path, want := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink} {
		if st, err := os.Lstat(path); err != nil || st.Mode().Type() != want {
			t.Errorf("%s: %v, %v", path, st, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestWriteFileFollowsLinks: a symlink stays, and the file that it leads to is written, also where there was none.
func TestWriteFileFollowsLinks(t *testing.T) {
	for _, c := range []struct {
		name, link, to, want string // want is the file that is written; "" for an error
		text                 string // of the error
	}{
		{"relative", "link", "file", "file", ""},
		{"dangling", "link", "new", "new", ""},
		{"absolute", "link", "DIR/file", "file", ""},
		{"of links", "link", "first", "file", ""},
		{"of links, dangling", "link", "lost", "new", ""},
		{"from a folder", "folder/link", "../file", "file", ""},
		{"from a linked folder", "linked/link", "../file", "elsewhere/file", ""},
		{"in a linked folder", "link", "linked/../new", "elsewhere/new", ""},
		{"to a missing folder", "link", "none/file", "", "no such file"},
		{"to a folder", "link", "folder", "", "it is not a regular file"},
		{"to itself", "link", "link", "", "link: it is one of more than 40 symlinks, or of a circle"},
	} {
		dir := t.TempDir()
		for _, folder := range []string{"folder", "elsewhere/inside"} {
			check(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
		}
		for _, l := range [][2]string{{"linked", "elsewhere/inside"}, {"first", "second"}, {"second", "./file"}, {"lost", "new"}, {c.link, strings.Replace(c.to, "DIR", dir, 1)}} {
			check(t, os.Symlink(l[1], filepath.Join(dir, l[0])))
		}
		check(t, os.WriteFile(filepath.Join(dir, "file"), []byte("old"), 0o644))
		err := store.WriteFile(filepath.Join(dir, c.link), []byte("new"))
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%s: %v, want %q", c.name, err, c.text)
			}
			continue
		}
		if data, _ := os.ReadFile(filepath.Join(dir, c.want)); err != nil || string(data) != "new" {
			t.Errorf("%s: %s holds %q, %v", c.name, c.want, data, err)
		}
		if st, err := os.Lstat(filepath.Join(dir, c.link)); err != nil || st.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s: the link is %v, %v", c.name, st, err)
		}
		if data, _ := os.ReadFile(filepath.Join(dir, "file")); c.want != "file" && string(data) != "old" {
			t.Errorf("%s: another file is written, too", c.name)
		}
	}
}

// TestTooLarge reads a file as large as is allowed, and larger ones.
func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for size, want := range map[int]string{2<<20 - 1: "", 2 << 20: "", 2<<20 + 1: path + " is larger than 2 MiB", 5 << 20: path + " is larger than 2 MiB"} {
		check(t, os.WriteFile(path, make([]byte, size), 0o600))
		data, err := store.ReadFile(path, 2<<20)
		if want == "" && (err != nil || len(data) != size) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%d bytes: %d, %v, want %q", size, len(data), err, want)
		}
	}
}

// TestUnreadable reads a file of one's own that gives an error.
func TestUnreadable(t *testing.T) {
	const path = "/proc/self/mem" // nothing is mapped at its beginning
	if _, err := os.Stat(path); err != nil {
		t.Skip("this system has no such file")
	}
	if data, err := store.ReadFile(path, 1<<20); err == nil || len(data) > 0 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}
