package modrun

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/npy"
)

// cutStrides takes the strides off a file's name or a list of extents, which end in @STRIDES.
func cutStrides(text string) (rest, strides string, given bool) {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// setStrides reads the strides of an array whose extents are known.
func (src *arraySource) setStrides(text string) error {
	const largest = 1 << extentBits
	src.strides = []int{}
	last := 0
	for i, w := range strings.Split(text, ",") {
		if text == "" {
			break
		}
		n, err := strconv.ParseUint(w, 10, extentBits)
		switch {
		case err != nil:
			return toolbox.Usagef("%s: %q is not a list of strides in elements, each from 0 to %d, such as %s", src, names.Short(text), largest-1, src.example())
		case i < len(src.shape) && n > 0 && src.shape[i] > 0 && src.shape[i]-1 > (largest-1-last)/int(n):
			return toolbox.Usagef("%s: the last element would be more than %d elements from the first one: give smaller strides", src, largest)
		case i < len(src.shape):
			last += max(0, src.shape[i]-1) * int(n)
		}
		src.strides = append(src.strides, int(n))
	}
	switch n := len(src.shape); {
	case n != len(src.strides):
		return toolbox.Usagef("%s: %s and %s: an array has as many of the ones as of the others, such as %s", src, names.Plural(n, "extent"),
			names.Plural(len(src.strides), "stride"), src.example())
	case src.shared() && (src.file != "" || src.fill == "iota"):
		return toolbox.Usagef("%s: elements lie in the same place: fill them with one number, or give strides with a place for each, such as %s", src, src.example())
	}
	return nil
}

// example is the strides of the array in row-major order, as they are written.
func (src *arraySource) example() string {
	words := []string{}
	for _, n := range rowMajor(src.shape) {
		words = append(words, strconv.Itoa(n))
	}
	return "@" + strings.Join(words, ",")
}

// rowMajor is the strides of an array whose elements lie together, in order.
func rowMajor(shape []int) []int {
	strides, n := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i] = n
		n *= max(1, shape[i])
	}
	return strides
}

// layout is the array's strides.
func (src *arraySource) layout() []int {
	if src.strides != nil {
		return src.strides
	}
	return rowMajor(src.shape)
}

// shared reports whether elements may lie in the same place.
func (src *arraySource) shared() bool {
	axes, last := []int{}, 0
	for i, n := range src.shape {
		switch {
		case n == 0:
			return false
		case n > 1:
			axes = append(axes, i)
		}
	}
	slices.SortFunc(axes, func(a, b int) int { return src.strides[a] - src.strides[b] })
	for _, i := range axes {
		if src.strides[i] <= last {
			return true
		}
		last += (src.shape[i] - 1) * src.strides[i]
	}
	return false
}

// bytes is how many bytes the array takes in a file and in memory, where float4_e2m1fn has a byte for each element, too.
func (src *arraySource) bytes() (file, memory int, err error) {
	if file, err = npy.Bytes(src.typ, src.shape); err != nil || src.strides == nil || file == 0 {
		return file, file, err
	}
	n := 1
	for i, s := range src.strides {
		n += (src.shape[i] - 1) * s
	}
	memory, err = npy.Bytes(src.typ, []int{n})
	return file, memory, err
}

// place puts the array into the kernel's memory, which is zero. size is that of its file.
func (src *arraySource) place(memory []byte, size int) error {
	if src.elem.PerByte() == 1 && src.strides == nil {
		return src.load(memory)
	}
	data := make([]byte, size)
	if err := src.load(data); err != nil {
		return err
	}
	if src.strides != nil {
		_, n, err := src.bytes()
		if err != nil {
			return err
		}
		dense := data
		data = make([]byte, n)
		src.each(func(i, at, size int) { copy(data[at:at+size], dense[i:]) })
	}
	if src.elem.PerByte() > 1 {
		data = dtype.PackHalves(data)
	}
	copy(memory, data)
	return nil
}

// elements is what the array's elements are in the kernel's memory, in row-major order.
func (src *arraySource) elements(memory []byte) ([]byte, error) {
	file, n, err := src.bytes()
	if err != nil {
		return nil, err
	}
	if src.elem.PerByte() > 1 {
		memory = dtype.UnpackHalves[byte](memory, n)
	}
	if src.strides == nil {
		return memory, nil
	}
	dense := make([]byte, file)
	src.each(func(i, at, size int) { copy(dense[i:i+size], memory[at:]) })
	return dense, nil
}

// each visits the elements in row-major order: the bytes where they begin in a file and in memory, and their size.
func (src *arraySource) each(visit func(i, at, size int)) {
	size, index, at := src.typ.Size(), make([]int, len(src.shape)), 0
	for i := range src.len() {
		visit(i*size, at*size, size)
		for axis := len(index) - 1; axis >= 0; axis-- {
			index[axis]++
			at += src.strides[axis]
			if index[axis] < src.shape[axis] {
				break
			}
			at -= index[axis] * src.strides[axis]
			index[axis] = 0
		}
	}
}
