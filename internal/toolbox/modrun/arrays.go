package modrun

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/npy"
	"github.com/cutile-go/cutile/tileir"
)

// arraySource says where an array comes from and goes to.
type arraySource struct {
	Argument
	name  string // the file to write, "" for none
	file  string // the file to read, "" for none
	typ   npy.Type
	shape []int
	fill  string
	elem  tileir.Elem // what the kernel takes it for

	strides []int // in elements: nil for row-major order
}

// elemTypes are the arrays that a pointer to an element type takes, the preferred one first.
var elemTypes = func() map[tileir.Elem][]npy.Type {
	m := map[tileir.Elem][]npy.Type{tileir.TF32: {npy.Float32}} // NumPy has no tf32, whose bits are those of float32
	for _, e := range tileir.Elems() {
		for _, t := range npy.Types() {
			if elem.Table[t].IR == e.String() { // of integers, with a sign and without
				m[e] = append(m[e], t)
			}
		}
		switch standard := e == tileir.F16 || e == tileir.F32 || e == tileir.F64; {
		case standard || !e.IsFloat(): // files keep the name
		case e.Bytes() == 1:
			m[e] = append(m[e], npy.Raw8, npy.Uint8)
		case e.Bytes() == 2:
			m[e] = append(m[e], npy.Raw16, npy.Uint16)
		}
	}
	return m
}()

// parseArray reads an array for a pointer to elements.
func parseArray(a *Argument, elem tileir.Elem) (*arraySource, error) {
	src, err := parseSource(a)
	if err != nil {
		return nil, err
	}
	src.elem = elem
	if want := elemTypes[elem]; !slices.Contains(want, src.typ) {
		words := make([]string, len(want))
		for i, w := range want {
			words[i] = w.String()
		}
		return nil, toolbox.Usagef("%s: the kernel takes a pointer to %v there, which is an array of %s, not of %v", a, elem, strings.Join(words, " or "), src.typ)
	}
	return src, nil
}

// parseSource reads [NAME=]FILE.npy[@STRIDES] and [NAME=]TYPE:EXTENTS[@STRIDES][:FILL].
func parseSource(a *Argument) (*arraySource, error) {
	src := &arraySource{Argument: *a}
	text := a.Text
	if name, rest, ok := strings.Cut(text, "="); ok {
		src.name, text = strings.TrimSuffix(name, ".npy")+".npy", rest
		if name == "" {
			return nil, toolbox.Usagef("%s: the name before = is missing", a)
		}
	}
	file, strides, strided := cutStrides(text)
	switch {
	case strings.HasSuffix(text, ".npy"):
		src.file = text
		return src, src.look()
	case !strided || !strings.HasSuffix(file, ".npy"):
		return src, src.parse(text)
	}
	src.file = file
	if err := src.look(); err != nil {
		return nil, err
	}
	return src, src.setStrides(strides)
}

const extentBits = 40 // of an extent: no array in memory has more

// parse reads TYPE:EXTENTS[@STRIDES][:FILL].
func (src *arraySource) parse(text string) error {
	name, rest, _ := strings.Cut(text, ":")
	places, fill, filled := strings.Cut(rest, ":")
	extents, strides, strided := cutStrides(places)
	typ, ok := npy.TypeByName(name)
	if !ok || rest == "" && !strings.Contains(text, ":") {
		return toolbox.Usagef("%s: want an array for a pointer: FILE.npy or TYPE:EXTENTS, such as float32:1024x32, or int32: for a single number", src)
	}
	src.typ = typ
	for _, w := range strings.Split(extents, "x") {
		n, err := strconv.ParseUint(w, 10, extentBits)
		if extents == "" {
			break
		}
		if errors.Is(err, strconv.ErrRange) {
			return toolbox.Usagef("%s: the extent %s is too large: %d is the largest", src, names.Short(w), 1<<extentBits-1)
		} else if err != nil {
			return toolbox.Usagef("%s: %q is not a list of extents, such as 1024x32", src, extents)
		}
		src.shape = append(src.shape, int(n))
	}
	if src.fill = fill; filled && fill != "iota" {
		switch _, err := src.bits(fill); {
		case errors.As(err, new(wanted)):
			return toolbox.Usagef("%s: the fill %q: %v, or iota", src, fill, err)
		case err != nil:
			return toolbox.Usagef("%s: the fill: %v", src, err)
		}
	}
	if strided {
		return src.setStrides(strides)
	}
	return nil
}

// len is the number of elements.
func (src *arraySource) len() int {
	n := 1
	for _, d := range src.shape {
		n *= d
	}
	return n
}

// look reads what a file says about its array.
func (src *arraySource) look() error {
	f, err := os.Open(src.file)
	if err != nil {
		return err
	}
	defer f.Close()
	if src.typ, src.shape, err = npy.ReadShape(f); err != nil {
		return fmt.Errorf("%s: %w", src.file, err)
	}
	return nil
}

// bits reads a number of the array's type.
func (src *arraySource) bits(text string) (uint64, error) {
	i := slices.IndexFunc(fillElems, func(e tileir.Elem) bool { return slices.Contains(elemTypes[e], src.typ) })
	if i < 0 {
		return 0, fmt.Errorf("arrays of %v begin as zeros or come from a file", src.typ)
	}
	return parseScalar(text, fillElems[i])
}

// fillElems are the types whose numbers a fill can be.
var fillElems = []tileir.Elem{tileir.I1, tileir.I8, tileir.I16, tileir.I32, tileir.I64, tileir.F16, tileir.BF16, tileir.F32, tileir.F64}

// load puts the array's elements into memory, which is zero.
func (src *arraySource) load(memory []byte) error {
	a := &npy.Array{Type: src.typ, Shape: src.shape, Data: memory}
	switch {
	case src.file != "":
		f, err := os.Open(src.file)
		if err != nil {
			return err
		}
		defer f.Close()
		read, err := npy.Read(f)
		if err == nil && len(read.Data) != len(memory) {
			err = fmt.Errorf("the file has changed")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", src.file, err)
		}
		copy(memory, read.Data)
	case src.fill != "":
		return src.fillIn(a)
	}
	return nil
}

// fillIn sets each element to the fill.
func (src *arraySource) fillIn(a *npy.Array) error {
	for i := range a.Len() {
		text := src.fill
		if text == "iota" {
			text = strconv.Itoa(i)
		}
		bits, err := src.bits(text)
		if err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
		a.SetBits(i, bits)
	}
	return nil
}
