package cute_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// panics and fails are writers of programs that do what they should not.
type (
	panics struct{}
	fails  struct{}
)

func (panics) Write([]byte) (int, error) { panic("the disk is gone") }
func (fails) Write([]byte) (int, error)  { return 0, errors.New("the disk is gone") }

// TestPanickingWriter: what a program's writer does wrong is an error of what has printed, whatever that is, and no panic.
// The same function then works with another writer.
func TestPanickingWriter(t *testing.T) {
	printing := map[string]func(o cute.Options) error{
		"print-ir": func(o cute.Options) error {
			o.PrintIR = true
			return cute.Jit(runScale, o)(cute.Of[float32](vectorOf(t, 4)), 2)
		},
		"log": func(o cute.Options) error {
			o.Log = true
			return cute.Jit(runScale, o)(cute.Of[float32](vectorOf(t, 4)), 2)
		},
		"time": func(o cute.Options) error {
			o.Time = true
			return cute.Jit(runScale, o)(cute.Of[float32](vectorOf(t, 4)), 2)
		},
		"fmt.Println":  func(o cute.Options) error { return cute.Jit(foo, o)(2, cute.C(2)) },
		"cute.Call":    func(o cute.Options) error { _, err := cute.Call(t.Context(), cute.Jit(foo), o, 2, 2); return err },
		"cute.Compile": func(o cute.Options) error { _, err := cute.Compile(t.Context(), cute.Jit(foo), o, 2, 2); return err },
		"compile-only": func(o cute.Options) error {
			o.NoRun = true
			_, err := cute.Call(t.Context(), cute.Jit(foo), o, 2, 2)
			return err
		},
	}
	for name, call := range printing {
		for how, w := range map[string]io.Writer{"panics": panics{}, "fails": fails{}} {
			t.Run(name+" "+how, func(t *testing.T) {
				err := call(cute.Options{Output: w})
				if err == nil || !strings.Contains(err.Error(), "the disk is gone") || strings.Contains(err.Error(), "BUG") {
					t.Errorf("the error is %v", err)
				}
				var out bytes.Buffer
				if err := call(cute.Options{Output: &out}); err != nil || out.Len() == 0 {
					t.Errorf("a good writer afterwards: %v, %q", err, out.String())
				}
			})
		}
	}
}

// TestPanickingDeviceWriter: the same for what kernels print.
func TestPanickingDeviceWriter(t *testing.T) {
	for how, w := range map[string]io.Writer{"panics": panics{}, "fails": fails{}} {
		t.Run(how, func(t *testing.T) {
			dev := must(cutile.Open("cpu", cutile.WithOutput(w)))(t)
			defer dev.Close()
			check(t, cute.Jit(runLoud)(cute.Of[float32](vector(t, dev, 4))))
			if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "the disk is gone") || strings.Contains(err.Error(), "BUG") {
				t.Errorf("the error is %v", err)
			}
			check(t, cute.Jit(runScale)(cute.Of[float32](vector(t, dev, 4)), 2))
			check(t, dev.Sync(t.Context()))
		})
	}
	if err := must(cute.Compile(t.Context(), cute.Jit(runScale), vectorOf(t, 4), 2, cute.Options{Arch: "sm_90"}))(t).Module().WritePTX(fails{}, "sm_90"); err == nil {
		t.Error("WritePTX loses what it writes")
	}
}

// TestPrintedBeforeReturn: a call without an argument that names a device has printed when it returns, as nobody else could
// wait for it before main ends.
func TestPrintedBeforeReturn(t *testing.T) {
	f := must(os.Create(filepath.Join(t.TempDir(), "out")))(t)
	defer f.Close()
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = f
	const turns = 70000
	check(t, cute.Jit(late)(turns))
	if got := string(must(os.ReadFile(f.Name()))(t)); got != fmt.Sprintf("late %d\n", turns/7*21) {
		t.Errorf("printed when the call returns: %q", got)
	}
}
