package gguf_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/cutile-go/cutile/models/gguf"
	"github.com/cutile-go/cutile/models/internal/piptest"
)

func reference(t *testing.T, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(piptest.Python(t, "gguf"), append([]string{filepath.Join("testdata", "reference.py")}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("reference.py: %v\n%s", err, stderr.String())
	}
	return out
}

// dequantized are the types that the package for Python knows.
var dequantized = []gguf.Type{gguf.F32, gguf.F16, gguf.BF16, gguf.Q4_0, gguf.Q4_1, gguf.Q5_0, gguf.Q5_1, gguf.Q8_0,
	gguf.Q2_K, gguf.Q3_K, gguf.Q4_K, gguf.Q5_K, gguf.Q6_K, gguf.IQ1S, gguf.IQ1M, gguf.IQ2XXS, gguf.IQ2XS, gguf.IQ2S,
	gguf.IQ3XXS, gguf.IQ3S, gguf.IQ4NL, gguf.IQ4XS, gguf.TQ1_0, gguf.TQ2_0, gguf.MXFP4, gguf.NVFP4}

var quantized = []gguf.Type{gguf.Q4_0, gguf.Q4_1, gguf.Q5_0, gguf.Q5_1, gguf.Q8_0}

// numbers are blocks of many magnitudes, with blocks of zeros and of equal numbers.
func numbers(rnd *rand.Rand) []float32 {
	var all []float32
	for block := range 600 {
		scale := math.Exp2(float64(rnd.IntN(30) - 20))
		for i := range 32 {
			v := rnd.NormFloat64() * scale
			switch {
			case block == 0:
				v = 0
			case block == 1:
				v = 3.25
			case block%7 == 2:
				v = float64(rnd.IntN(17)-8) * scale // many ties
			case block%7 == 3 && i%3 == 0:
				v = scale
			}
			all = append(all, float32(v))
		}
	}
	return all
}

func put(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBlocks compares the bits of random blocks, any bytes, and of what is quantized.
func TestBlocks(t *testing.T) {
	dir, rnd := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	blocks := map[gguf.Type][]byte{}
	for _, ty := range dequantized {
		_, size := ty.Block()
		b := make([]byte, size*500)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		blocks[ty] = b
		put(t, filepath.Join(dir, ty.String()+".blocks"), b)
	}
	source := numbers(rnd)
	raw := new(bytes.Buffer)
	binary.Write(raw, binary.LittleEndian, source)
	for _, ty := range quantized {
		put(t, filepath.Join(dir, ty.String()+".source"), raw.Bytes())
	}
	reference(t, "blocks", dir)
	for _, ty := range dequantized {
		elements, size := ty.Block()
		dst := make([]float32, len(blocks[ty])/size*elements)
		if err := ty.Dequantize(dst, blocks[ty]); err != nil {
			t.Fatal(err)
		}
		same(t, ty, dst, get(t, filepath.Join(dir, ty.String()+".f32")))
	}
	for _, ty := range quantized {
		got, err := ty.Quantize(source)
		if err != nil {
			t.Fatal(err)
		}
		_, size := ty.Block()
		want := get(t, filepath.Join(dir, ty.String()+".quantized"))
		for i := 0; i < max(len(got), len(want)); i += size {
			if len(got) != len(want) || !bytes.Equal(got[i:i+size], want[i:i+size]) {
				t.Errorf("%v: block %d of %v is % x\nwant % x", ty, i/size, source[i/size*32:][:32], got[i:i+size], want[i:i+size])
				break
			}
		}
	}
}

// same compares bits; a NaN may have any.
func same(t *testing.T, ty gguf.Type, got []float32, want []byte) {
	t.Helper()
	if 4*len(got) != len(want) {
		t.Fatalf("%v: %d numbers, want %d", ty, len(got), len(want)/4)
	}
	numbers := 0
	for i, g := range got {
		w := math.Float32frombits(binary.LittleEndian.Uint32(want[4*i:]))
		if math.Float32bits(g) != math.Float32bits(w) && (g == g || w == w) {
			t.Errorf("%v: number %d is %v, want %v", ty, i, g, w)
			return
		}
		if w == w {
			numbers++
		}
	}
	if numbers < len(got)/2 {
		t.Errorf("%v: only %d of %d are numbers", ty, numbers, len(got))
	}
}

// held is what a file holds.
type held struct {
	Error   string
	Values  map[string][2]any
	Tensors [][]any
}

var kindNames = map[reflect.Kind]string{reflect.Uint8: "UINT8", reflect.Int8: "INT8", reflect.Uint16: "UINT16", reflect.Int16: "INT16",
	reflect.Uint32: "UINT32", reflect.Int32: "INT32", reflect.Uint64: "UINT64", reflect.Int64: "INT64", reflect.Float32: "FLOAT32",
	reflect.Float64: "FLOAT64", reflect.Bool: "BOOL", reflect.String: "STRING"}

// content is what this package reads, in the form of the reference.
func content(t *testing.T, f *gguf.File) string {
	t.Helper()
	values, tensors := map[string][]any{}, [][]any{}
	for _, key := range f.Keys() {
		v := reflect.ValueOf(f.Value(key))
		if v.Kind() != reflect.Slice {
			values[key] = []any{[]string{kindNames[v.Kind()]}, v.Interface()}
			continue
		}
		list := []any{}
		for i := range v.Len() {
			list = append(list, v.Index(i).Interface())
		}
		values[key] = []any{[]string{"ARRAY", kindNames[v.Type().Elem().Kind()]}, list}
	}
	for name, x := range f.All() {
		b, err := x.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, []any{name, x.Type().String(), x.Shape(), hex.EncodeToString(b)})
	}
	return text(t, values, tensors)
}

// text is JSON, with numbers as float64 has them, as these are read.
func text(t *testing.T, values, tensors any) string {
	t.Helper()
	b, err := json.Marshal([]any{values, tensors})
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v)
}

// TestFiles reads a file of the reference, writes the same bytes, and is read.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "theirs.gguf")
	var h held
	if err := json.Unmarshal(reference(t, "write", path), &h); err != nil || h.Error != "" || len(h.Values) < 17 || len(h.Tensors) != 5 {
		t.Fatalf("%v, %+v", err, h)
	}
	f, err := gguf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, want := content(t, f), text(t, h.Values, h.Tensors); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	var out bytes.Buffer
	if err := gguf.Write(&out, values(f), entries(f)...); err != nil {
		t.Fatal(err)
	}
	if theirs := get(t, path); !bytes.Equal(out.Bytes(), theirs) {
		t.Errorf("wrote %q\nwant %q", out.Bytes(), theirs)
	}
	_, err = gguf.Open(path + ".big")
	fails(t, "big-endian", err, "this file is big-endian, which is not supported")
	ours := filepath.Join(t.TempDir(), "ours.gguf")
	put(t, ours, sample(t))
	var got held
	if err := json.Unmarshal(reference(t, "read", ours), &got); err != nil || got.Error != "" {
		t.Fatal(err, got.Error)
	}
	o, err := gguf.Open(ours)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if a, b := content(t, o), text(t, got.Values, got.Tensors); a != b {
		t.Errorf("wrote %s\nread %s", a, b)
	}
}
