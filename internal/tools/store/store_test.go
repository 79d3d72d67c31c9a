package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/tools/store"
)

var ctx = context.Background()

// TestMain runs this program as a child of TestProcesses, too.
func TestMain(m *testing.M) {
	if dir := os.Getenv("STORE_TEST_DIR"); dir != "" {
		s := store.New(dir, 1<<20)
		v, err := s.Get(ctx, store.KeyOf([]byte("shared")), func(context.Context) ([]byte, error) {
			time.Sleep(200 * time.Millisecond)
			return []byte("made"), nil
		})
		fmt.Printf("%s %v %d\n", v, err, s.Stats().Made)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func value(v string) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte(v), nil }
}

func get(t *testing.T, s *store.Store, key, made, want string) {
	t.Helper()
	v, err := s.Get(ctx, store.KeyOf([]byte(key)), value(made))
	if err != nil || string(v) != want {
		t.Errorf("%s is %q, %v, want %q", key, v, err, want)
	}
}

func TestKeepsValues(t *testing.T) {
	dir := t.TempDir()
	get(t, store.New(dir, 1<<20), "a", "first", "first")
	s := store.New(dir, 1<<20) // another process
	get(t, s, "a", "second", "first")
	get(t, s, "b", "second", "second")
	get(t, s, "", "", "")
	get(t, s, "", "other", "")
	if st := s.Stats(); st.Found != 2 || st.Made != 2 || st.Err != nil {
		t.Errorf("stats are %+v", st)
	}
}

func TestKeyOf(t *testing.T) {
	keys := map[store.Key]string{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"ab", ""}} {
		var bs [][]byte
		for _, p := range parts {
			bs = append(bs, []byte(p))
		}
		k := store.KeyOf(bs...)
		if other, taken := keys[k]; taken {
			t.Errorf("%q has the key of %s", parts, other)
		}
		keys[k] = fmt.Sprintf("%q", parts)
	}
}

// TestProcesses starts several processes that want one value: one of them makes it.
func TestProcesses(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range 4 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "STORE_TEST_DIR="+dir)
			out, err := cmd.CombinedOutput()
			mu.Lock()
			defer mu.Unlock()
			switch string(out) {
			case "made <nil> 1\n":
				made++
			case "made <nil> 0\n":
			default:
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	wg.Wait()
	if made != 1 {
		t.Errorf("%d processes made the value", made)
	}
}

func TestDamage(t *testing.T) {
	for name, damage := range map[string]func(data []byte) []byte{
		"cut":     func(d []byte) []byte { return d[:len(d)-1] },
		"short":   func(d []byte) []byte { return d[:5] },
		"empty":   func(d []byte) []byte { return nil },
		"flipped": func(d []byte) []byte { d[len(d)-1] ^= 1; return d },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			get(t, store.New(dir, 1<<20), "a", "value", "value")
			for _, path := range values(t, dir) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, damage(data), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			get(t, store.New(dir, 1<<20), "a", "again", "again")
			get(t, store.New(dir, 1<<20), "a", "never", "again")
		})
	}
}

// values lists the files with values.
func values(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range paths {
		if filepath.Base(p) != "lock" {
			out = append(out, p)
		}
	}
	return out
}

func TestUnusableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := store.New(filepath.Join(file, "below"), 1<<20)
	get(t, s, "a", "one", "one")
	get(t, s, "a", "two", "two")
	if st := s.Stats(); st.Made != 2 || st.Err == nil || !strings.Contains(st.Err.Error(), "not a directory") {
		t.Errorf("stats are %+v", st)
	}
}

func TestFailuresAndContext(t *testing.T) {
	s := store.New(t.TempDir(), 1<<20)
	broken := errors.New("broken")
	if _, err := s.Get(ctx, store.KeyOf(), func(context.Context) ([]byte, error) { return nil, broken }); err != broken {
		t.Errorf("got %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Get(ended, store.KeyOf(), value("x")); err != context.Canceled {
		t.Errorf("got %v", err)
	}
	if st := s.Stats(); st.Made != 0 {
		t.Errorf("stats are %+v", st)
	}
}

// TestWaitEnds gives up waiting for another process's work.
func TestWaitEnds(t *testing.T) {
	dir := t.TempDir()
	started, finish, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		store.New(dir, 1<<20).Get(ctx, store.KeyOf(), func(context.Context) ([]byte, error) {
			close(started)
			<-finish
			return nil, nil
		})
	}()
	<-started
	defer func() { close(finish); <-ended }() // the folder goes after the other one is done with it
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := store.New(dir, 1<<20).Get(short, store.KeyOf(), value("x")); err != context.DeadlineExceeded {
		t.Errorf("got %v", err)
	}
}

func TestBound(t *testing.T) {
	dir := t.TempDir()
	s := store.New(dir, 10_000)
	old := time.Now().Add(-48 * time.Hour)
	for i := range 9 {
		key := store.KeyOf([]byte{byte(i)})
		if _, err := s.Get(ctx, key, func(context.Context) ([]byte, error) { return bytes.Repeat([]byte{byte(i)}, 1000), nil }); err != nil {
			t.Fatal(err)
		}
	}
	for i, path := range values(t, dir) {
		when := old.Add(time.Duration(i) * time.Minute)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	used := store.KeyOf([]byte{3})
	if _, err := s.Get(ctx, used, value("new")); err != nil { // its use is noted
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, store.KeyOf([]byte("big")), func(context.Context) ([]byte, error) { return make([]byte, 3000), nil }); err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, path := range values(t, dir) {
		st, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		total += st.Size()
	}
	if total > 10_000*3/4 || total < 5_000 {
		t.Errorf("%d bytes are left", total)
	}
	if v, err := s.Get(ctx, used, value("new")); err != nil || len(v) != 1000 {
		t.Errorf("the value in use was dropped (%d bytes, %v)", len(v), err)
	}
}

// TestTrimHalfWritten: files that a process which was killed left half written go, those that one is writing now stay, and
// neither counts as a value.
func TestTrimHalfWritten(t *testing.T) {
	dir := t.TempDir()
	s := store.New(dir, 100)
	get(t, s, "a", "value", "value")
	folder := filepath.Dir(values(t, dir)[0])
	abandoned, present := filepath.Join(folder, "tmp-1"), filepath.Join(folder, "tmp-2")
	for _, path := range []string{abandoned, present} {
		if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(abandoned, old, old); err != nil {
		t.Fatal(err)
	}
	get(t, s, "b", "another", "another") // which trims
	if _, err := os.Stat(abandoned); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of a process that was killed: %v", err)
	}
	if _, err := os.Stat(present); err != nil {
		t.Errorf("the file that is being written: %v", err)
	}
	get(t, s, "a", "no", "value")
	get(t, s, "b", "no", "another")
}

// TestWriteFile: a file is put in place whole or not at all, and nothing is left of one that cannot be.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, text := range []string{"first", "second"} {
		if err := store.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); string(got) != text {
			t.Errorf("%q, %v", got, err)
		}
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder", "inside"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{filepath.Join(dir, "folder"), filepath.Join(dir, "none", "file"), filepath.Join(path, "file")} {
		if err := store.WriteFile(bad, []byte("x")); err == nil {
			t.Errorf("%s was written", bad)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestFailuresAreNoted: where the folder cannot be written, values are made all the same, and the reason is kept.
func TestFailuresAreNoted(t *testing.T) {
	dir := t.TempDir()
	s := store.New(dir, 1<<20)
	get(t, s, "a", "value", "value")
	path := values(t, dir)[0]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if s.Stats().Err != nil {
		t.Fatal(s.Stats().Err)
	}
	get(t, s, "a", "again", "again")
	if got := s.Stats(); got.Err == nil || got.Made != 2 || got.Found != 0 {
		t.Errorf("%+v", got)
	}
	if err := s.Drop(store.KeyOf([]byte("a"))); err == nil {
		t.Error("what is in the way was dropped")
	}
}
