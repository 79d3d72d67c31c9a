package device

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/npy"
)

// chunk is how many bytes of elements are on their way between a device and a file.
const chunk = 1 << 20

// WriteTo waits for the work on the tensor and writes it as a .npy file, which numpy.load and [ReadTensor] read. It returns the
// number of bytes that it wrote. It implements io.WriterTo.
//
// Elements are written in row-major order, or, for a tensor whose axes are in reverse order in memory, such as the transpose of
// a matrix, in Fortran's order, as NumPy does. bfloat16 and the floats of 8 bits are written as raw bytes, since NumPy lacks
// them: np.load(f).view(ml_dtypes.bfloat16) reads them. TensorFloat32 and Float8E5M3FNU, which no package of
// Python has, are errors.
//
// At most 2 MiB of the elements are in the program's memory at a time. A view on a GPU whose elements do not follow each other
// takes as much as lies between its first and its last element.
func (t *Tensor[E]) WriteTo(w io.Writer) (int64, error) {
	if err := t.usable(); err != nil {
		return 0, err
	}
	if w == nil {
		return 0, t.named(errors.New("WriteTo: the writer is nil"))
	}
	typ, ok := npy.Of(dtype.Of[E]())
	if !ok {
		return 0, t.named(fmt.Errorf("NumPy has no elements of %v: convert them to float32", dtype.Of[E]()))
	}
	view := t.arg.View
	h := npy.Header{Type: typ, Shape: view.Shape}
	if back := reversed(view); !view.IsRowMajor() && back.IsRowMajor() {
		h.Fortran, view = true, back
	}
	n, err := h.WriteTo(w)
	if err != nil {
		return n, err
	}
	out := &elementWriter[E]{tensor: t, w: w, n: n}
	err = out.write(view)
	return out.n, err
}

// reversed is a view with its axes in reverse order.
func reversed(v strided.View) strided.View {
	v = strided.View{Shape: slices.Clone(v.Shape), Strides: slices.Clone(v.Strides), Offset: v.Offset}
	slices.Reverse(v.Shape)
	slices.Reverse(v.Strides)
	return v
}

// elementWriter writes the elements of views of a tensor.
type elementWriter[E dtype.Elem] struct {
	tensor *Tensor[E]
	w      io.Writer
	n      int64
	buffer []E
}

// write writes the elements of a view in row-major order: all at once where they fit in a chunk, else in parts of the first
// axis.
func (w *elementWriter[E]) write(v strided.View) error {
	most := chunk / dtype.Of[E]().Size()
	if v.Len() == 0 {
		return w.tensor.Read(context.Background(), nil)
	}
	scattered := !v.IsRowMajor() && !w.tensor.arg.Memory.Mapped()
	if v.Len() <= most || scattered {
		return w.part(v)
	}
	axis := slices.IndexFunc(v.Shape, func(n int) bool { return n > 1 })
	step := max(most/(v.Len()/v.Shape[axis]), 1)
	for from := 0; from < v.Shape[axis]; from += step {
		part, err := v.Narrow(axis, from, min(from+step, v.Shape[axis]))
		if err != nil {
			return err
		}
		if err := w.write(part); err != nil {
			return err
		}
	}
	return nil
}

// part reads the elements of a view and writes them.
func (w *elementWriter[E]) part(v strided.View) error {
	part := &Tensor[E]{dev: w.tensor.dev, arg: core.Tensor{Memory: w.tensor.arg.Memory, View: v, Elem: w.tensor.arg.Elem}}
	if len(w.buffer) < v.Len() {
		room, err := part.elements()
		if err != nil {
			return err
		}
		w.buffer = room
	}
	data := w.buffer[:v.Len()]
	if err := part.Read(context.Background(), data); err != nil {
		return err
	}
	n, err := w.w.Write(bytesOf(data))
	w.n += int64(n)
	return err
}

// ReadTensor reads a .npy file, as numpy.save and [Tensor.WriteTo] write it, to a tensor of the shape in the file. It reads
// nothing behind the file's end, so that several files may follow each other.
//
// The element type of the file must be E. Raw bytes, which NumPy writes for bfloat16 and the floats of 8 bits, are taken
// as elements of E if NumPy lacks E and the sizes agree. An array in Fortran's order becomes a view with the axes in reverse
// order in memory; [Tensor.Contiguous] makes a row-major copy of it. Booleans other than 0 are true.
//
// At most 1 MiB of the elements is in the program's memory at a time. Memory of the device is allocated as the elements
// arrive, at most three times as much as they take: a header that merely claims a size allocates nothing of it.
func ReadTensor[E dtype.Elem](dev *Device, r io.Reader) (*Tensor[E], error) {
	if r == nil {
		return nil, errors.New("cutile: ReadTensor: the reader is nil")
	}
	if dev == nil || dev.core == nil {
		return nil, fmt.Errorf("cutile: tensor of %v: the device is nil", dtype.Of[E]())
	}
	file, err := npy.NewReader(r)
	if err != nil {
		return nil, err
	}
	if err := takes[E](file.Header.Type); err != nil {
		return nil, err
	}
	flat, err := readElements[E](dev, file)
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(file.Header.Shape)
	if file.Header.Fortran {
		slices.Reverse(shape)
	}
	view, err := strided.RowMajor(shape)
	if err != nil {
		flat.Close()
		return nil, fmt.Errorf("cutile: tensor of %v: %w", dtype.Of[E](), err)
	}
	if file.Header.Fortran {
		view = reversed(view)
	}
	flat.arg.View = view
	return flat, nil
}

// takes gives an error where elements of a file are none of E.
func takes[E dtype.Elem](found npy.Type) error {
	want := dtype.Of[E]()
	typ, ok := npy.Of(want)
	if raw := found == npy.Raw8 || found == npy.Raw16; ok && (typ == found || raw && typ.IsRaw() && typ.Size() == found.Size()) {
		return nil
	}
	return fmt.Errorf("cutile: ReadTensor[%v]: the file has elements of %v: read a Tensor of that type, or convert the array before it is saved", want, found)
}

// readElements reads the elements of a file to a tensor of one axis, which grows with them.
func readElements[E dtype.Elem](dev *Device, file *npy.Reader) (*Tensor[E], error) {
	total, room := file.Header.Len(), chunk/dtype.Of[E]().Size()
	t, err := NewTensor[E](dev, min(total, room))
	if err != nil {
		return nil, err
	}
	buffer := make([]E, min(total, room))
	for done := 0; done < total; {
		if done == t.Len() {
			if t, err = grown(t, min(total, 2*done)); err != nil {
				return nil, err
			}
		}
		part := buffer[:min(len(buffer), t.Len()-done)]
		if err := readPart(file, part); err != nil {
			t.Close()
			return nil, err
		}
		if err := t.Narrow(0, done, done+len(part)).Write(context.Background(), part); err != nil {
			t.Close()
			return nil, err
		}
		done += len(part)
	}
	return t, nil
}

// grown moves the elements of a tensor of one axis to one of n elements.
func grown[E dtype.Elem](t *Tensor[E], n int) (*Tensor[E], error) {
	defer t.Close()
	bigger, err := NewTensor[E](t.dev, n)
	if err != nil {
		return nil, err
	}
	if err := bigger.Narrow(0, 0, t.Len()).Copy(context.Background(), t); err != nil {
		bigger.Close()
		return nil, err
	}
	return bigger, nil
}

// readPart fills a slice with elements of a file.
func readPart[E dtype.Elem](file *npy.Reader, part []E) error {
	bytes := bytesOf(part)
	if _, err := io.ReadFull(file, bytes); err != nil {
		return err
	}
	if dtype.Of[E]() == dtype.Bool {
		for i, b := range bytes {
			bytes[i] = min(b, 1) // Go has no other booleans
		}
	}
	return nil
}
