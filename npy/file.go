package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// Array is the content of a file: elements in row-major order, little-endian. An array without extents is a scalar.
type Array struct {
	Type  Type
	Shape []int
	Data  []byte
}

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 20 // bytes; NumPy itself stops at 10,000
	maxRank   = 64
	headAlign = 64 // the elements begin at a multiple of it
)

// header is what the dictionary says.
type header struct {
	typ     Type
	shape   []int
	bytes   int  // of all elements
	fortran bool // the first index varies fastest
	big     bool // big-endian
}

// Zeros makes an array of zeros. The product of the extents must be that of an array that fits in memory.
func Zeros(t Type, shape ...int) (*Array, error) {
	n, err := Bytes(t, shape)
	if err != nil {
		return nil, err
	}
	return &Array{Type: t, Shape: slices.Clone(shape), Data: make([]byte, n)}, nil
}

// Len is the number of elements.
func (a *Array) Len() int { return len(a.Data) / a.Type.Size() }

// Bits gives the i-th element in row-major order, zero-extended.
func (a *Array) Bits(i int) uint64 {
	var b [8]byte
	size := a.Type.Size()
	copy(b[:], a.Data[i*size:(i+1)*size])
	return binary.LittleEndian.Uint64(b[:])
}

// SetBits sets the i-th element in row-major order to the low bits of a number.
func (a *Array) SetBits(i int, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	size := a.Type.Size()
	copy(a.Data[i*size:(i+1)*size], b[:])
}

// Read reads a file to its end. Arrays in Fortran's order and big-endian ones come out as all others do. It refuses
// objects, structures and element types that Tile IR has not; memory stays proportional to the file.
func Read(r io.Reader) (*Array, error) {
	br := bufio.NewReader(r)
	h, err := readHeader(br)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(br, int64(h.bytes)+1))
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if len(data) != h.bytes {
		found := strconv.Itoa(len(data))
		if len(data) > h.bytes {
			found = "more"
		}
		return nil, fmt.Errorf("npy: %v of shape %v has %d bytes of elements, but the file has %s", h.typ, h.shape, h.bytes, found)
	}
	if h.big {
		swap(data, h.typ.Size())
	}
	if h.fortran {
		data = transpose(data, h.shape, h.typ.Size())
	}
	return &Array{Type: h.typ, Shape: h.shape, Data: data}, nil
}

// ReadShape reads only what stands before the elements.
func ReadShape(r io.Reader) (Type, []int, error) {
	h, err := readHeader(r)
	return h.typ, h.shape, err
}

func readHeader(r io.Reader) (h header, err error) {
	var head [12]byte
	if _, err := io.ReadFull(r, head[:10]); err != nil || string(head[:6]) != magic {
		return h, fmt.Errorf("npy: not a .npy file: the magic number is missing")
	}
	n := int(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		if _, err := io.ReadFull(r, head[10:]); err != nil {
			return h, fmt.Errorf("npy: the file ends in its header")
		}
		n = int(binary.LittleEndian.Uint32(head[8:]))
	default:
		return h, fmt.Errorf("npy: version %d.%d of the format is not 1.0, 2.0 or 3.0", head[6], head[7])
	}
	if n > maxHeader {
		return h, fmt.Errorf("npy: a header of %d bytes; expected %d at most", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, fmt.Errorf("npy: the file ends in its header")
	}
	return parseHeader(string(text))
}

var (
	// entryRE is an entry of the dictionary with the comma behind it; the descr of structures is a list, which is not read.
	entryRE  = regexp.MustCompile(`^'(\w+)'\s*:\s*('[^']*'|True|False|\([^()]*\)|\[)\s*(,\s*)?`)
	descrRE  = regexp.MustCompile(`^'([<>|=]?)([^']*)'$`)
	extentRE = regexp.MustCompile(`^(-?(?:0|[1-9][0-9]*))L?$`) // Python 2 wrote long numbers with L
)

// parseHeader reads a dictionary with the keys descr, fortran_order and shape, in any order.
func parseHeader(text string) (h header, err error) {
	text = strings.TrimSpace(text)
	values, err := parseEntries(text)
	if err != nil {
		return h, err
	}
	if values["descr"] == "[" {
		return h, fmt.Errorf("npy: the elements are structures; expected numbers")
	}
	descr, order, shape := descrRE.FindStringSubmatch(values["descr"]), values["fortran_order"], values["shape"]
	if descr == nil || order != "True" && order != "False" || !strings.HasPrefix(shape, "(") {
		return h, fmt.Errorf("npy: the header %q lacks descr, fortran_order or shape", names.Short(text))
	}
	if h.typ = readAs[descr[2]]; h.typ == Invalid {
		return h, fmt.Errorf("npy: elements of %q; expected one of %v, or raw bytes of ml_dtypes", names.Short(descr[1]+descr[2]), Types())
	}
	h.big, h.fortran = descr[1] == ">" && h.typ.Size() > 1, order == "True"
	if h.shape, err = parseShape(shape); err != nil {
		return h, err
	}
	h.bytes, err = Bytes(h.typ, h.shape)
	return h, err
}

// parseEntries gives the values of a dictionary as text, up to a list.
func parseEntries(text string) (map[string]string, error) {
	values := map[string]string{}
	rest, open := strings.CutPrefix(text, "{")
	for rest, comma := strings.TrimSpace(rest), true; open && rest != "}"; {
		m := entryRE.FindStringSubmatch(rest)
		if m == nil || !comma {
			open = false
			break
		}
		key, value := m[1], m[2]
		if _, again := values[key]; again {
			return nil, fmt.Errorf("npy: the header %q has %s twice; expected each key once", names.Short(text), key)
		}
		if values[key] = value; value == "[" && key == "descr" {
			return values, nil
		}
		if key != "descr" && key != "fortran_order" && key != "shape" {
			return nil, fmt.Errorf("npy: the header %q has the key %s; expected descr, fortran_order and shape alone", names.Short(text), names.Short(key))
		}
		rest, comma = rest[len(m[0]):], m[3] != ""
	}
	if !open {
		return nil, fmt.Errorf("npy: the header %q is not a dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (16,), }", names.Short(text))
	}
	return values, nil
}

// parseShape reads a tuple as Python writes it: one of a single extent has a comma.
func parseShape(tuple string) (shape []int, err error) {
	list := strings.TrimSpace(tuple[1 : len(tuple)-1])
	if list == "" {
		return nil, nil
	}
	words := strings.Split(list, ",")
	if len(words) == 1 {
		return nil, fmt.Errorf("npy: the shape (%s) is not a list of extents: expected (%[1]s,), with a comma, for one extent", names.Short(list))
	}
	if last := len(words) - 1; strings.TrimSpace(words[last]) == "" {
		words = words[:last]
	}
	for _, word := range words {
		m := extentRE.FindStringSubmatch(strings.TrimSpace(word))
		if m == nil || len(shape) == maxRank {
			return nil, fmt.Errorf("npy: the shape %s is not a list of at most %d extents", names.Short(tuple), maxRank)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("npy: the shape %s: the extent %s is too large", names.Short(tuple), names.Short(m[1]))
		}
		shape = append(shape, n)
	}
	return shape, nil
}

// Bytes is the size of the elements of an array; the extents must be 0 or more, and not beyond all memory.
func Bytes(t Type, shape []int) (int, error) {
	const most = 1 << 46
	n := uint64(t.Size())
	for _, d := range shape {
		hi, lo := bits.Mul64(n, uint64(d))
		if d < 0 || hi != 0 || lo > most {
			return 0, fmt.Errorf("npy: the shape %v: expected extents of 0 or more, and 2^46 bytes at most", shape)
		}
		n = lo
	}
	return int(n), nil
}

func swap(data []byte, size int) {
	for i := 0; i < len(data); i += size {
		slices.Reverse(data[i : i+size])
	}
}

// transpose brings elements in Fortran's order into C's.
func transpose(data []byte, shape []int, size int) []byte {
	out := make([]byte, 0, len(data))
	index := make([]int, len(shape))
	for len(out) < len(data) {
		at, stride := 0, size
		for i, k := range index {
			at += k * stride
			stride *= shape[i]
		}
		out = append(out, data[at:at+size]...)
		for i := len(index) - 1; i >= 0; i-- {
			if index[i]++; index[i] < shape[i] {
				break
			}
			index[i] = 0
		}
	}
	return out
}

// Write writes a file of version 1.0. Types that NumPy lacks are written as raw bytes, as NumPy writes them: a view such
// as np.load(f).view(ml_dtypes.bfloat16) gives them their meaning back.
func (a *Array) Write(w io.Writer) error {
	if n, err := Bytes(a.Type, a.Shape); err != nil || n != len(a.Data) || len(a.Shape) > maxRank {
		return fmt.Errorf("npy: cannot write %v of shape %v with %d bytes of elements", a.Type, a.Shape, len(a.Data))
	}
	order := "<"
	if a.Type.Size() == 1 {
		order = "|"
	}
	var shape strings.Builder
	for i, d := range a.Shape {
		if i > 0 {
			shape.WriteByte(' ')
		}
		fmt.Fprintf(&shape, "%d,", d)
	}
	extents := shape.String()
	if len(a.Shape) > 1 {
		extents = strings.TrimSuffix(extents, ",")
	}
	text := fmt.Sprintf("{'descr': '%s%s', 'fortran_order': False, 'shape': (%s), }", order, a.Type.row().Npy, extents)
	pad := -(len(magic) + 4 + len(text) + 1) & (headAlign - 1)
	text += strings.Repeat(" ", pad) + "\n"
	head := append([]byte(magic), 1, 0, byte(len(text)), byte(len(text)>>8))
	if _, err := w.Write(append(head, text...)); err != nil {
		return err
	}
	_, err := w.Write(a.Data)
	return err
}
