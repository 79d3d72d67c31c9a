package reftest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/cutile-go/cutile/npy"
	"github.com/cutile-go/cutile/tileir"
)

// Case is a launch of a kernel with what NumPy says it does, as cases.py writes it: a folder with case.json and arrays.
type Case struct {
	Name    string `json:"-"` // of the folder: the kernel's, with another behind a dot where it has several cases
	Kernel  string
	Since   string // the kernel's first version
	Grid    [3]uint32
	Params  []Param
	Buffers []*Buffer
	Output  []string // the lines that it prints
	Why     string   `json:"why_tolerance"` // where there is one
}

// Param is what a parameter gets: the address of a buffer or a number.
type Param struct {
	Buffer *int
	Value  any
	Type   string // of the number
}

// Buffer is an array that the kernel is given.
type Buffer struct {
	File     string
	Type     string // of the elements: see elemTypes
	Want     string // the file of what it holds in the end; none where it stays as it is
	RTol     float64
	ATol     float64
	Relocate map[int]int // elements that the address of another buffer is added to

	elem elemType
	in   *npy.Array
	want *npy.Array
}

// elemType is an element type as case.json spells it.
type elemType struct {
	elem tileir.Elem
	npy  npy.Type
	file npy.Type // what stands for it in files where NumPy lacks it
}

var elemTypes = map[string]elemType{
	"i1":        {elem: tileir.I1, npy: npy.Bool},
	"i8":        {elem: tileir.I8, npy: npy.Int8},
	"i16":       {elem: tileir.I16, npy: npy.Int16},
	"i32":       {elem: tileir.I32, npy: npy.Int32},
	"i64":       {elem: tileir.I64, npy: npy.Int64},
	"u8":        {elem: tileir.I8, npy: npy.Uint8},
	"u16":       {elem: tileir.I16, npy: npy.Uint16},
	"u32":       {elem: tileir.I32, npy: npy.Uint32},
	"u64":       {elem: tileir.I64, npy: npy.Uint64},
	"f16":       {elem: tileir.F16, npy: npy.Float16},
	"f32":       {elem: tileir.F32, npy: npy.Float32},
	"f64":       {elem: tileir.F64, npy: npy.Float64},
	"bf16":      {tileir.BF16, npy.BFloat16, npy.Uint16},
	"f8E4M3FN":  {tileir.F8E4M3FN, npy.Float8E4M3FN, npy.Uint8},
	"f8E5M2":    {tileir.F8E5M2, npy.Float8E5M2, npy.Uint8},
	"f8E8M0FNU": {tileir.F8E8M0FNU, npy.Float8E8M0FNU, npy.Uint8},
}

// ReadCase reads a folder.
func ReadCase(dir fs.FS, name string) (*Case, error) {
	text, err := fs.ReadFile(dir, path.Join(name, "case.json"))
	if err != nil {
		return nil, err
	}
	c := &Case{Name: name}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, fmt.Errorf("%s/case.json: %w", name, err)
	}
	for i, b := range c.Buffers {
		if err := b.read(dir, name); err != nil {
			return nil, fmt.Errorf("%s: buffer %d: %w", name, i, err)
		}
	}
	if err := c.verify(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// read reads the arrays of a buffer.
func (b *Buffer) read(dir fs.FS, name string) (err error) {
	var ok bool
	if b.elem, ok = elemTypes[b.Type]; !ok {
		return fmt.Errorf("type %q is none that elements have", b.Type)
	}
	if b.in, err = b.array(dir, path.Join(name, b.File)); err != nil {
		return err
	}
	b.want = b.in
	if b.Want != "" {
		b.want, err = b.array(dir, path.Join(name, b.Want))
	}
	if err == nil && b.want.Len() != b.in.Len() {
		err = fmt.Errorf("%s has %d elements, %s has %d", b.File, b.in.Len(), b.Want, b.want.Len())
	}
	return err
}

// array reads an array.
func (b *Buffer) array(dir fs.FS, file string) (*npy.Array, error) {
	f, err := dir.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := npy.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if a.Type != b.elem.npy && a.Type != b.elem.file {
		return nil, fmt.Errorf("%s: elements of %v, want %v", file, a.Type, b.elem.npy)
	}
	a.Type = b.elem.npy
	return a, nil
}

// verify finds what would make a case no test: it must expect a change or a line, and a tolerance needs a reason.
func (c *Case) verify() error {
	changes, tolerant := len(c.Output) > 0, false
	for i, b := range c.Buffers {
		changes = changes || !bytes.Equal(b.in.Data, b.want.Data)
		tolerant = tolerant || b.RTol != 0 || b.ATol != 0
		for at, to := range b.Relocate {
			if b.in.Type.Size() != 8 || at < 0 || at >= b.in.Len() || to < 0 || to >= len(c.Buffers) {
				return fmt.Errorf("buffer %d of %d elements of %s: element %d cannot be the address of buffer %d", i, b.in.Len(), b.Type, at, to)
			}
		}
	}
	switch {
	case !changes:
		return errors.New("nothing changes and nothing is printed: the case could not fail")
	case tolerant != (c.Why != ""):
		return fmt.Errorf("a tolerance: %v, a reason for it: %q; expected both or none", tolerant, c.Why)
	}
	for i, p := range c.Params {
		if p.Buffer != nil && (*p.Buffer < 0 || *p.Buffer >= len(c.Buffers)) {
			return fmt.Errorf("parameter %d: there is no buffer %d", i, *p.Buffer)
		}
	}
	return nil
}
