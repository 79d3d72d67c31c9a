//go:build linux && (amd64 || arm64)

package interop_test

import (
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/shlib"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/interop"
)

// python is an interpreter in this process.
type python struct {
	lib   uintptr
	words *[4]uint64 // what scripts leave for the test, as word(i, value)
}

// interpreter is the only one: Python does not start twice.
var interpreter *python

// startPython loads the library of the Python with NumPy that tests name.
func startPython(t *testing.T) *python {
	t.Helper()
	if interpreter != nil {
		return interpreter
	}
	out, err := exec.Command(testenv.Oracle(t), "-c", `import sys, sysconfig, numpy
print(sysconfig.get_config_var("LIBDIR") + "/" + sysconfig.get_config_var("INSTSONAME"))
print(repr(sys.path))`).CombinedOutput()
	lines := strings.SplitN(strings.TrimSpace(string(out)), "\n", 2)
	if err != nil || len(lines) != 2 {
		testenv.Missing(t, "oracle", fmt.Errorf("it has no NumPy: %w\n%s", err, out))
	}
	lib, err := shlib.OpenGlobal(lines[0])
	if err != nil {
		testenv.Missing(t, "libpython", fmt.Errorf("the Python of CUTILE_ORACLE_PYTHON is no shared library: %w", err))
	}
	p := &python{lib: lib, words: new([4]uint64)}
	interpreter = p
	runtime.LockOSThread()
	p.call("Py_InitializeEx", 0) // without handlers of signals
	p.call("PyEval_SaveThread")
	runtime.UnlockOSThread()
	p.run(t, fmt.Sprintf(`import sys, ctypes
sys.path[:] = %s
import numpy
def word(i, value): ctypes.c_uint64.from_address(%d + 8 * i).value = value
api = ctypes.pythonapi
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
`, lines[1], uintptr(unsafe.Pointer(p.words))))
	return p
}

func (p *python) call(name string, args ...uintptr) uintptr {
	return shlib.Call(shlib.Symbol(p.lib, name), args...)
}

// run runs a script with the interpreter's lock.
func (p *python) run(t *testing.T, script string) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	state := p.call("PyGILState_Ensure")
	defer p.call("PyGILState_Release", state)
	text := shlib.CString(script)
	failed := p.call("PyRun_SimpleString", uintptr(unsafe.Pointer(text)))
	runtime.KeepAlive(text)
	if failed != 0 {
		t.Fatalf("the script failed:\n%s", script)
	}
}

// TestNumPy exchanges arrays with NumPy in both directions and forms, without copies.
func TestNumPy(t *testing.T) {
	p, dev := startPython(t), open(t)
	p.run(t, `import weakref
a = numpy.arange(12, dtype="f4").reshape(3, 4)
base = a[:, 1:3]
alive = weakref.ref(base)
capsule = base.__dlpack__(max_version=(1, 0))
word(0, api.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
api.PyCapsule_SetName(capsule, b"used_dltensor_versioned")
del capsule, base
assert alive() is not None
`)
	any, err := interop.Import(dev, uintptr(p.words[0]))
	must(t, err)
	x := any.(*cutile.Tensor[float32])
	if got, err := x.Slice(); err != nil || !slices.Equal(got, []float32{1, 2, 5, 6, 9, 10}) || !slices.Equal(x.Shape(), []int{3, 2}) {
		t.Errorf("NumPy's array is %v of %v, %v", got, x.Shape(), err)
	}
	must(t, x.Write(t.Context(), []float32{10, 20, 30, 40, 50, 60}))
	must(t, dev.Sync(t.Context()))
	p.run(t, `assert a.tolist() == [[0, 10, 20, 3], [4, 30, 40, 7], [8, 50, 60, 11]], a`)
	must(t, x.Close())
	within(t, "giving the array back", func() bool {
		p.run(t, `word(1, alive() is None)`)
		return p.words[1] == 1
	})

	y, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	must(t, err)
	for _, form := range []string{"dltensor_versioned", "dltensor"} {
		out, done := interop.Export, make(chan bool)
		if form == "dltensor" {
			out = interop.ExportOld
		}
		at, err := out(t.Context(), y.T(), func() { close(done) })
		must(t, err)
		p.run(t, fmt.Sprintf(`name = b"%s"
class Tensor:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **options): return api.PyCapsule_New(%d, name, None)
b = numpy.from_dlpack(Tensor())
assert b.shape == (3, 2) and b.dtype == "f4", b
if b.flags.writeable: b *= 10 # NumPy does not write what the old form gives
assert b[2].tolist() == [30, 60], b
del b
`, form, at))
		<-done
	}
	if got, err := y.Slice(); err != nil || !slices.Equal(got, []float32{10, 20, 30, 40, 50, 60}) {
		t.Errorf("after NumPy it is %v, %v", got, err)
	}
	must(t, y.Freeze(t.Context()))
	at, err := interop.Export(t.Context(), y, nil)
	must(t, err)
	p.run(t, fmt.Sprintf(`name = b"dltensor_versioned"
class Tensor:
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self, **options): return api.PyCapsule_New(%d, name, None)
b = numpy.from_dlpack(Tensor())
assert not b.flags.writeable
del b
`, at))
}
