//go:build unix

package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/launchgen"
	"github.com/cutile-go/cutile/npy"
)

// outputs are the commands that write a file: its place in a folder and what it begins with, which is nothing where the
// command fails. DIR stands for the folder.
var outputs = map[string]struct {
	file, starts string
	args         []string
}{
	"asm":             {"out", toolbox.Mark, []string{"asm", data + "vmul.tileir", "-o", "DIR/out"}},
	"asm that fails":  {"out", "", []string{"asm", data + "wrong.tileir", "-o", "DIR/out"}},
	"run":             {"z.npy", "\x93NUMPY", []string{"run", "-grid", "1", data + "vadd.tileirbc", "-array", "DIR/x.npy", "-array", "DIR/x.npy", "-array", "DIR/z=float32:16"}},
	"run that fails":  {"z.npy", "", []string{"run", "-grid", "1", data + "vadd.tileirbc", "-array", "DIR/x.npy", "-array", "DIR/none.npy", "-array", "DIR/z=float32:16"}},
	"dump":            {"kernels.Add_D64.tileir.txt", "// Producer: ", []string{"dump", kernelsDir, "Add[D64]", "-stage=ir", "-o", "DIR"}},
	"dump that fails": {"kernels.None.tileir.txt", "", []string{"dump", kernelsDir, "None", "-stage=ir", "-o", "DIR"}},
	"gen":             {filepath.Join(toolbox.Path, entriesDir, launchgen.File), "// Code generated", []string{"gen", "-o", "DIR", "./" + entriesDir}},
	"gen that fails":  {filepath.Join(toolbox.Path, kernelsDir, launchgen.File), "", []string{"gen", "-o", "DIR", kernelsDir}},
}

// TestSpecialOutputs: where an output is no regular file, such as a device or a pipe, a command writes to it, and neither
// replaces nor removes it, also where it fails; so it is with a symlink to one.
func TestSpecialOutputs(t *testing.T) {
	for name, c := range outputs {
		for _, linked := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " to a symlink"}[linked], func(t *testing.T) {
				dir := t.TempDir()
				save(t, filepath.Join(dir, "x.npy"), npy.Float32, func(int) uint64 { return 0 }, 16)
				place := filepath.Join(dir, c.file)
				pipe, kind := place, fs.ModeNamedPipe
				if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
					t.Fatal(err)
				}
				if linked {
					pipe, kind = filepath.Join(t.TempDir(), "pipe"), fs.ModeSymlink
					if err := os.Symlink(pipe, place); err != nil {
						t.Fatal(err)
					}
				}
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
				reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which waits for no writer
				if err != nil {
					t.Fatal(err)
				}
				defer reader.Close()
				args := strings.Split(strings.ReplaceAll(strings.Join(c.args, "\x00"), "DIR", dir), "\x00")
				fails := strings.HasSuffix(name, "that fails")
				if code, _, errs := cutile(args...); (code != exitOK) != fails {
					t.Errorf("exit code %d, %s", code, errs)
				}
				got, err := io.ReadAll(reader)
				if err != nil || !strings.HasPrefix(string(got), c.starts) || (len(got) == 0) != fails {
					t.Errorf("what reads the pipe gets %d bytes, %.20q, %v", len(got), got, err)
				}
				for at, want := range map[string]fs.FileMode{place: kind, pipe: fs.ModeNamedPipe} {
					if st, err := os.Lstat(at); err != nil || st.Mode().Type() != want {
						t.Errorf("%s: %v, %v; it was %v", at, st, err, want)
					}
				}
			})
		}
	}
}
