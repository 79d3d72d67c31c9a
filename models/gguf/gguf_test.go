package gguf_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/models/gguf"
)

func fails(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", what, err, want)
	}
}

func read(b []byte) (*gguf.File, error) { return gguf.New(bytes.NewReader(b), int64(len(b))) }

func values(f *gguf.File) (all []gguf.Value) {
	for _, key := range f.Keys() {
		all = append(all, gguf.Value{Key: key, Value: f.Value(key)})
	}
	return all
}

func entries(f *gguf.File) (all []gguf.Entry) {
	for name, x := range f.All() {
		all = append(all, gguf.Entry{Name: name, Type: x.Type(), Shape: x.Shape(), Data: x.Reader()})
	}
	return all
}

func written(t testing.TB, metadata []gguf.Value, tensors ...gguf.Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := gguf.Write(&out, metadata, tensors...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// sample is a file with some of everything that the reference can print.
func sample(t testing.TB) []byte {
	t.Helper()
	q := make([]float32, 64)
	for i := range q {
		q[i] = float32(i) - 20.5
	}
	var tensors []gguf.Entry
	for _, ty := range []gguf.Type{gguf.F32, gguf.Q4_0, gguf.Q5_1, gguf.Q8_0} {
		e, err := gguf.NewEntry("t."+ty.String(), ty, q, 2, 32)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, e)
	}
	return written(t, []gguf.Value{{"general.architecture", "x"}, {"n", uint8(3)}, {"list", []int16{-1, 2}}, {"texts", []string{"a", ""}}, {"f", 1.25}}, tensors...)
}

func TestNested(t *testing.T) {
	want := []any{[]any{[]uint8{1}, []string{"x"}}, []float64{}}
	f, err := read(written(t, []gguf.Value{{"a", want}, {"general.alignment", uint32(8)}}, gguf.Entry{Name: "s", Type: gguf.I8, Data: strings.NewReader("\xfe")}))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Value("a"); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if f.Alignment() != 8 || f.Version() != 3 {
		t.Errorf("alignment %d, version %d", f.Alignment(), f.Version())
	}
	x, err := f.Tensor("s")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := x.Float32s(); err != nil || !slices.Equal(got, []float32{-2}) || len(x.Shape()) != 0 {
		t.Errorf("%v of shape %v, %v", got, x.Shape(), err)
	}
	_, err = gguf.Get[string](f, "general.alignment")
	fails(t, "get", err, `the value "general.alignment" is uint32, not string`)
	if _, err = gguf.Get[string](f, "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err = f.Tensor("x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	f.Close()
	if _, err = x.Bytes(); !errors.Is(err, gguf.ErrClosed) {
		t.Error(err)
	}
}

// TestOwnTypes has the blocks that the reference for Python does not dequantize, by their definitions.
func TestOwnTypes(t *testing.T) {
	q81 := append([]byte{0, 0x40, 0, 0}, make([]byte, 32)...) // scale 2
	q8k := make([]byte, 292)
	q8k[2], q8k[3] = 0, 0x40 // scale 2
	for i := range 256 {
		q8k[4+i] = byte(i)
		q81[4+i%32] = byte(i)
	}
	for ty, b := range map[gguf.Type][]byte{gguf.Q8_1: q81, gguf.Q8_K: q8k} {
		n, _ := ty.Block()
		got := make([]float32, n)
		if err := ty.Dequantize(got, b); err != nil {
			t.Fatal(err)
		}
		for i, g := range got {
			if want := 2 * float32(int8(b[4+i])); g != want {
				t.Errorf("%v: number %d is %v, want %v", ty, i, g, want)
			}
		}
	}
	got := make([]float32, 2)
	for ty, b := range map[gguf.Type]string{gguf.I16: "\xff\xff\x03\x00", gguf.I32: "\xff\xff\xff\xff\x03\x00\x00\x00",
		gguf.I64: strings.Repeat("\xff", 8) + "\x03\x00\x00\x00\x00\x00\x00\x00", gguf.F64: "\x00\x00\x00\x00\x00\x00\xf0\xbf\x00\x00\x00\x00\x00\x00\x08\x40"} {
		if err := ty.Dequantize(got, []byte(b)); err != nil || got[0] != -1 || got[1] != 3 {
			t.Errorf("%v: %v, %v", ty, got, err)
		}
	}
	fails(t, "Q1_0", gguf.Q1_0.Dequantize(make([]float32, 128), make([]byte, 18)), "cannot be dequantized")
	fails(t, "short", gguf.Q4_0.Dequantize(got, make([]byte, 18)), "18 bytes do not fit 2 elements")
	_, err := gguf.Q4_K.Quantize(make([]float32, 256))
	fails(t, "Q4_K", err, "nothing is quantized to Q4_K here")
	for _, ty := range quantized {
		for want, v := range map[string]float32{"number 3 is NaN": float32(math.NaN()), "number 3 is -Inf": float32(math.Inf(-1)), "too large for a float16": 1e30} {
			x := make([]float32, 64)
			x[35] = v
			_, err := ty.Quantize(x)
			fails(t, want, err, "the block of element 32: ")
			fails(t, want, err, want)
		}
	}
}
