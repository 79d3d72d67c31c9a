package host

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/debug"
)

// needsCode skips where no code can run: on other architectures, and on CPUs without the lowest level.
func needsCode(t testing.TB) {
	t.Helper()
	if Best() == LevelNone {
		t.Skip(lacks(Machine().Arch, Machine().Features))
	}
}

// mapped maps code for a test.
func mapped(t testing.TB, code []byte, functions ...Function) *Code {
	t.Helper()
	needsCode(t)
	c, err := Map(code, functions...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Free)
	return c
}

func TestSelfTest(t *testing.T) {
	if err := SelfTest(); (err != nil) != (Best() == LevelNone) {
		t.Errorf("level %s, %v", Best(), err)
	}
}

// TestNeverWritableAndExecutable looks at every mapping of the process while code is written, while it can be called and
// after it is freed.
func TestNeverWritableAndExecutable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the mappings are listed in /proc")
	}
	needsCode(t)
	watched := system
	watched.seal = func(pages []byte) error {
		if mode, _ := protection(t, uintptr(unsafe.Pointer(&pages[0]))); mode != "rw-p" {
			t.Errorf("what is written has mode %q, want rw-p", mode)
		}
		return system.seal(pages)
	}
	c, err := mapIn(watched, slices.Repeat(trials[runtime.GOARCH], 1000), nil)
	if err != nil {
		t.Fatal(err)
	}
	addr := c.Addr()
	if mode, _ := protection(t, addr); mode != "r-xp" {
		t.Errorf("the code has mode %q, want r-xp", mode)
	}
	c.Free()
	if mode, found := protection(t, addr); found && strings.Contains(mode, "x") {
		t.Errorf("after Free the address has mode %q", mode)
	}
	c.Free()
}

// protection gives the mode of the mapping at an address; a mapping that is writable and executable fails the test.
func protection(t *testing.T, addr uintptr) (mode string, found bool) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		if strings.Contains(fields[1], "w") && strings.Contains(fields[1], "x") {
			t.Errorf("a mapping is writable and executable: %s", line)
		}
		if from, to := span(t, fields[0]); from <= addr && addr < to {
			mode, found = fields[1], true
		}
	}
	return mode, found
}

// TestFreshCode: code that takes the place of other code, at the same address, is what runs, on every core.
func TestFreshCode(t *testing.T) {
	needsCode(t)
	var running sync.WaitGroup
	for g := range 8 {
		running.Go(func() {
			for i := range 500 {
				n := uint16(g*1000 + i)
				c, err := Map(returning(n))
				if err != nil {
					t.Error(err)
					return
				}
				if got := Call(c.Addr(), nil); got != uint64(n) {
					t.Errorf("the code returns %d, want %d", got, n)
				}
				c.Free()
			}
		})
	}
	running.Wait()
}

// TestTraps: what follows the code in its last page is no code.
func TestTraps(t *testing.T) {
	c := mapped(t, trials[runtime.GOARCH])
	n := len(trials[runtime.GOARCH])
	want := map[string]byte{"amd64": 0xcc, "arm64": 0}[runtime.GOARCH]
	if !slices.Equal(c.pages[:n], trials[runtime.GOARCH]) || c.Size() != os.Getpagesize() {
		t.Errorf("%d bytes begin with % x", c.Size(), c.pages[:n])
	}
	for i, b := range c.pages[n:] {
		if b != want {
			t.Fatalf("byte %d is %#x, want %#x", n+i, b, want)
		}
	}
}

// TestRefused: each step that a system may refuse is named, and nothing stays mapped.
func TestRefused(t *testing.T) {
	needsCode(t)
	no := syscall.EACCES
	released := 0
	working := system
	working.release = func(pages []byte) error { released++; return system.release(pages) }
	noPages, noSeal := working, working
	noPages.reserve = func(int) ([]byte, error) { return nil, no }
	noSeal.seal = func([]byte) error { return no }
	for _, c := range []struct {
		m        memory
		want     string
		released int
	}{
		{noPages, "the system refuses executable memory: pages to write: ", 0},
		{noSeal, "the system refuses executable memory: making pages executable: ", 1},
	} {
		released = 0
		err := tryIn(c.m)
		if _, ok := errors.AsType[*RefusedError](err); !ok || !errors.Is(err, no) || err.Error() != c.want+no.Error() || released != c.released {
			t.Errorf("got %v, %d released, want %s, %d", err, released, c.want, c.released)
		}
	}
	if err := tryIn(working); err != nil || released != 2 {
		t.Errorf("%v, %d released", err, released)
	}
}

// TestMapMistakes: the callers' bugs.
func TestMapMistakes(t *testing.T) {
	if _, err := Map(nil); err == nil || !strings.HasPrefix(err.Error(), "BUG: ") {
		t.Errorf("got %v", err)
	}
	for _, f := range []Function{{"f", -1, 1}, {"f", 0, 0}, {"f", 0, 5}, {"f", 3, 2}, {"f", 5, 1}, {"f", 1, 1 << 62}} {
		if _, err := Map(make([]byte, 4), f); err == nil || !strings.HasPrefix(err.Error(), "BUG: function f") {
			t.Errorf("%+v: got %v", f, err)
		}
	}
}

// TestPerfMap: the file has a line for each function, in hexadecimal, and is made anew by each process.
func TestPerfMap(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no /tmp")
	}
	saved := profiled.path
	t.Cleanup(func() { profiled.path, profiled.file = saved, nil })
	profiled.path = t.TempDir() + "/perf.map"
	if err := os.WriteFile(profiled.path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	code := slices.Repeat(trials[runtime.GOARCH], 20)
	t.Setenv(debug.Env, "")
	mapped(t, code, Function{"unseen", 0, 4})
	t.Setenv(debug.Env, debug.PerfMap)
	c := mapped(t, code, Function{"gemm load\nA", 16, 10}, Function{"softmax", 0x20, 0x11})
	d := mapped(t, code, Function{"add", 0, 20})
	text, err := os.ReadFile(profiled.path)
	if err != nil {
		t.Fatal(err)
	}
	want := hex(c.Addr()+16) + " a gemm load A\n" + hex(c.Addr()+0x20) + " 11 softmax\n" + hex(d.Addr()) + " 14 add\n"
	if string(text) != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	profiled.path, profiled.file = t.TempDir()+"/none/perf.map", nil
	if _, err := Map(code, Function{"f", 0, 4}); err == nil || !strings.HasPrefix(err.Error(), "the names of functions for perf cannot be written: ") {
		t.Errorf("got %v", err)
	}
}
