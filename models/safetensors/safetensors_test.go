package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/models/safetensors"
)

func fails(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", what, err, want)
	}
}

func read(b []byte) (*safetensors.File, error) {
	return safetensors.New(bytes.NewReader(b), int64(len(b)))
}

// TestRefused has the errors of the table of mutations.
func TestRefused(t *testing.T) {
	for name, m := range mutations() {
		_, err := read(m.file)
		if m.refused == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		fails(t, name, err, m.refused)
		if !errors.Is(err, safetensors.ErrFormat) {
			t.Errorf("%s: %v is not ErrFormat", name, err)
		}
	}
}

// entry makes an entry that is right.
func entry[E dtype.Elem](t *testing.T, name string, data []E, shape ...int) safetensors.Entry {
	t.Helper()
	e, err := safetensors.NewEntry(name, data, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func sameSlice[E dtype.Elem](t *testing.T, f *safetensors.File, name string, want []E) {
	t.Helper()
	x, err := f.Tensor(name)
	if err != nil {
		t.Fatal(err)
	}
	got, err := safetensors.Slice[E](x)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v, %v, want %v", name, got, err, want)
	}
	if x.Len() != len(want) {
		t.Errorf("%s: %d elements, want %d", name, x.Len(), len(want))
	}
}

// TestSlice writes elements of Go and reads them from a mapped file, from a reader, and where they are not aligned.
func TestSlice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.safetensors")
	halves := []dtype.BFloat16{dtype.BFloat16FromFloat32(1.5), dtype.BFloat16FromFloat32(-2)}
	err := safetensors.Save(path, nil, entry(t, "bool", []bool{true, false, true}, 3), entry(t, "half", halves, 1, 2),
		entry(t, "wide", []int64{-1, 1 << 40}, 2), entry(t, "one", []float32{7}), entry(t, "none", []float64{}, 0, 3),
		entry(t, "eight", []dtype.Float8E4M3FN{1, 2}, 2))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	reader, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*safetensors.File{mapped, reader, shifted(t, file)} {
		sameSlice(t, f, "bool", []bool{true, false, true})
		sameSlice(t, f, "half", halves)
		sameSlice(t, f, "wide", []int64{-1, 1 << 40})
		sameSlice(t, f, "one", []float32{7})
		sameSlice(t, f, "none", []float64{})
		sameSlice(t, f, "eight", []dtype.Float8E4M3FN{1, 2})
	}
	x, _ := mapped.Tensor("half")
	_, err = safetensors.Slice[dtype.Float16](x)
	fails(t, "half", err, `tensor "half" has elements of BF16, not of Go's dtype.Float16; the type for them is that of dtype.bfloat16`)
	_, err = safetensors.Slice[dtype.TensorFloat32](x)
	fails(t, "half", err, "not of Go's dtype.TensorFloat32")
	_, err = mapped.Tensor("x")
	if fails(t, "x", err, `no tensor "x" among the 6`); !errors.Is(err, os.ErrNotExist) {
		t.Error("not os.ErrNotExist")
	}
}

// shifted writes a file with a header of one more byte and opens it, so that nothing is aligned.
func shifted(t *testing.T, file []byte) *safetensors.File {
	t.Helper()
	n := int(file[0]) | int(file[1])<<8
	b := append([]byte{byte(n + 1), byte((n + 1) >> 8)}, file[2:8+n]...)
	b = append(append(b, ' '), file[8+n:]...)
	path := filepath.Join(t.TempDir(), "shifted")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestClosed and wrong booleans give errors.
func TestClosed(t *testing.T) {
	f, err := read(append(file(`{"a":`+one("BOOL", "[2]", "[0,2]")+`,"b":`+one("C64", "[]", "[2,10]")+`}`, 1), 2, 0, 0, 0, 0, 0, 0, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := f.Tensor("a")
	_, err = safetensors.Slice[bool](a)
	fails(t, "a", err, "element 1 is 2, but a BOOL is 0 or 1")
	b, _ := f.Tensor("b")
	_, err = safetensors.Slice[uint64](b)
	fails(t, "b", err, "Go has no such type, use Bytes")
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err = a.Bytes(); !errors.Is(err, safetensors.ErrClosed) {
		t.Error(err)
	}
	if _, err = io.ReadAll(a.Reader()); !errors.Is(err, safetensors.ErrClosed) {
		t.Error(err)
	}
}

// TestWriteRefused has entries that are wrong.
func TestWriteRefused(t *testing.T) {
	data := func(n int) io.Reader { return bytes.NewReader(make([]byte, n)) }
	for want, all := range map[string][]safetensors.Entry{
		"has 8 bytes, but its data ended after 7": {{Name: "a", DType: safetensors.F32, Shape: []int{2}, Data: data(7)}},
		"has 8 bytes, but its data has more":      {{Name: "a", DType: safetensors.F32, Shape: []int{2}, Data: data(9)}},
		"the name is taken":                       {{Name: "a", DType: safetensors.U8}, {Name: "a", DType: safetensors.U8}},
		`tensor "__metadata__"`:                   {{Name: "__metadata__", DType: safetensors.U8}},
		"not valid UTF-8":                         {{Name: "\xff", DType: safetensors.U8}},
		"DType(0) is no type":                     {{Name: "a"}},
		"DType(200) is no type":                   {{Name: "a", DType: 200}},
		"negative extent":                         {{Name: "a", DType: safetensors.U8, Shape: []int{-1}}},
		"no whole number of bytes":                {{Name: "a", DType: safetensors.F4, Shape: []int{3}}},
		"cannot be read":                          {{Name: "a", DType: safetensors.U8, Data: iotest.ErrReader(errors.New("cannot be read"))}},
	} {
		fails(t, want, safetensors.Write(io.Discard, nil, all...), want)
	}
	fails(t, "metadata", safetensors.Write(io.Discard, map[string]string{"a": "\xff"}), "not valid UTF-8")
	_, err := safetensors.NewEntry("a", []float32{1}, 2)
	fails(t, "entry", err, "shape [2] does not have the 1 elements that are given")
	_, err = safetensors.NewEntry("a", []dtype.TensorFloat32{1}, 1)
	fails(t, "entry", err, "no type for elements of Go's dtype.TensorFloat32")
	dir := t.TempDir()
	fails(t, "save", safetensors.Save(filepath.Join(dir, "a"), nil, safetensors.Entry{Name: "a"}), "is no type")
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestModel opens two files by their index.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]float32{"1": 10, "2": 20} {
		if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		err := safetensors.Save(filepath.Join(dir, "sub", name), nil, entry(t, "x"+name, []float32{value}, 1), entry(t, "y", []float32{value + 1}, 1))
		if err != nil {
			t.Fatal(err)
		}
	}
	index := filepath.Join(dir, "model.safetensors.index.json")
	open := func(text string) (*safetensors.Model, error) {
		if err := os.WriteFile(index, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return safetensors.OpenModel(index)
	}
	m, err := open(`{"metadata":{"total_size":12},"weight_map":{"x1":"sub/1","y":"sub/2","x2":"sub/2"}}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Names(); !slices.Equal(got, []string{"x1", "x2", "y"}) {
		t.Errorf("names %q", got)
	}
	for name, want := range map[string]float32{"x1": 10, "x2": 20, "y": 21} {
		x, err := m.Tensor(name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := safetensors.Slice[float32](x); err != nil || got[0] != want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	_, err = m.Tensor("z")
	fails(t, "z", err, `no tensor "z"`)
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`{"weight_map":{"x1":"../1"}}`:               "may leave the folder",
		`{"weight_map":{"x1":"sub/../../1"}}`:        "may leave the folder",
		`{"weight_map":{"x1":"/etc/passwd"}}`:        "may leave the folder",
		`{"weight_map":{"x1":"..\\1"}}`:              "may leave the folder",
		`{"weight_map":{"x1":"C:1"}}`:                "may leave the folder",
		`{"weight_map":{"x1":""}}`:                   "may leave the folder",
		`{"weight_map":{"x1":"sub/3"}}`:              "sub",
		`{"weight_map":{"x1":"sub"}}`:                "not a regular file",
		`{"weight_map":{"z":"sub/1"}}`:               `tensor "z" is in sub/1, which does not have it`,
		`{"weight_map":{"x1":"sub/1","x1":"sub/1"}}`: `weight_map has "x1" twice`,
		`{"weight_map":{},"weight_map":{}}`:          "weight_map comes twice",
		`{"weight_map":{"x1":1}}`:                    "a string is expected",
		`{}`:                                         "weight_map is missing",
		``:                                           "'{' is expected, found the end",
	} {
		_, err := open(text)
		fails(t, text, err, want)
	}
}

// TestSaveLinked: a symlink stays, and the file that it leads to is written, also where there was none.
func TestSaveLinked(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "sub", "file")
	if err := errors.Join(os.Mkdir(filepath.Dir(file), 0o755), os.Symlink("first", link), os.Symlink("sub/file", filepath.Join(dir, "first"))); err != nil {
		t.Fatal(err)
	}
	for _, value := range []float32{1, 2} {
		if err := safetensors.Save(link, nil, entry(t, "x", []float32{value}, 1)); err != nil {
			t.Fatal(err)
		}
		st, err := os.Lstat(link)
		if err != nil || st.Mode().Type() != os.ModeSymlink {
			t.Errorf("the link is %v, %v", st, err)
		}
		through, err := os.ReadFile(link)
		at, err2 := os.ReadFile(file)
		if err != nil || err2 != nil || len(at) == 0 || !bytes.Equal(through, at) {
			t.Errorf("%d bytes by the link, %d in the file, %v, %v", len(through), len(at), err, err2)
		}
	}
	if err := errors.Join(os.Remove(link), os.Symlink("link", link)); err != nil {
		t.Fatal(err)
	}
	fails(t, "a circle", safetensors.Save(link, nil, entry(t, "x", []float32{1}, 1)), "symlinks")
}
