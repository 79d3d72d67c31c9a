package onnx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx"
	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// need skips a test because something is missing, or fails it if CUTILE_REQUIRE lists the word.
func need(t testing.TB, word, why string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("CUTILE_REQUIRE"), ","), word) {
		t.Fatalf("CUTILE_REQUIRE lists %s, but %s", word, why)
	}
	t.Skip(why)
}

// python is the interpreter whose packages the tests use.
func python() string {
	if p := os.Getenv("CUTILE_ONNX_PYTHON"); p != "" {
		return p
	}
	return "python3"
}

// onnxFolder finds the folder of Python's package onnx: in an environment variable, or where Python has it.
func onnxFolder(t testing.TB) string {
	t.Helper()
	if f := os.Getenv("CUTILE_ONNX"); f != "" {
		return f
	}
	out, err := exec.Command(python(), "-c", "import onnx, os; print(os.path.dirname(onnx.__file__))").Output()
	if err != nil {
		need(t, "onnx", "there is no Python package onnx: pip install onnx==1.20.0")
	}
	return strings.TrimSpace(string(out))
}

func open(t testing.TB) *device.Device {
	t.Helper()
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// array is an array in host memory, its elements little-endian.
type array struct {
	elem  dtype.Type
	shape []int
	data  []byte
}

// readArray reads a TensorProto, as a model whose only node makes it would.
func readArray(file string) (*array, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	t, err := wire.DecodeTensor(data)
	if err != nil {
		return nil, err
	}
	elem, shape, data, err := onnx.TensorOf(t)
	if err != nil {
		return nil, err
	}
	return &array{elem, shape, data}, nil
}

// kinds make tensors of arrays and arrays of tensors.
var kinds = map[dtype.Type]struct {
	to   func(dev *device.Device, a *array) (device.AnyTensor, error)
	from func(t device.AnyTensor) ([]byte, error)
}{
	dtype.Bool: {to[bool], fromTensor[bool]}, dtype.I8: {to[int8], fromTensor[int8]}, dtype.I16: {to[int16], fromTensor[int16]},
	dtype.I32: {to[int32], fromTensor[int32]}, dtype.I64: {to[int64], fromTensor[int64]}, dtype.U8: {to[uint8], fromTensor[uint8]},
	dtype.U16: {to[uint16], fromTensor[uint16]}, dtype.U32: {to[uint32], fromTensor[uint32]}, dtype.U64: {to[uint64], fromTensor[uint64]},
	dtype.F16: {to[dtype.Float16], fromTensor[dtype.Float16]}, dtype.BF16: {to[dtype.BFloat16], fromTensor[dtype.BFloat16]},
	dtype.F32: {to[float32], fromTensor[float32]}, dtype.F64: {to[float64], fromTensor[float64]},
	dtype.F8E4M3FN: {to[dtype.Float8E4M3FN], fromTensor[dtype.Float8E4M3FN]}, dtype.F8E5M2: {to[dtype.Float8E5M2], fromTensor[dtype.Float8E5M2]},
}

func to[E dtype.Elem](dev *device.Device, a *array) (device.AnyTensor, error) {
	elems := make([]E, len(a.data)/a.elem.Size())
	if _, err := binary.Decode(a.data, binary.LittleEndian, elems); err != nil {
		return nil, err
	}
	t, err := device.FromSlice(dev, elems, a.shape...)
	if err != nil {
		return nil, err
	}
	if len(a.shape) == 0 { // without a shape FromSlice makes one axis
		return t.Reshape(), nil
	}
	return t, nil
}

func fromTensor[E dtype.Elem](t device.AnyTensor) ([]byte, error) {
	elems, err := t.(*device.Tensor[E]).Slice()
	if err != nil {
		return nil, err
	}
	return binary.Append(nil, binary.LittleEndian, elems)
}

func (a *array) tensor(dev *device.Device) (device.AnyTensor, error) {
	return kinds[a.elem].to(dev, a)
}

func arrayOf(t device.AnyTensor) (*array, error) {
	data, err := kinds[t.DType()].from(t)
	return &array{t.DType(), t.Shape(), data}, err
}

// at gives an element: as a float64, and its bits.
func (a *array) at(i int) (float64, uint64) {
	n := a.elem.Size()
	var b [8]byte
	copy(b[:], a.data[i*n:(i+1)*n])
	bits := binary.LittleEndian.Uint64(b[:])
	if a.elem.IsFloat() {
		return a.elem.FloatFromBits(bits), bits
	}
	return float64(bits), bits
}

// compare reports the first element that differs: floats by more than atol + rtol·|wanted|, others at all.
func (a *array) compare(got *array, rtol, atol float64) error {
	if got.elem != a.elem || !slices.Equal(got.shape, a.shape) {
		return fmt.Errorf("the result is %v%v, expected %v%v", got.elem, got.shape, a.elem, a.shape)
	}
	if len(got.data) != len(a.data) {
		return fmt.Errorf("%d bytes, expected %d", len(got.data), len(a.data))
	}
	for i := range len(a.data) / a.elem.Size() {
		x, xb := got.at(i)
		y, yb := a.at(i)
		same := xb == yb
		if a.elem.IsFloat() {
			same = same || x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= atol+rtol*math.Abs(y)
		}
		if !same {
			return fmt.Errorf("element %d of %v%v is %v, expected %v", i, a.elem, a.shape, x, y)
		}
	}
	return nil
}
