package gomlx_test

import (
	"reflect"
	"strings"
	"sync"
	"testing"

	bridge "github.com/cutile-go/cutile/bridge/gomlx"
	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/dtypes/bfloat16"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/x448/float16"
)

func fails(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, text := range append(texts, "cutile: ") {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error %q lacks %q", err, text)
		}
	}
}

func TestRegistered(t *testing.T) {
	t.Setenv(backends.ConfigEnvVar, "cutile:cpu")
	b, err := backends.New()
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	if b.Name() != "cutile" || !strings.Contains(b.Description(), "cpu") {
		t.Error(b.Name(), b.Description())
	}
	_, err = bridge.New("abacus")
	fails(t, err, "abacus", "cpu")
	c := b.Capabilities()
	if !c.Operations[backends.OpTypeFFT] || c.Operations[backends.OpTypeAllReduce] || !c.DTypes[dtypes.Complex64] || c.DTypes[dtypes.F8E5M2] {
		t.Error(c)
	}
}

// TestBuffers: what is copied to the device comes back, of every data type, also arrays without elements and without axes.
func TestBuffers(t *testing.T) {
	b := open(t)
	for _, a := range []array{
		of([]bool{true, false}), of([]int8{-1, 2}), of([]int16{-1, 2}), of([]int32{-1, 2}, 2, 1), of([]int64{-1, 2}, 1, 2),
		of([]uint8{1, 2}), of([]uint16{1, 2}), of([]uint32{1, 2}), of([]uint64{1, 1 << 63}), of([]float32{1, 2}), of([]float64{1, 2}),
		of([]float16.Float16{0x3c00, 0x7e01}), of([]bfloat16.BFloat16{0x3f80, 1}),
		of([]complex64{1 + 2i, 3}), of([]complex128{1 + 2i, 3 - 1i}, 2, 1, 1), scalar(float32(7)), scalar(complex64(7i)),
		of([]float32{}, 3, 0), of([]complex64{}, 0),
	} {
		back := run(t, b, func(_ backends.Builder, x []backends.Op) []backends.Op { return x }, a)[0]
		if !back.shape().Equal(a.shape()) || !equalFlat(back, a) {
			t.Errorf("%v: %v came back", a, back)
		}
	}
}

func equalFlat(a, b array) bool {
	x, y := widen(a.flat), widen(b.flat)
	for i := range x {
		if x[i] != y[i] && x[i] == x[i] {
			return false
		}
	}
	return len(x) == len(y)
}

func TestConstantIsCopied(t *testing.T) {
	b := open(t)
	data := []complex64{1 + 2i, 3 + 4i}
	out := run(t, b, func(b backends.Builder, _ []backends.Op) []backends.Op {
		c := op(b.Constant(data, 2))
		d := op(b.Constant([]int{7}))
		data[0] = 9
		return []backends.Op{c, d, c}
	})
	same(t, "constant", out[0], []complex64{1 + 2i, 3 + 4i})
	same(t, "int", array{out[1].flat, []int{1}}, []int64{7})
	same(t, "the same again", out[2], []complex64{1 + 2i, 3 + 4i})
}

// TestOutputsAreFresh: outputs that are inputs or one another share no memory with them.
func TestOutputsAreFresh(t *testing.T) {
	b := open(t)
	a := of([]float32{1, 2, 3})
	exec := compile(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		y := op(b.Add(x[0], x[0]))
		return []backends.Op{x[0], x[0], y, y}
	}, a)
	in := upload(t, b, a)
	out, err := exec.Execute(in, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 2} {
		if err := b.BufferFinalize(out[i]); err != nil {
			t.Fatal(err)
		}
	}
	same(t, "input", download(t, b, in[0]), []float32{1, 2, 3})
	same(t, "input as output", download(t, b, out[1]), []float32{1, 2, 3})
	same(t, "output twice", download(t, b, out[3]), []float32{2, 4, 6})
}

// TestGoroutines: one computation runs in many goroutines on the same inputs, while others are built.
func TestGoroutines(t *testing.T) {
	b := open(t)
	a := of([]float32{1, 2, 3, 4})
	f := func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.Mul(x[0], op(b.Exp(x[0])))), op(b.ReduceSum(x[0]))}
	}
	exec := compile(t, b, f, a)
	in := upload(t, b, a)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				out, err := exec.Execute(in, nil, 0)
				if err != nil {
					t.Error(err)
					return
				}
				same(t, "sum", download(t, b, out[1]), []float32{10}, []int{}...)
				if err := b.BufferFinalize(out[0]); err != nil {
					t.Error(err)
				}
			}
			near(t, "built beside", run(t, b, f, a)[1], []complex128{10}, 0)
		})
	}
	wg.Wait()
}

func TestMistakes(t *testing.T) {
	b := open(t)
	builder := b.Builder("mistakes")
	f32 := func(dims ...int) shapes.Shape { return shapes.Make(dtypes.Float32, dims...) }
	x := op(builder.Parameter("x", f32(2, 3), nil))
	y := op(builder.Parameter("y", f32(3), nil))
	i := op(builder.Parameter("i", shapes.Make(dtypes.Int32, 2, 3), nil))
	z := op(builder.Parameter("z", shapes.Make(dtypes.Complex64, 2, 3), nil))
	for _, m := range []struct {
		f     func() (backends.Op, error)
		texts []string
	}{
		{func() (backends.Op, error) { return builder.Add(x, y) }, []string{"Add", "(Float32)[2 3]", "(Float32)[3]", "rank"}},
		{func() (backends.Op, error) { return builder.Add(x, i) }, []string{"Add", "(Int32)[2 3]", "the same data type"}},
		{func() (backends.Op, error) { return builder.Sqrt(i) }, []string{"Sqrt", "(Int32)[2 3]", "floats"}},
		{func() (backends.Op, error) { return builder.LessThan(z, z) }, []string{"LessThan", "(Complex64)[2 3]", "integers, floats"}},
		{func() (backends.Op, error) { return builder.Abs(3) }, []string{"Abs", "int"}},
		{func() (backends.Op, error) { return b.Builder("other").Abs(x) }, []string{"Abs", `"mistakes"`, `"other"`}},
		{func() (backends.Op, error) { return builder.Parameter("w", shapes.Shape{DType: dtypes.F8E5M2}, nil) }, []string{"F8E5M2"}},
		{func() (backends.Op, error) { return builder.Bitcast(z, dtypes.Uint64) }, []string{"Bitcast", "ConvertDType"}},
		{func() (backends.Op, error) { return builder.FFT(z, backends.FFTForward, []int{4}) }, []string{"FFT", "expected 4"}},
		{func() (backends.Op, error) { return builder.Constant([]string{"a"}, 1) }, []string{"[]string"}},
		{func() (backends.Op, error) { return builder.Constant([]float32{1, 2}, 3) }, []string{"2 elements", "expected 3"}},
	} {
		o, err := m.f()
		fails(t, err, m.texts...)
		if o != nil {
			t.Errorf("%v: a result beside an error", err)
		}
	}
	if _, err := builder.AllReduce(nil, backends.ReduceOpSum, nil); err == nil {
		t.Error("AllReduce")
	}
	fails(t, builder.DistributedSPMD(2), "one device")
}

func TestWrongInputs(t *testing.T) {
	b := open(t)
	a := of([]float32{1, 2})
	exec := compile(t, b, func(b backends.Builder, x []backends.Op) []backends.Op { return []backends.Op{op(b.Neg(x[0]))} }, a)
	in := upload(t, b, of([]float32{1, 2, 3}), of([]int32{1, 2}), a)
	for i, text := range []string{"(Float32)[3]", "(Int32)[2]"} {
		_, err := exec.Execute(in[i:i+1], nil, 0)
		fails(t, err, text, "x0", "(Float32)[2]")
	}
	_, err := exec.Execute(in, nil, 0)
	fails(t, err, "3 inputs", "expected 1")
	_, err = exec.Execute(in[2:], nil, 1)
	fails(t, err, "device 1")
	_, err = exec.Execute(upload(t, open(t), a), nil, 0)
	fails(t, err, "another back end")
	fails(t, b.BufferToFlatData(in[2], []float64{1, 2}), "[]float64")
	fails(t, b.BufferToFlatData(in[2], []float32{1}), "1 elements", "expected 2")
	if err := b.BufferFinalize(in[2]); err != nil {
		t.Error(err)
	}
	fails(t, b.BufferToFlatData(in[2], []float32{1, 2}), "finalized")
	exec.Finalize()
	_, err = exec.Execute(upload(t, b, a), nil, 0)
	fails(t, err, "finalized")
}

// TestShared: the program and computations see the same elements, and what Execute has returned from is not changed by what the
// program writes then.
func TestShared(t *testing.T) {
	b := open(t)
	if !b.HasSharedBuffers() {
		t.Fatal("the CPU has no shared buffers")
	}
	a := of([]float32{1, 2, 3})
	exec := compile(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.Add(x[0], x[0])), x[0]}
	}, a)
	in, flat, err := b.NewSharedBuffer(0, a.shape())
	if err != nil {
		t.Fatal(err)
	}
	data := flat.([]float32)
	for i := range 20 {
		round := float32(i)
		copy(data, []float32{round, 2, 3})
		out, err := exec.Execute([]backends.Buffer{in}, nil, 0)
		data[0] = -1
		if err != nil {
			t.Fatal(err)
		}
		same(t, "double", download(t, b, out[0]), []float32{2 * round, 4, 6})
		view, err := b.BufferData(out[1])
		if err != nil {
			t.Fatal(err)
		}
		view.([]float32)[1] = 9
		again, err := exec.Execute(out[1:], nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "double of what BufferData gave", download(t, b, again[0]), []float32{2 * round, 18, 6})
		if _, err := exec.Execute(out[1:], []bool{true}, 0); err != nil {
			t.Fatal(err)
		}
		_, err = b.BufferData(out[1])
		fails(t, err, "donated")
	}
	for _, a := range []array{of([]complex64{1i}), of([]float32{}, 0, 2), scalar(true)} {
		in, flat, err := b.NewSharedBuffer(0, a.shape())
		if err != nil {
			t.Fatal(err)
		}
		reflect.Copy(reflect.ValueOf(flat), reflect.ValueOf(a.flat))
		if got := download(t, b, in); !equalFlat(got, a) {
			t.Errorf("%v, want %v", got, a)
		}
	}
}

func TestFinalize(t *testing.T) {
	b := open(t)
	in := upload(t, b, of([]float32{1}))
	b.Finalize()
	if !b.IsFinalized() || b.BufferFinalize(in[0]) != nil {
		t.Error("BufferFinalize after Finalize")
	}
	fails(t, b.BufferToFlatData(in[0], []float32{0}), "finalized")
	_, err := b.BufferFromFlatData(0, []float32{0}, shapes.Make(dtypes.Float32, 1))
	fails(t, err, "finalized")
	_, err = b.Builder("late").Parameter("x", shapes.Make(dtypes.Float32, 1), nil)
	fails(t, err, "finalized")
}
