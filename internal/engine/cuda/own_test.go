package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// noTools makes the machine have no tools of NVIDIA and an empty cache folder.
func noTools(t *testing.T) {
	t.Helper()
	for _, env := range []string{"CUTILE_TILEIRAS", "CUTILE_PTXAS", "CUTILE_TOOLS", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"} {
		t.Setenv(env, "")
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if found, _ := filepath.Glob("/usr/local/cuda*/bin/*"); found != nil {
		t.Skip("a toolkit is installed where it is always found")
	}
}

// turing is a GPU with the oldest driver.
func turing() *simttest.GPU {
	return &simttest.GPU{Device: fake.Device{Major: 7, Minor: 5, Memory: 1 << 20}, CUDA: 11040}
}

// hopper is a GPU that tileiras makes code for, too.
func hopper() *simttest.GPU {
	return &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 20}, CUDA: 13040}
}

// notes are what an engine says it did.
type notes map[string]string

func (n notes) context() context.Context {
	return engine.Noting(background, func(what, value string) { n[what] = value })
}

// addsUp compiles vadd on a GPU, runs it and looks at the result, the launch and what is left.
func addsUp(t *testing.T, drv *fake.Driver, o cuda.Options) (said notes, image int) {
	t.Helper()
	said, o.Driver = notes{}, drv
	d, err := cuda.Open(0, o)
	check(t, err)
	k, err := d.Compile(said.context(), vadd(t), vaddName)
	check(t, err)
	s, x, y, z := newStream(t, d), alloc(t, d, 16), alloc(t, d, 16), alloc(t, d, 16)
	check(t, s.Write(x, 0, floats(1, 2, 3, 4)))
	check(t, s.Write(y, 0, floats(10, 20, 30, 40)))
	check(t, s.Launch(k, one, []uint64{x.Address(), 4, 1, y.Address(), 4, 1, z.Address(), 4, 1}))
	got := make([]byte, 16)
	check(t, s.Read(t.Context(), got, z, 0))
	if want := floats(11, 22, 33, 44); !bytes.Equal(got, want) {
		t.Errorf("vadd gives % x, want % x", got, want)
	}
	check(t, d.Close())
	if leaks := drv.Leaks(); len(leaks) > 0 {
		t.Errorf("leaks: %v", leaks)
	}
	for _, c := range drv.Trace() {
		switch c.Name {
		case "cuModuleLoadDataEx":
			image = c.Args[0].(int)
		case "cuLaunchKernel":
			if c.Args[2] != [3]uint32{128, 1, 1} {
				t.Errorf("%v: the block has not 128 threads", c)
			}
		case "cuLaunchKernelEx":
			t.Errorf("%v: code that does not wait for the grid before it may not start early", c)
		}
	}
	return said, image
}

// TestOwn goes from Tile IR to the result on GPUs and drivers of each age, by text that the driver reads.
func TestOwn(t *testing.T) {
	noTools(t)
	for because, gpu := range map[string]*simttest.GPU{
		"code of tileiras needs a driver for CUDA 13.0 (release R580) or later": turing(),
		"tileiras makes no code for sm_75":                                      {Device: fake.Device{Major: 7, Minor: 5, Memory: 1 << 20}, CUDA: 13000},
		"tileiras is not installed":                                             hopper(),
	} {
		said, _ := addsUp(t, gpu.Driver(), cuda.Options{})
		if want := (notes{"assembler": "own", "because": because, "code": "compiled to PTX"}); !maps.Equal(said, want) {
			t.Errorf("%s: it said %v", because, said)
		}
	}
	said, _ := addsUp(t, turing().Driver(), cuda.Options{Choice: cuda.AssemblerOwn})
	if want := (notes{"assembler": "own", "because": "it was chosen", "code": "found in the cache folder"}); !maps.Equal(said, want) {
		t.Errorf("the second time it said %v", said)
	}
	newer := turing()
	newer.CUDA = 11060
	if said, _ := addsUp(t, newer.Driver(), cuda.Options{}); said["code"] != "compiled to PTX" {
		t.Errorf("PTX for one driver is taken for that of another one: %v", said)
	}
	for size, code := range map[string]string{"1": "found in the cache folder", "1GiB": "found in the cache folder", "0": "", "0GiB": ""} {
		t.Setenv(cuda.CacheSizeEnv, size)
		if said, _ := addsUp(t, turing().Driver(), cuda.Options{Choice: cuda.AssemblerOwn}); said["code"] != code {
			t.Errorf("with a cache of %s it said %v", size, said)
		}
	}
}

// TestOwnArchs: the architecture and version of PTX for a GPU, its driver and its memory.
func TestOwnArchs(t *testing.T) {
	for _, c := range []struct {
		major, minor, driver, shared int
		want                         string
	}{
		{7, 5, 11040, 64 << 10, "sm_75 74"}, {8, 0, 11040, 163 << 10, "sm_80 74"}, {8, 9, 11040, 99 << 10, "sm_86 74"}, {8, 9, 13000, 99 << 10, "sm_89 84"},
		{8, 7, 13000, 163 << 10, "sm_86 84"}, {9, 0, 11080, 227 << 10, "sm_90 78"}, {9, 0, 12000, 227 << 10, "sm_90a 80"}, {9, 0, 0, 0, "sm_90a 84"},
		{10, 3, 12080, 227 << 10, "sm_100 87"}, {12, 1, 12080, 99 << 10, "sm_120 87"}, {13, 0, 13040, 227 << 10, "sm_121 88"}, {8, 6, 11000, 99 << 10, "sm_75 70"},
		{7, 0, 13000, 96 << 10, "our own compiler makes no code for sm_70: the oldest GPUs that it knows are of sm_75 (Turing)"},
		{7, 5, 9000, 64 << 10, "the driver takes PTX 0.0, which has no architecture that sm_75 runs: update the driver"},
	} {
		info := cuda.Info{Major: c.major, Minor: c.minor, Driver: c.driver, Shared: c.shared}
		archs, err := info.OwnArchs()
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(archs[0].Name, " ", archs[0].PTX)
		}
		if got != c.want {
			t.Errorf("%s, driver %d: %s, want %s", info.Target(), c.driver, got, c.want)
		}
	}
}

// failing makes a tileiras that fails in some way, and counts its runs.
func failing(t *testing.T, end string) (dir string) {
	t.Helper()
	tool, dir := standIn(t)
	script, err := os.ReadFile(tool.Tool.Path)
	check(t, err)
	check(t, os.WriteFile(tool.Tool.Path, bytes.ReplaceAll(script, []byte("echo run >>"), []byte(end+"\necho run >>")), 0o755))
	t.Setenv("CUTILE_TILEIRAS", tool.Tool.Path)
	return dir
}

// TestFallBack: where tileiras refuses a module, crashes, or writes what the machine cannot use, our own compiler takes its place
// and says why; not where tileiras was chosen.
func TestFallBack(t *testing.T) {
	for end, because := range map[string]string{
		"echo run >>$0.runs; echo 'error: bad operation' >&2; exit 1": "tileiras 13.4.1, making code for sm_90 from bytecode 13.1, failed (exit status 1)",
		"echo run >>$0.runs; kill -9 $$":                              "failed (signal: killed)",
		"echo run >>$0.runs; exit 0":                                  "it wrote no cubin",
	} {
		t.Run(end, func(t *testing.T) {
			dir := failing(t, end)
			said, _ := addsUp(t, hopper().Driver(), cuda.Options{})
			if said["assembler"] != "own" || !strings.Contains(said["because"], because) {
				t.Errorf("it said %v, want %q", said, because)
			}
			if b, err := os.ReadFile(filepath.Join(dir, "tileiras.runs")); err != nil || string(b) != "run\n" {
				t.Errorf("tileiras was run %q, %v", b, err)
			}
			d, err := cuda.Open(0, cuda.Options{Driver: hopper().Driver(), Choice: cuda.AssemblerTileiras})
			check(t, err)
			defer d.Close()
			said = notes{}
			_, err = d.Compile(said.context(), vadd(t), vaddName)
			var refused *cuda.AssemblyError
			if !errors.As(err, &refused) || said["assembler"] != "" {
				t.Errorf("chosen alone, tileiras gives %v, %v", err, said)
			}
		})
	}
}

// TestNeither: the errors of both compilers are told where neither takes a module.
func TestNeither(t *testing.T) {
	failing(t, "echo 'error: bad operation' >&2; exit 1")
	d, err := cuda.Open(0, cuda.Options{Driver: hopper().Driver()})
	check(t, err)
	defer d.Close()
	b := tileir.NewBuilder()
	huge := tileir.Tile(tileir.F64, 1<<20)
	b.Entry("huge", nil, func([]*tileir.Value) { b.Constant(tileir.FloatConstant(huge, 1)) })
	m, err := b.Build(tileir.V13_1)
	check(t, err)
	if _, err := threads.PTX(m, "huge", "sm_90", threads.Options{}); err == nil {
		t.Fatal("our own compiler takes the module: the test needs another one")
	}
	_, err = d.Compile(background, m, "huge")
	var first *cuda.AssemblyError
	var own *threads.Error
	if !errors.As(err, &first) || !errors.As(err, &own) || strings.Count(err.Error(), "failed (exit status 1)") != 1 {
		t.Errorf("got %v", err)
	}
}

// TestChoose: which compiler a GPU gets, and why.
func TestChoose(t *testing.T) {
	good := toolchain.Info{Version: "13.4.1", Bytecodes: tileir.Versions(), Targets: []string{"sm_90"}}
	named := &toolchain.NotFoundError{Name: "tileiras", Reason: "CUTILE_TILEIRAS names /none, which is not a program"}
	for want, c := range map[string]struct {
		choice       string
		major, minor int
		driver       int
		info         toolchain.Info
		err          error
	}{
		"tileiras, as tileiras 13.4.1 makes code for sm_90":                                  {"", 9, 0, 13000, good, nil},
		"own, as tileiras 13.4.1 makes no code for sm_100":                                   {"", 10, 0, 13000, good, nil},
		"own, as tileiras makes no code for sm_75":                                           {"", 7, 5, 13000, good, nil},
		"own, as code of tileiras needs a driver for CUDA 13.0 (release R580) or later":      {"", 9, 0, 12090, good, nil},
		"own, as it was chosen":                                                              {"own", 9, 0, 13000, good, nil},
		"tileiras, as it was chosen, only":                                                   {"tileiras", 7, 5, 13000, good, errors.New("no")},
		"own, as tileiras is not installed":                                                  {"", 9, 0, 13000, good, &toolchain.NotFoundError{Name: "tileiras"}},
		"own, as tileiras does not work: exit status 127":                                    {"", 9, 0, 0, good, errors.New("exit status 127")},
		"own, as tileiras 13.9 reads none of the bytecode versions that this program writes": {"", 9, 0, 13000, toolchain.Info{Version: "13.9"}, nil},
		", as : tileiras: CUTILE_TILEIRAS names /none, which is not a program":               {"", 9, 0, 13000, good, named},
	} {
		got, err := cuda.Choose(c.choice, cuda.Info{Major: c.major, Minor: c.minor, Driver: c.driver}, func() (toolchain.Info, error) { return c.info, c.err })
		text := got.Assembler + ", as " + got.Because
		if got.Only {
			text += ", only"
		}
		if err != nil {
			text += ": " + err.Error()
		}
		if text != want {
			t.Errorf("got %q, want %q", text, want)
		}
	}
}

// TestRefusedPTX: a driver that takes no PTX gives an error with what its compiler said, and the PTX is made anew the next time.
func TestRefusedPTX(t *testing.T) {
	noTools(t)
	refuses := fake.New(fake.Options{Decode: func([]byte) (*fake.Cubin, error) {
		return nil, &cudrv.Error{Code: 218, Log: "ptxas application ptx input, line 7; error : Unknown modifier"}
	}})
	for range 2 {
		d, err := cuda.Open(0, cuda.Options{Driver: refuses})
		check(t, err)
		said := notes{}
		_, err = d.Compile(said.context(), vadd(t), vaddName)
		for _, want := range []string{"cuda:0: loading kernel vadd_zero: ", "CUDA_ERROR_INVALID_PTX (218)", "\n\tptxas application ptx input, line 7; error : Unknown modifier"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		}
		if said["code"] != "compiled to PTX" {
			t.Errorf("it said %v", said)
		}
		check(t, d.Close())
	}
	if leaks := refuses.Leaks(); len(leaks) > 0 {
		t.Errorf("leaks: %v", leaks)
	}
}
