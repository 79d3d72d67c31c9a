package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/pointwise"
	"github.com/cutile-go/cutile/kernels/softmax"
)

// TestOwn measures PTX of our own compiler on a driver that reads the text.
func TestOwn(t *testing.T) {
	testenv.Alone(t)
	t.Setenv("CUTILE_CACHE", t.TempDir())
	gpu := simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30}, CUDA: 13040}
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: gpu.Driver()})))
	o := quick(t, "gemm:33x100x7,gemm:64x64x64,softmax:5x100,attention:1x1x20x16,add:1000")
	o.rounds = 1
	complete(t, o, served(t, o, "own"), "own")
}

// TestRecorded: the machine code that a run on the CPU records is what a GPU without tileiras asks for. The driver runs nothing, and so
// nothing is right.
func TestRecorded(t *testing.T) {
	testenv.Tool(t, "tileiras")
	o := quick(t, small)
	o.rounds, o.cubins = 0, filepath.Join(t.TempDir(), "cubins")
	t.Setenv("CUTILE_RECORD", o.cubins)
	t.Setenv("CUTILE_ARCHS", "sm_90")
	for _, r := range served(t, o, "cpu")[1:] {
		if r.Error != "" {
			t.Fatalf("%+v", r)
		}
	}
	os.Unsetenv("CUTILE_RECORD")
	t.Setenv("CUTILE_TILEIRAS", filepath.Join(t.TempDir(), "none"))
	drv := fake.New(fake.Options{Decode: recorded(t, o.cubins), Run: func(*fake.Launch) error { return nil }})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	rows := served(t, o, "tileiras")
	for _, r := range rows[1:] {
		if !strings.Contains(r.Error, "the result is wrong: element 0 is") {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != len(o.work)+1 {
		t.Errorf("%d rows", len(rows))
	}
	o.work, _ = parse("gemm:96x80x100") // whose rows are less aligned
	if rows := served(t, o, "tileiras"); len(rows) != 2 || !strings.Contains(rows[1].Error, "the folder of cubins") {
		t.Errorf("code that was not recorded: %+v", rows)
	}
}

// recorded gives the kernel of a file of a folder by the file's content.
func recorded(t *testing.T, dir string) func(image []byte) (*fake.Cubin, error) {
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	var m cuda.Manifest
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func(image []byte) (*fake.Cubin, error) {
		for _, f := range m.Files {
			data, err := os.ReadFile(filepath.Join(dir, f.File))
			if err == nil && bytes.HasPrefix(image, data) {
				e := fake.Entry{Name: f.Kernel}
				for range f.Params {
					e.Params = append(e.Params, 8)
				}
				return &fake.Cubin{Target: f.Target, Entries: []fake.Entry{e}}, nil
			}
		}
		return nil, errors.New("no file has this code")
	}
}

// TestChoice: the functions of the packages choose the same kernels and tiles, so that they compile nothing that was not measured.
func TestChoice(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	work, err := parse("gemm:1408x1408x16,gemm:1536x1536x20,gemm:40x70x100,softmax:2x9000,softmax:40x100,softmax:3x1025,attention:1x2x300x64,attention:1x1x20x200,add:100,add:5000")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		p := w.kind.problem(w.dims)
		j, err := w.kind.prepare(t.Context(), dev, w.dims, p)
		if err == nil {
			_, err = many(t.Context(), j, 1)
		}
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		before := cutile.CompileStats().Compiled
		if err := byFunction(t, dev, w.kind.name, p); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
		if now := cutile.CompileStats().Compiled; now != before {
			t.Errorf("%s: the package's function compiles something else", w.name)
		}
		if err := j.close(); err != nil {
			t.Error(err)
		}
	}
}

// byFunction calls the function of a package.
func byFunction(t *testing.T, dev *cutile.Device, name string, p *problem) error {
	halves := func(i int) *cutile.Tensor[f16] { return tensor[f16](t, dev, p, i) }
	floats := func(i int) *cutile.Tensor[float32] { return tensor[float32](t, dev, p, i) }
	switch name {
	case "gemm":
		return gemm.Run(t.Context(), dev, halves(0), halves(1), halves(-1))
	case "softmax":
		return softmax.Run(t.Context(), dev, floats(0), floats(-1))
	case "attention":
		return attention.Run(t.Context(), dev, halves(0), halves(1), halves(2), halves(-1), false, attention.Scale(p.out[3]))
	case "add":
		return pointwise.RunZip(t.Context(), dev, floats(0), floats(1), floats(-1), pointwise.Add)
	}
	t.Fatalf("no function for %s", name)
	return nil
}

// tensor is an argument, or the result for -1.
func tensor[E f16 | float32](t *testing.T, dev *cutile.Device, p *problem, i int) *cutile.Tensor[E] {
	a := array{shape: p.out, data: make([]float32, size(p.out))}
	if i >= 0 {
		a = p.in[i]
	}
	x, err := cutile.FromSlice(dev, elements[E](a.data), a.shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestBLAS multiplies by a library with cuBLAS's functions, on a driver whose memory is the program's: the arguments' order, types and
// leading dimensions are those of the prototype, and the product is that of matrices in rows.
func TestBLAS(t *testing.T) {
	for name, from := range map[string]string{"CUTILE_LIBCUDA": "../../driver/cudrv/testdata/driver.c", blasEnv: "testdata/cublas.c"} {
		out := filepath.Join(t.TempDir(), "lib.so")
		args := []string{"-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-fvisibility=hidden", "-o", out, from}
		if b, err := exec.Command(testenv.CC(t), args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		t.Setenv(name, out)
	}
	o := quick(t, "gemm:96x80x200,gemm:7x130x33,gemm:64x64x64")
	rows := served(t, o, "cublas")
	complete(t, o, rows, "cublas")
	if about := rows[0].Device; !strings.Contains(about, "cuBLAS 130400") {
		t.Errorf("it is %s", about)
	}
	o.work, _ = parse(small)
	if rows := served(t, o, "cublas"); len(rows) != 3 { // itself, and the two products
		t.Errorf("%+v", rows)
	}
}
