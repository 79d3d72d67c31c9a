//go:build !nocuda && (amd64 || arm64)

package processtest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// site is a machine with a GPU whose driver is a library in C, and with a shell script in the place of tileiras.
type site struct {
	t   *testing.T
	dir string
	bin string // the program testdata/faults
	env []string
}

// doubled is what the program prints of the GPU, and doubledCPU what it prints of the CPU.
const doubled, doubledCPU = "cuda:0 [2 4 6 8 10]\n", "cpu [2 4 6 8 10]\n"

// symbol is that of the program's kernel.
var symbol = names.Entry("main.double[D4]")

// newSite builds the program and the driver, which takes options of the C compiler.
func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: t.TempDir(), bin: buildPackage(t, "./testdata/faults", ".", []string{"CGO_ENABLED=0"})}
	s.env = []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH"), "CUTILE_CACHE=" + s.path("cache"), "CUTILE_LIBCUDA=" + s.library("libcuda.so.1"), "CUTILE_TILEIRAS=" + s.path("tileiras")}
	s.assembles(good)
	return s
}

func (s *site) path(name string) string { return filepath.Join(s.dir, name) }

// write writes a file.
func (s *site) write(name string, text []byte) string {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), text, 0o755); err != nil {
		s.t.Fatal(err)
	}
	return s.path(name)
}

// library builds the driver, which runs the program's kernel.
func (s *site) library(name string, options ...string) string {
	s.t.Helper()
	args := append([]string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-fvisibility=hidden", "-DDOUBLE", "-o", s.path(name)}, options...)
	cmd := exec.Command(testenv.CC(s.t), append(args, filepath.Join("..", "..", "driver", "cudrv", "testdata", "driver.c"))...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return s.path(name)
}

// cubin is what the stand-in for tileiras makes, and good the command for that.
var (
	cubin = fakecubin.Make("sm_90", "code", symbol)
	good  = fakecubin.Printf(cubin) + " >$out"
)

// assembles sets what the stand-in for tileiras does with a module after it has noted the run. $out is the file for the cubin.
func (s *site) assembles(command string) {
	s.t.Helper()
	s.write("tileiras", []byte(`#!/bin/sh
case $1 in
--version) echo "release 13.4, V13.4.1"; exit;;
--help) echo "--gpu-name=sm_90"; exit;;
--list-versions) echo 13.1; exit;;
esac
echo run >>`+s.path("runs")+`
while [ "$1" != -o ]; do shift; done; out=$2
`+command+"\n"))
}

// runs gives how often modules were assembled.
func (s *site) runs() int {
	text, _ := os.ReadFile(s.path("runs"))
	return strings.Count(string(text), "run")
}

// command is the program, with further variables. It is started by a shell, which a limit may be given to.
func (s *site) command(device, limit string, env ...string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", limit+"exec "+s.bin+" '"+device+"'")
	cmd.Dir, cmd.Env = s.dir, append(s.env, env...)
	return cmd
}

// run runs the program, and wants it to succeed with some output, or else to fail with it, without a word of a bug that nobody wants. A
// failure may have several texts, separated by |.
func (s *site) run(device, limit, want string, env ...string) {
	s.t.Helper()
	out, err := s.command(device, limit, env...).CombinedOutput()
	s.judge(string(out), err, want)
}

func (s *site) judge(out string, err error, want string) {
	s.t.Helper()
	fails := want != doubled && want != doubledCPU
	lacks := false
	for part := range strings.SplitSeq(want, "|") {
		lacks = lacks || !strings.Contains(out, part)
	}
	switch {
	case len(out) > 15_000 || strings.ContainsFunc(out, func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }):
		s.t.Errorf("%d bytes are printed: %.500q", len(out), out)
	case strings.Contains(out, "BUG") && !strings.Contains(want, "BUG") || strings.Contains(out, "goroutine "):
		s.t.Errorf("it is a bug:\n%s", out)
	case fails && (err == nil || lacks), !fails && (err != nil || out != want):
		s.t.Errorf("%v\n%swant %q", err, out, want)
	}
}

// TestFaults runs a program where drivers and tools are missing or broken: it goes on, or ends with an error that says what is wrong.
func TestFaults(t *testing.T) {
	s := newSite(t)
	s.write("text.so", []byte("no library\n"))
	const only, own = "CUTILE_ASSEMBLER=tileiras", "CUTILE_ASSEMBLER=own"
	const lost = "kernel main.double[D4]: kernel failed (CUDA_ERROR_LAUNCH_FAILED); the context of cuda:0 and all its memory are lost: close the device and open it again"
	failed := "kernel " + symbol + ": tileiras 13.4.1, making code for sm_90 from bytecode 13.1, failed ("
	for _, c := range []struct {
		name, device, assembles string
		env                     []string
		want                    string
	}{
		{"all is well", "cuda", good, []string{only}, doubled},
		{"no libcuda", "cuda", good, []string{"CUTILE_LIBCUDA=/none/libcuda.so"}, "the devices are cpu; no CUDA driver (tried /none/libcuda.so): "},
		{"no libcuda, any device", "", good, []string{"CUTILE_LIBCUDA=/none/libcuda.so"}, doubledCPU},
		{"libcuda is a text", "cuda", good, []string{"CUTILE_LIBCUDA=" + s.path("text.so")}, "no CUDA driver (tried " + s.path("text.so") + "): "},
		{"libcuda is a text, any device", "", good, []string{"CUTILE_LIBCUDA=" + s.path("text.so")}, doubledCPU},
		{"no tileiras", "cuda", good, []string{"CUTILE_TILEIRAS=/none/tileiras"}, "CUTILE_TILEIRAS names /none/tileiras, which is not a program"},
		{"our own compiler needs none", "cuda", good, []string{"CUTILE_TILEIRAS=/none/tileiras", own}, doubled},
		{"tileiras crashes", "cuda", "kill -SEGV $$", []string{only}, failed + "signal: segmentation fault"},
		{"tileiras crashes, our own compiler takes over", "cuda", "kill -SEGV $$", nil, doubled},
		{"tileiras hangs", "cuda", "sleep 600", []string{only, "CUTILE_ASSEMBLE_TIMEOUT=200ms"}, failed + "it took longer than 200ms and was killed; CUTILE_ASSEMBLE_TIMEOUT sets the limit"},
		{"tileiras hangs, our own compiler takes over", "cuda", "sleep 600", []string{"CUTILE_ASSEMBLE_TIMEOUT=200ms"}, doubled},
		{"tileiras prints garbage", "cuda", "head -c 100000 /dev/urandom; head -c 100000 /dev/urandom >&2; exit 3", []string{only}, failed + "exit status 3); "},
		{"tileiras writes garbage", "cuda", "yes garbage | head -c 100000 >$out", []string{only}, failed + "its result of 100000 bytes is not a cubin: "},
		{"tileiras writes nothing", "cuda", "", []string{only}, failed + "it wrote no cubin: "},
		{"a truncated cubin", "cuda", fakecubin.Printf(cubin[:len(cubin)-9]) + " >$out", []string{only}, failed + "its result of " + strconv.Itoa(len(cubin)-9) + " bytes is not a cubin: "},
		{"a cubin of which the header is cut", "cuda", fakecubin.Printf(cubin[:40]) + " >$out", []string{only}, failed + "its result of 40 bytes is not a cubin: "},
		{"a truncated cubin, our own compiler takes over", "cuda", fakecubin.Printf(cubin[:40]) + " >$out", nil, doubled},
		{"the device is lost in mid-launch", "cuda", good, []string{"CUTILE_LIBCUDA=" + s.library("liblost.so.1", "-DLOST"), only}, lost},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := *s
			s.t = t
			s.assembles(c.assembles)
			s.run(c.device, "", c.want, append(c.env, "CUTILE_CACHE="+t.TempDir())...)
		})
	}
	t.Run("tileiras says garbage of itself", func(t *testing.T) {
		s := *s
		s.t = t
		s.write("tileiras", []byte("#!/bin/sh\nhead -c 10000 /dev/urandom\n"))
		s.run("cuda", "", "tileiras", "CUTILE_CACHE="+t.TempDir(), only)
		s.run("cuda", "", doubled, "CUTILE_CACHE="+t.TempDir())
	})
}

// kept lists the files with code in the cache folder.
func (s *site) kept() (files []string) {
	filepath.WalkDir(s.path("cache/cubins"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && d.Name() != "lock" {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// TestDamagedCache: code that was cut off in the cache folder is made again, and then found.
func TestDamagedCache(t *testing.T) {
	s := newSite(t)
	for i, keep := range []int64{-1, -1, 300, 0} {
		if files := s.kept(); keep >= 0 {
			if len(files) != 1 {
				t.Fatalf("the cache folder has %q", files)
			}
			if err := os.Truncate(files[0], keep); err != nil {
				t.Fatal(err)
			}
		}
		s.run("cuda", "", doubled)
		if want := []int{1, 1, 2, 3}[i]; s.runs() != want {
			t.Errorf("%d runs of tileiras, want %d", s.runs(), want)
		}
	}
}

// TestFullDisk: where nothing can be written, code is made in each process, or the error says so.
func TestFullDisk(t *testing.T) {
	s := newSite(t)
	t.Run("cache folder", func(t *testing.T) {
		s := *s
		s.t = t
		small := t.TempDir()
		if err := syscall.Mount("none", small, "tmpfs", 0, "size=4k"); err != nil {
			testenv.Missing(t, "root", fmt.Errorf("a small disk cannot be mounted: %w", err))
		}
		defer syscall.Unmount(small, 0)
		if err := os.WriteFile(filepath.Join(small, "full"), make([]byte, 4096), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s.run("cuda", "", doubled, "CUTILE_CACHE="+small)
		}
		if s.runs() != 2 {
			t.Errorf("%d runs of tileiras, want 2", s.runs())
		}
		s.run("broken", "", "BUG: no code|; the files to reproduce it could not be written: |no space left on device", "CUTILE_DEBUG=bundle="+filepath.Join(small, "bundles"))
		if left, err := os.ReadDir(filepath.Join(small, "bundles")); err != nil || len(left) > 0 {
			t.Errorf("there is left %v, %v", left, err)
		}
		s.run("cuda", "", "tileiras: write "+small+"/cutile-", "TMPDIR="+small, "CUTILE_CACHE="+small+"/none", "CUTILE_ASSEMBLER=tileiras")
	})
	// A limit of the size of files is a full disk for the program and for tileiras.
	s.run("cuda", "ulimit -f 0; ", doubled, "CUTILE_ASSEMBLER=own")
	s.run("cuda", "ulimit -f 0; ", ": file too large", "CUTILE_ASSEMBLER=tileiras")
	if files := s.kept(); len(files) > 0 {
		t.Errorf("half written files stay: %q", files)
	}
	s.run("cuda", "", doubled)
}

// TestOneEntry: several processes want the same code at one time: one of them makes it. Where that one is killed, another takes over.
func TestOneEntry(t *testing.T) {
	s := newSite(t)
	s.assembles("sleep 0.5; " + good)
	together := func(n int) {
		t.Helper()
		var all []*exec.Cmd
		var outs []*strings.Builder
		for range n {
			cmd, out := s.command("cuda", ""), &strings.Builder{}
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			all, outs = append(all, cmd), append(outs, out)
		}
		for i, cmd := range all {
			err := cmd.Wait()
			s.judge(outs[i].String(), err, doubled)
		}
	}
	together(3)
	if s.runs() != 1 {
		t.Errorf("%d runs of tileiras for 3 processes, want 1", s.runs())
	}

	// One is killed while it makes the code; the cache folder is another one.
	s.env = append(s.env, "CUTILE_CACHE="+s.path("cache2"))
	killed := s.command("cuda", "")
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); s.runs() < 2; {
		if time.Now().After(deadline) {
			t.Fatal("tileiras does not run")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Wait()
	together(2)
	if s.runs() != 3 {
		t.Errorf("%d runs of tileiras after one was killed, want 3", s.runs())
	}
}
