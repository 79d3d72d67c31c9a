package npy_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/npy"
)

// file reads a file that NumPy wrote.
func file(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestRead reads what NumPy 2.4 and ml_dtypes wrote; texts are the elements in row-major order.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		typ   npy.Type
		shape []int
		as    npy.Type
		want  string
	}{
		{"f32", npy.Float32, []int{2, 3}, npy.Float32, "0 0.5 1 1.5 2 2.5"},
		{"fortran", npy.Int16, []int{2, 3, 4}, npy.Int16, "-5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18"},
		{"big", npy.Float64, []int{3}, npy.Float64, "1.5 -2 1e+300"},
		{"scalar", npy.Uint64, nil, npy.Uint64, "7"},
		{"empty", npy.Float16, []int{0, 3}, npy.Float16, ""},
		{"bool", npy.Bool, []int{2, 2}, npy.Bool, "true false false true"},
		{"bf16", npy.Raw16, []int{3}, npy.BFloat16, "1 -0.1 3e+38"},
		{"e5m2", npy.Float8E5M2, []int{3}, npy.Float8E5M2, "1 -0.25 57344"},
		{"v2", npy.Int64, []int{2}, npy.Int64, "1 2"},
		{"v3", npy.Uint32, []int{2}, npy.Uint32, "1 2"},
	} {
		a, err := npy.Read(bytes.NewReader(file(t, c.name)))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var got []string
		for i := range a.Len() {
			got = append(got, c.as.Text(a.Bits(i)))
		}
		if a.Type != c.typ || !slices.Equal(a.Shape, c.shape) || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v of %v: %s, want %v of %v: %s", c.name, a.Type, a.Shape, got, c.typ, c.shape, c.want)
		}
		if typ, shape, err := npy.ReadShape(bytes.NewReader(file(t, c.name))); typ != c.typ || !slices.Equal(shape, c.shape) || err != nil {
			t.Errorf("%s: ReadShape gives %v of %v, %v", c.name, typ, shape, err)
		}
	}
}

// TestWrite compares with NumPy's own bytes where NumPy writes the same order and version.
func TestWrite(t *testing.T) {
	for _, name := range []string{"f32", "scalar", "empty", "bool"} {
		data := file(t, name)
		a, err := npy.Read(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := a.Write(&out); err != nil || !bytes.Equal(out.Bytes(), data) {
			t.Errorf("%s: got %q, %v, want %q", name, out.Bytes(), err, data)
		}
	}
	for _, typ := range npy.Types() { // every type comes back with its bytes
		a, err := npy.Zeros(typ, 3, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Data {
			a.Data[i] = byte(7 * i)
		}
		var out bytes.Buffer
		if err := a.Write(&out); err != nil || (out.Len()-len(a.Data))%64 != 0 {
			t.Errorf("%v: %v, a header of %d bytes", typ, err, out.Len()-len(a.Data))
		}
		b, err := npy.Read(&out)
		if err != nil || !slices.Equal(b.Shape, a.Shape) || !bytes.Equal(b.Data, a.Data) || b.Type.Size() != typ.Size() {
			t.Errorf("%v: read back %v, %v", typ, b, err)
		}
	}
	wrong := &npy.Array{Type: npy.Int8, Shape: []int{3}, Data: make([]byte, 2)}
	if err := wrong.Write(new(bytes.Buffer)); err == nil || err.Error() != "npy: cannot write int8 of shape [3] with 2 bytes of elements" {
		t.Errorf("got %v", err)
	}
}

// TestSmallFloats compares every code with ml_dtypes.
func TestSmallFloats(t *testing.T) {
	for _, typ := range []npy.Type{npy.Float8E4M3FN, npy.Float8E5M2, npy.Float8E8M0FNU, npy.Float4E2M1FN} {
		want, err := npy.Read(bytes.NewReader(file(t, typ.String()+"_values")))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Len() {
			x := math.Float64frombits(want.Bits(i))
			if got, text := typ.Text(uint64(i)), npy.Float32.Text(uint64(math.Float32bits(float32(x)))); got != text {
				t.Errorf("%v %#x: got %s, want %s", typ, i, got, text)
			}
			if got := typ.Number(uint64(i)); got != x && (got == got || x == x) {
				t.Errorf("%v %#x: got %v, want %v", typ, i, got, x)
			}
		}
	}
}

// TestNumbers has a negative and a subnormal number of each greater type.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		typ  npy.Type
		bits uint64
		want float64
	}{
		{npy.Float16, 0xc200, -3}, {npy.Float16, 1, 0x1p-24}, {npy.BFloat16, 0xc040, -3}, {npy.BFloat16, 1, 0x1p-133},
		{npy.Float32, 0xc0400000, -3}, {npy.Float32, 1, 0x1p-149}, {npy.Float64, 0xc008 << 48, -3}, {npy.Float64, 1, 0x1p-1074},
	} {
		if got := c.typ.Number(c.bits); got != c.want {
			t.Errorf("%v %#x: got %v, want %v", c.typ, c.bits, got, c.want)
		}
	}
}

// TestHeaders: what Python and other writers make of a header.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		header string
		shape  []int
	}{
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  \n", []int{2}}, {"{'shape':(2,1),'fortran_order':True,'descr':'<f4'}", []int{2, 1}},
		{"{ 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 2L , 1L , ) }\n", []int{2, 1}}, {"{'descr': '<f8', 'fortran_order': False, 'shape': ( ), }", nil},
	} {
		if _, shape, err := npy.ReadShape(bytes.NewReader(made(c.header, 8))); err != nil || !slices.Equal(shape, c.shape) {
			t.Errorf("%q: %v, %v", c.header, shape, err)
		}
	}
}

// made puts a file of version 1.0 together.
func made(header string, elements int) []byte {
	out := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return append(append(out, header...), make([]byte, elements)...)
}

func TestRefuse(t *testing.T) {
	long := append([]byte("\x93NUMPY\x02\x00"), binary.LittleEndian.AppendUint32(nil, 1<<30)...)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "npy: not a .npy file: the magic number is missing"},
		{[]byte("#!/bin/sh\nexit 0\n"), "not a .npy file"},
		{[]byte("\x93NUMPY\x04\x00\x00\x00"), "npy: version 4.0 of the format is not 1.0, 2.0 or 3.0"},
		{[]byte("\x93NUMPY\x02\x00\x00\x00"), "npy: the file ends in its header"},
		{file(t, "f32")[:40], "npy: the file ends in its header"},
		{long, "npy: a header of 1073741824 bytes; expected 1048576 at most"},
		{file(t, "f32")[:140], "npy: float32 of shape [2 3] has 24 bytes of elements, but the file has 12"},
		{append(file(t, "f32"), 0), "has 24 bytes of elements, but the file has more"},
		{file(t, "struct"), "npy: the elements are structures; expected numbers"},
		{file(t, "complex"), `npy: elements of "<c8"; expected one of [bool int8 `},
		{made("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", 16), `npy: elements of "|O"; expected`},
		{made("{'descr': '<f4', 'shape': (2,), }", 8), "lacks descr, fortran_order or shape"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2, x), }", 8), "npy: the shape (2, x) is not a list of at most 64 extents"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (,2), }", 8), "is not a list"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (,), }", 4), "npy: the shape (,) is not a list"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (1,,2), }", 8), "is not a list"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (1,2,,), }", 8), "is not a list"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (02,), }", 8), "is not a list"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2), }", 8), "npy: the shape (2) is not a list of extents: expected (2,), with a comma, for one extent"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8), "npy: the shape (99999999999999999999,): the extent 99999999999999999999 is too large"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,), }", 8), "has shape twice; expected each key once"},
		{made("{'descr': '<f4', 'fortran_order': False, 'descr': '<i4', 'shape': (2,), }", 8), "has descr twice; "},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'fortran_order': True}", 8), "has fortran_order twice; "},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'more': True}", 8), "has the key more; expected descr, fortran_order and shape alone"},
		{made("{'descr': '<f4', 'fortran_order': False 'shape': (2,)}", 8), "is not a dictionary such as {'descr': '<f4', "},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8), "is not a dictionary"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8), "is not a dictionary"},
		{made("{'descr': '<f4', 'fortran_order': 'False', 'shape': (2,)}", 8), "lacks descr, fortran_order or shape"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", 8), "npy: the shape [-2]: expected extents of 0 or more, and 2^46 bytes at most"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 8), "expected extents of 0 or more, and 2^46"},
		{made("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }", 8), "has 4398046511104 bytes of elements, but the file has 8"},
	} {
		if _, err := npy.Read(bytes.NewReader(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: got %v, want %s", c.data, err, c.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		typ  npy.Type
		bits uint64
		want string
	}{
		{npy.Bool, 1, "true"}, {npy.Int8, 0x80, "-128"}, {npy.Uint8, 0x80, "128"}, {npy.Int64, math.MaxUint64, "-1"},
		{npy.Uint64, math.MaxUint64, "18446744073709551615"}, {npy.Float16, 0x3555, "0.3333"}, {npy.BFloat16, 0x3eab, "0.334"},
		{npy.Float32, uint64(math.Float32bits(0.1)), "0.1"}, {npy.Float64, math.Float64bits(0.1), "0.1"},
		{npy.Float32, uint64(math.Float32bits(float32(math.Inf(-1)))), "-Inf"}, {npy.Raw8, 0xab, "0xab"}, {npy.Raw16, 1, "0x1"},
	} {
		if got := c.typ.Text(c.bits); got != c.want {
			t.Errorf("%v %#x: got %s, want %s", c.typ, c.bits, got, c.want)
		}
	}
	if _, ok := npy.TypeByName("raw8"); ok {
		t.Error("raw8 has no meaning that could be asked for")
	}
	if typ, ok := npy.TypeByName("float8_e4m3fn"); !ok || typ != npy.Float8E4M3FN {
		t.Errorf("got %v", typ)
	}
}

func FuzzRead(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.npy"))
	if err != nil || len(names) < 10 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := npy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := a.Write(&out); err != nil {
			t.Fatal(err)
		}
		b, err := npy.Read(&out)
		if err != nil || !bytes.Equal(a.Data, b.Data) || !slices.Equal(a.Shape, b.Shape) {
			t.Fatalf("read back %v, %v", b, err)
		}
		r, err := npy.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := io.ReadAll(r)
		if err != nil || len(streamed) != len(a.Data) || !r.Header.Fortran && !bytes.Equal(streamed, a.Data) {
			t.Fatalf("streamed as %x, %v; want %x", streamed, err, a.Data)
		}
	})
}
