package cuda_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

func TestCompileChoosesTheVersion(t *testing.T) {
	m := vadd(t)
	for _, c := range []struct {
		reads  []tileir.Version
		forced tileir.Version
		want   tileir.Version
	}{
		{tileir.Versions(), 0, tileir.Newest},
		{[]tileir.Version{tileir.V13_1, tileir.V13_2}, 0, tileir.V13_2},
		{tileir.Versions(), tileir.V13_1, tileir.V13_1},
	} {
		a := &assembler{versions: c.reads}
		d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{Devices: []fake.Device{{Major: 10, Minor: 3, Memory: 1 << 20, Multiprocessors: 4}}}),
			Assembler: a, Version: c.forced})
		check(t, err)
		k, err := d.Compile(background, m, vaddName)
		check(t, err)
		want, err := bytecode.Write(m, c.want, bytecode.Options{})
		check(t, err)
		job := a.jobs[0]
		if job.Version != c.want || job.Target != "sm_103" || job.Entry.Name != vaddName || !bytes.Equal(job.Bytecode, want) {
			t.Errorf("reads %v, forced %v: assembled version %v for %s", c.reads, c.forced, job.Version, job.Target)
		}
		o, err := d.Occupancy(k, engine.SIMTLaunch{})
		if want := (engine.Occupancy{Blocks: 2, Multiprocessors: 4, Threads: 1024, Registers: 32}); err != nil || o != want {
			t.Errorf("occupancy %+v, %v; want %+v", o, err, want)
		}
		check(t, k.(*cuda.Kernel).AllowDynamicShared(100<<10))
		check(t, d.Close())
	}
}

// TestCompileLacks compiles what the GPU's architecture does not have; the assembler is not asked.
func TestCompileLacks(t *testing.T) {
	b := tileir.NewBuilder()
	b.Entry("k", nil, func([]*tileir.Value) { b.Constant(tileir.FloatConstant(tileir.Tile(tileir.F8E4M3FN, 16), 1)) })
	m, err := b.Build(tileir.Newest)
	check(t, err)
	for major, want := range map[int]string{
		8: "cuda:0: kernel k: this GPU lacks what the kernel uses: tileir: entry k: operation 0 (constant): type f8E4M3FN needs sm_90, ",
		9: "",
	} {
		a := &assembler{versions: tileir.Versions()}
		d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{Devices: []fake.Device{{Major: major, Memory: 1 << 20}}}), Assembler: a})
		check(t, err)
		_, err = d.Compile(background, m, "k")
		if want == "" && len(a.jobs) != 1 || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want) || len(a.jobs) > 0) {
			t.Errorf("sm_%d0: error %v, %d jobs, want %q", major, err, len(a.jobs), want)
		}
		check(t, d.Close())
	}
}

func TestCompileErrors(t *testing.T) {
	broken := errors.New("broken")
	for want, c := range map[string]struct {
		asm   cuda.Assembler
		entry string
		opts  fake.Options
	}{
		`cuda:0: the module has no entry "x"; it has vadd_zero`:                                {&assembler{}, "x", fake.Options{}},
		"cuda:0: kernel vadd_zero: the assembler reads none of the bytecode versions [13.1":    {&assembler{}, vaddName, fake.Options{}},
		"cuda:0: loading kernel vadd_zero: cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE (200)": {&assembler{versions: tileir.Versions()}, vaddName, fake.Options{Decode: func([]byte) (*fake.Cubin, error) { return nil, broken }}},
	} {
		d, err := cuda.Open(0, cuda.Options{Driver: fake.New(c.opts), Assembler: c.asm})
		check(t, err)
		_, err = d.Compile(background, vadd(t), c.entry)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error\n%v\nwant\n%s", err, want)
		}
		check(t, d.Close())
	}
}

func TestCompileWithoutTileiras(t *testing.T) {
	for _, env := range []string{"CUTILE_TILEIRAS", "CUTILE_TOOLS", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"} {
		t.Setenv(env, "")
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if found, _ := filepath.Glob("/usr/local/cuda*/bin/tileiras"); found != nil {
		t.Skip("a toolkit is installed where it is always found")
	}
	d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{}), Choice: cuda.AssemblerTileiras})
	check(t, err)
	defer d.Close()
	_, err = d.Compile(background, vadd(t), vaddName)
	if !errors.Is(err, toolchain.ErrNotFound) || !strings.Contains(err.Error(), "cuda:0: kernel vadd_zero: tileiras not found (looked in ") ||
		!strings.Contains(err.Error(), "run `cutile toolchain install`") {
		t.Errorf("error %v", err)
	}
}

// decodeELF lets the fake take real cubins.
func decodeELF(image []byte) (*fake.Cubin, error) {
	if !bytes.HasPrefix(image, []byte("\x7fELF")) || !bytes.Contains(image, []byte(vaddName)) {
		return nil, errors.New("no cubin")
	}
	return &fake.Cubin{Entries: []fake.Entry{{Name: vaddName, Params: []int{8, 4, 4, 8, 4, 4, 8, 4, 4}}}, Payload: image}, nil
}

func tileiras(t *testing.T) *cuda.Tileiras {
	t.Helper()
	path := testenv.Tool(t, toolchain.Tileiras)
	t.Setenv("CUTILE_CACHE", t.TempDir())
	return &cuda.Tileiras{Tool: toolchain.Tool{Name: toolchain.Tileiras, Path: path}}
}

// TestRealTileiras goes from the module to a launch with NVIDIA's assembler, for each generation of GPUs.
func TestRealTileiras(t *testing.T) {
	asm := tileiras(t)
	for _, gpu := range []fake.Device{{Major: 8}, {Major: 9}, {Major: 10}, {Major: 12}} {
		t.Run(gpu.Target(), func(t *testing.T) {
			gpu.Memory = 1 << 20
			drv := fake.New(fake.Options{Devices: []fake.Device{gpu}, Decode: decodeELF, Run: runVadd})
			d, err := cuda.Open(0, cuda.Options{Driver: drv, Assembler: asm})
			check(t, err)
			defer d.Close()
			k, s := compile(t, d), newStream(t, d)
			b := alloc(t, d, 16)
			check(t, s.Write(b, 0, floats(1, 2, 3, 4)))
			check(t, s.Launch(k, one, vaddArgs(4, b, b, b)))
			got := make([]byte, 16)
			check(t, s.Read(background, got, b, 0))
			if want := floats(2, 4, 6, 8); !bytes.Equal(got, want) {
				t.Errorf("got % x", got)
			}
		})
	}
}

func TestRealTileirasRefuses(t *testing.T) {
	asm := tileiras(t)
	info, err := asm.Tool.Info(background)
	check(t, err)
	m := vadd(t)
	good, err := bytecode.Write(m, tileir.V13_1, bytecode.Options{})
	check(t, err)
	future := bytes.Clone(good)
	future[9] = 99 // the minor version
	for want, job := range map[string]cuda.Job{
		"failed (exit status 3); the bytecode is broken: save it with `cutile dump` and report it\n\terror: input does not correspond to Tile IR bytecode": {
			Bytecode: []byte("garbage"), Target: "sm_90"},
		"failed (exit status 3); this tileiras is older than the bytecode: update the toolchain (cutile toolchain install), or ask for an older version\n\terror: unsupported Tile IR bytecode version": {
			Bytecode: future, Target: "sm_90"},
		"does not know this GPU; it knows sm_80,": {Bytecode: good, Target: "sm_75"},
	} {
		job.Entry, job.Version = m.Entries[0], tileir.V13_3
		_, err := asm.Assemble(background, job)
		var e *cuda.AssemblyError
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v", want, err)
			continue
		}
		want = "kernel vadd_zero: tileiras " + info.Version + ", making code for " + job.Target + " from bytecode 13.3, " + want
		if !strings.HasPrefix(err.Error(), "kernels.py:") || !strings.Contains(err.Error(), ": "+want) {
			t.Errorf("error\n%v\nwant the entry's place, then\n%s", err, want)
		}
	}
}

// TestCancelKills: when the context ends, tileiras and what it started are killed, and its temporary files go.
func TestCancelKills(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for tileiras is a shell script")
	}
	dir := t.TempDir()
	t.Setenv("CUTILE_CACHE", filepath.Join(dir, "cache"))
	t.Setenv("TMPDIR", filepath.Join(dir))
	pid := filepath.Join(dir, "pid")
	tool := filepath.Join(dir, "tileiras")
	script := `#!/bin/sh
case $1 in
--version) echo "release 13.4, V13.4.1";;
--help) echo "--gpu-name=sm_90";;
--list-versions) echo 13.1;;
*) echo half >$TMPDIR/half; sleep 600 & echo $! >` + pid + `; wait;;
esac
`
	check(t, os.WriteFile(tool, []byte(script), 0o755))
	d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{}),
		Assembler: &cuda.Tileiras{Tool: toolchain.Tool{Name: "tileiras", Path: tool}}})
	check(t, err)
	defer d.Close()
	ctx, cancel := context.WithCancel(background)
	go func() {
		waitFor(func() bool { b, _ := os.ReadFile(pid); return len(b) > 0 })
		cancel()
	}()
	start := time.Now()
	_, err = d.Compile(ctx, vadd(t), vaddName)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if wait := time.Since(start); wait > 30*time.Second {
		t.Errorf("the cancel took %v", wait)
	}
	b, err := os.ReadFile(pid)
	check(t, err)
	if runtime.GOOS == "linux" {
		proc := filepath.Join("/proc", strings.TrimSpace(string(b)), "cmdline")
		if !waitFor(func() bool { b, _ := os.ReadFile(proc); return len(b) == 0 }) {
			t.Error("the child of the assembler still runs")
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cutile-*")); left != nil {
		t.Errorf("temporary files stay: %v", left)
	}
}

// waitFor asks until the answer is yes, for ten seconds at most.
func waitFor(ask func() bool) bool {
	for range 1000 {
		if ask() {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func TestPrebuilt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cubins")
	m := vadd(t)
	compileWith := func(asm cuda.Assembler, major int) error {
		d, err := cuda.Open(0, cuda.Options{Driver: fake.New(fake.Options{Devices: []fake.Device{{Major: major, Memory: 1}}}), Assembler: asm})
		check(t, err)
		defer d.Close()
		_, err = d.Compile(background, m, vaddName)
		return err
	}
	a := &assembler{versions: []tileir.Version{tileir.V13_1, tileir.V13_2}}
	check(t, compileWith(&cuda.Recorder{Dir: dir, Next: a}, 9))
	files, err := filepath.Glob(filepath.Join(dir, "*.*"))
	check(t, err)
	if len(files) != 3 { // the cubin, the manifest and its lock
		t.Errorf("the recorder wrote %v", files)
	}
	folder := os.DirFS(dir)
	check(t, compileWith(&cuda.Prebuilt{FS: folder}, 9)) // of the recorder's newest version, without an assembler
	err = compileWith(&cuda.Prebuilt{FS: folder}, 10)
	var e *cuda.AssemblyError
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "the folder of cubins, making code for sm_100 from bytecode 13.2, has no ") {
		t.Errorf("a cubin that is not there: %v", err)
	}
	check(t, compileWith(&cuda.Prebuilt{FS: folder, Next: a}, 10))
	if len(a.jobs) != 2 {
		t.Errorf("the assembler ran %d times, want 2", len(a.jobs))
	}
	if err := compileWith(&cuda.Prebuilt{FS: os.DirFS(t.TempDir())}, 9); err == nil || !strings.Contains(err.Error(), "folder of cubins: ") {
		t.Errorf("an empty folder: %v", err)
	}
	check(t, compileWith(&cuda.Prebuilt{FS: os.DirFS(t.TempDir()), Next: a}, 9))
	code := []byte("x")
	names := []string{cuda.CubinName(code, "sm_90"), cuda.CubinName(code, "sm_100"), cuda.CubinName([]byte("y"), "sm_90")}
	if slices.Sort(names); len(slices.Compact(names)) != 3 {
		t.Errorf("names collide: %v", names)
	}
}

// TestLoadLog: what the driver says of the code comes with the kernel's name.
func TestLoadLog(t *testing.T) {
	drv, d := open(t, fake.Options{})
	_, _, err := d.Load([]byte("no cubin"), "f", 0)
	want := "cuda:0: loading kernel f: cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE (200)"
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "\n\tthis is not a fake cubin") {
		t.Errorf("error %v", err)
	}
	_, _, err = d.Load((&fake.Cubin{}).Encode(), "f", 0)
	if cudrv.Code(err) != cudrv.NotFound {
		t.Errorf("error %v", err)
	}
	if leaks := drv.Leaks(); len(leaks) != 3 { // the device's context, its stream and its pool
		t.Errorf("leaks %v", leaks)
	}
}
