//go:build unix

package toolchain_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// result is a script that makes the result of an assembler by a command, which writes to $out.
func result(command string) string { return `while [ "$1" != -o ]; do shift; done; out=$2; ` + command }

// TestResultIsChecked: what is no cubin of the target with the kernel that was asked for is not taken, be it a FIFO, which
// nobody waits for.
func TestResultIsChecked(t *testing.T) {
	dir := bare(t)
	elsewhere := filepath.Join(dir, "elsewhere.cubin")
	check(t, os.WriteFile(elsewhere, fakecubin.Make("sm_90", "code", "k"), 0o600))
	write := func(target, kernel string) string {
		return fakecubin.Printf(fakecubin.Make(target, "code", kernel)) + " >$out"
	}
	for name, c := range map[string]struct{ command, want string }{
		"good":     {write("sm_90", "k"), ""},
		"nothing":  {"", ": it wrote no cubin: "},
		"empty":    {"touch $out", ": its result of 0 bytes is not a cubin: "},
		"text":     {"echo cubin >$out", ": its result of 6 bytes is not a cubin: "},
		"other":    {write("sm_100", "k"), ": its cubin is for sm_100, want sm_90"},
		"no entry": {write("sm_90", "l"), ": its cubin lacks the kernel k; it has l"},
		"fifo":     {"mkfifo $out", " is not used: it is neither a file nor a folder"},
		"symlink":  {"ln -s " + elsewhere + " $out", " is not used: it is a symlink"},
		"folder":   {"mkdir $out", ": it is a folder"},
	} {
		for _, tool := range []string{toolchain.Tileiras, toolchain.Ptxas} {
			path := script(t, filepath.Join(dir, tool), result(c.command))
			_, _, err := toolchain.Assembly{Tool: toolchain.Tool{Name: tool, Path: path}, Target: "sm_90", Entries: []string{"k"}}.Run(background)
			var e *toolchain.AssembleError
			if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &e) || e.Exit != -1 || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s of %s: %v, want %q", name, tool, err, c.want)
			}
		}
	}
}

// TestToolkitEnv: an assembler with a ptxas of its own, also behind a symlink, does not see the variables that lead to
// another toolkit, and one without sees those that are not empty.
func TestToolkitEnv(t *testing.T) {
	dir := bare(t)
	t.Setenv("CUDA_HOME", "/another")
	t.Setenv("CUDA_PATH", "")
	seen := filepath.Join(dir, "seen")
	body := result("env | grep ^CUDA_ >" + seen + "; " + fakecubin.Printf(fakecubin.Make("sm_90", "code", "k")) + " >$out")
	own := script(t, filepath.Join(dir, "own", toolchain.Tileiras), body)
	script(t, filepath.Join(dir, "own", toolchain.Ptxas), "")
	link := filepath.Join(dir, "link", toolchain.Tileiras)
	check(t, os.MkdirAll(filepath.Dir(link), 0o755))
	check(t, os.Symlink(own, link))
	alone := script(t, filepath.Join(dir, "alone", toolchain.Tileiras), body)
	for path, want := range map[string]string{own: "", link: "", alone: "CUDA_HOME=/another\n"} {
		_, _, err := toolchain.Assembly{Tool: toolchain.Tool{Name: toolchain.Tileiras, Path: path}, Target: "sm_90", Entries: []string{"k"}}.Run(background)
		check(t, err)
		got, err := os.ReadFile(seen)
		check(t, err)
		if string(got) != want {
			t.Errorf("%s sees %q, want %q", path, got, want)
		}
	}
}

// TestTimeout ends an assembler that does not end, with the words of what to do.
func TestTimeout(t *testing.T) {
	dir := bare(t)
	tool := toolchain.Tool{Name: toolchain.Ptxas, Path: script(t, filepath.Join(dir, "ptxas"), "sleep 600")}
	t.Setenv("CUTILE_ASSEMBLE_TIMEOUT", "50ms")
	start := time.Now()
	_, err := toolchain.Assemble(background, tool, nil, "sm_90")
	var e *toolchain.AssembleError
	if want := "it took longer than 50ms and was killed; CUTILE_ASSEMBLE_TIMEOUT sets the limit"; !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("that took %v", d)
	}
	for _, wrong := range []string{"soon", "-1s"} {
		t.Setenv("CUTILE_ASSEMBLE_TIMEOUT", wrong)
		if _, err := toolchain.Assemble(background, tool, nil, "sm_90"); err == nil || !strings.Contains(err.Error(), "want a duration such as 90s") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	t.Setenv("CUTILE_ASSEMBLE_TIMEOUT", "0")
	short, cancel := context.WithTimeout(background, 50*time.Millisecond)
	defer cancel()
	if _, err := toolchain.Assemble(short, tool, nil, "sm_90"); !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &e) {
		t.Errorf("the caller's end: %v", err)
	}
}

// TestOutputIsBounded keeps the first MiB of what an assembler says, and goes on to its end.
func TestOutputIsBounded(t *testing.T) {
	dir := bare(t)
	tool := toolchain.Tool{Name: toolchain.Ptxas, Path: script(t, filepath.Join(dir, "ptxas"), "echo first >&2; yes word | head -c 5000000 >&2; exit 3")}
	_, err := toolchain.Assemble(background, tool, nil, "sm_90")
	var e *toolchain.AssembleError
	if !errors.As(err, &e) || e.Exit != 3 {
		t.Fatalf("error %.200v", err)
	}
	if n := len(e.Output); n < 1<<20 || n > 1<<20+100 || !strings.HasPrefix(e.Output, "first\nword\n") || !strings.HasSuffix(e.Output, "\n(3951430 more bytes)") {
		t.Errorf("%d bytes are kept: %.20q … %q", n, e.Output, e.Output[max(0, n-40):])
	}
}

// TestChildrenEnd: what an assembler started does not survive it when it is ended.
func TestChildrenEnd(t *testing.T) {
	dir := bare(t)
	pid := filepath.Join(dir, "pid")
	for _, name := range []string{toolchain.Tileiras, toolchain.Ptxas} {
		os.Remove(pid)
		tool := toolchain.Tool{Name: name, Path: script(t, filepath.Join(dir, name), "sleep 600 & echo $! >"+pid+".tmp; mv "+pid+".tmp "+pid+"; wait")}
		ctx, cancel := context.WithCancel(background)
		var child int
		go func() {
			defer cancel()
			for range 1000 {
				if b, err := os.ReadFile(pid); err == nil {
					child, _ = strconv.Atoi(strings.TrimSpace(string(b)))
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}()
		if _, err := toolchain.Assemble(ctx, tool, nil, "sm_90"); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if child == 0 {
			t.Fatalf("%s did not start its child", name)
		}
		if !gone(child) {
			t.Errorf("the child %d of %s still runs", child, name)
			syscall.Kill(child, syscall.SIGKILL)
		}
	}
}

// gone reports whether a process ends within some seconds; one that nobody waits for has no command line.
func gone(pid int) bool {
	for range 300 {
		cmdline, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err == nil && len(cmdline) == 0 || syscall.Kill(pid, 0) != nil {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
