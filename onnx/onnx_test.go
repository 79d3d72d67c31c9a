package onnx_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/onnx"
)

// TestRefused: what is wrong with a model, and where.
func TestRefused(t *testing.T) {
	x, y := []message{infoProto("x", 1, -1, 4)}, []message{infoProto("y", 1)}
	one := func(n message, initializers ...message) []byte {
		return modelProto(graphProto{[]message{nodeProto("Abs", []string{"x"}, []string{"a"}), n}, initializers, x, y}, 18)
	}
	deep := message{}
	for range 300 {
		deep = message{}.bytes(1, message{}.bytes(5, message{}.bytes(6, deep)))
	}
	huge := make([]byte, 8)
	huge[4] = 0x7f
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"no message", "no ONNX model", []byte("\x0a\xff")},
		{"no graph", "it has no graph", message{}.number(1, 8)},
		{"too deep", "nested deeper", message{}.bytes(7, deep)},
		{"old", "version 6 of ONNX's operators, expected 7 to", modelProto(graphProto{nil, nil, x, y}, 6)},
		{"few elements", `initializer 0 "w": 4 bytes of elements, expected 4000000 for float32[1000 1000]`, one(nodeProto("Abs", []string{"w"}, []string{"y"}), tensorProto("w", 1, make([]byte, 4), 1000, 1000))},
		{"overflow", "more than 2147483647 elements", one(nodeProto("Abs", []string{"w"}, []string{"y"}), tensorProto("w", 1, nil, 1<<30, 1<<30, 1<<30))},
		{"negative", "axis 0 has extent -1", one(nodeProto("Abs", []string{"w"}, []string{"y"}), tensorProto("w", 1, nil, -1))},
		{"external", "read the model with ReadFile", one(nodeProto("Abs", []string{"w"}, []string{"y"}), externalProto("w", "w.bin", 4))},
		{"string", "element type string is not supported", one(nodeProto("Abs", []string{"w"}, []string{"y"}), tensorProto("w", 8, nil, 1))},
		{"operator", `node 1 "the Frob" (Frob): the operator Frob is not supported`, one(nodeProto("Frob", []string{"x"}, []string{"y"}))},
		{"attribute", `node 1 "the Relu" (Relu): the attribute "slope" is not supported`, one(nodeProto("Relu", []string{"x"}, []string{"y"}, attribute("slope", 2)))},
		{"attribute's type", `the attribute "axis" has type 1, expected 2`, one(nodeProto("Softmax", []string{"x"}, []string{"y"}, attribute("axis", 2.0)))},
		{"name", `node 1 "the Relu" (Relu): input 0 "q": no node before this one`, one(nodeProto("Relu", []string{"q"}, []string{"y"}))},
		{"twice", `there is a value of this name already`, one(nodeProto("Relu", []string{"x"}, []string{"a"}))},
		{"inputs", "1 inputs, expected 2", one(nodeProto("Add", []string{"x"}, []string{"y"}))},
		{"shapes", `(Add): add: the shapes of [float32[2 4] float32[3]] do not fit`, one(nodeProto("Add", []string{"x", "w"}, []string{"y"}), tensorProto("w", 1, make([]byte, 12), 3))},
		{"large", "more than 65536 elements", one(nodeProto("ConstantOfShape", []string{"w"}, []string{"y"}), tensorProto("w", 7, huge, 1))},
		{"dynamic", `the elements of input 1 "x" decide on shapes, but depend on inputs of the model`, one(nodeProto("Reshape", []string{"a", "x"}, []string{"y"}))},
		{"output", `no value "y"`, one(nodeProto("Relu", []string{"x"}, []string{"z"}))},
		{"index", "index 9 of input 1 is outside of 4 elements", one(nodeProto("Gather", []string{"x", "w"}, []string{"y"}, attribute("axis", 1)), tensorProto("w", 7, protowire.AppendFixed64(nil, 9), 1))},
	} {
		m, err := onnx.Parse(c.data)
		if err == nil {
			err = onnx.Build(t.Context(), m, open(t), 1<<16)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, expected one with %q", c.name, err, c.want)
		} else {
			plain(t, err.Error())
		}
	}
}

// externalProto is a TensorProto of one float32 in another file.
func externalProto(name, location string, length int) message {
	entry := func(key, value string) message { return message{}.text(1, key).text(2, value) }
	return message{}.number(1, 1).number(2, 1).text(8, name).bytes(13, entry("location", location)).bytes(13, entry("length", fmt.Sprint(length))).number(14, 1)
}

// TestExternal reads elements from files beside the model, and from nowhere else.
func TestExternal(t *testing.T) {
	model := func(location string, length int) []byte {
		g := graphProto{[]message{nodeProto("Add", []string{"x", "w"}, []string{"y"})}, []message{externalProto("w", location, length)}, []message{infoProto("x", 1, 2)}, []message{infoProto("y", 1)}}
		return modelProto(g, 18)
	}
	folder := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ten := protowire.AppendFixed32(nil, math.Float32bits(10))
	write("secret.bin", ten)
	write("m/w.bin", ten)
	write("m/short.bin", ten[:3])
	if err := os.Symlink("../secret.bin", filepath.Join(folder, "m/link.bin")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		location, want string
		length         int
	}{
		{"w.bin", "", 4}, {"./w.bin", "", 4}, {"../secret.bin", "leaves the model's folder", 4}, {filepath.Join(folder, "secret.bin"), "leaves the model's folder", 4},
		{"link.bin", "escapes", 4}, {"short.bin", "has 3 bytes, expected 4", 4}, {"w.bin", "8 bytes of file \"w.bin\", expected 4", 8}, {"none.bin", "no such file", 4}, {"", "is no path", 4},
	} {
		write("m/model.onnx", model(c.location, c.length))
		m, err := onnx.ReadFile(filepath.Join(folder, "m/model.onnx"))
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: the error is %v, expected one with %q", c.location, err, c.want)
			} else {
				plain(t, err.Error())
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.location, err)
			continue
		}
		sums(t, m)
	}
	m, err := onnx.ReadFS(fstest.MapFS{"d/model.onnx": {Data: model("w.bin", 4)}, "d/w.bin": {Data: ten}}, "d/model.onnx")
	if err != nil {
		t.Fatal(err)
	}
	sums(t, m)
}

// sums runs a model that adds 10.
func sums(t *testing.T, m *onnx.Model) {
	t.Helper()
	dev := open(t)
	s, err := m.Session(dev, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := device.FromSlice(dev, []float32{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Run(t.Context(), map[string]device.AnyTensor{"x": x})
	if err != nil {
		t.Fatal(err)
	}
	y, err := out["y"].(*device.Tensor[float32]).Slice()
	if err != nil || !slices.Equal(y, []float32{11, 12}) {
		t.Errorf("the sums are %v, %v", y, err)
	}
}

// TestShapes runs a model with several shapes from many goroutines, with fewer graphs kept than there are shapes.
func TestShapes(t *testing.T) {
	g := graphProto{[]message{nodeProto("Shape", []string{"x"}, []string{"s"}), nodeProto("Add", []string{"x", "x"}, []string{"d"}), nodeProto("Reshape", []string{"d", "flat"}, []string{"y"})},
		[]message{tensorProto("flat", 7, protowire.AppendFixed64(nil, math.MaxUint64), 1)}, []message{infoProto("x", 1, -1, 2)}, []message{infoProto("y", 1), infoProto("s", 7)}}
	m, err := onnx.Parse(modelProto(g, 18))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(m.Inputs(), m.Outputs(), m.Opset(), m.Operators()); got != "[x float [n 2]] [y float [] s int64 []] 18 [Add Reshape Shape]" {
		t.Errorf("the model is %s", got)
	}
	dev := open(t)
	s, err := m.Session(dev, &onnx.Options{Graphs: 2})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for k := range 6 {
				n := 1 + (i+k)%4
				data := make([]float32, 2*n)
				for j := range data {
					data[j] = float32(i*100 + j)
				}
				x, err := device.FromSlice(dev, data, n, 2)
				if err != nil {
					t.Error(err)
					return
				}
				out, err := s.Run(t.Context(), map[string]device.AnyTensor{"x": x})
				if err != nil {
					t.Error(err)
					return
				}
				y, err := out["y"].(*device.Tensor[float32]).Slice()
				shape, err2 := out["s"].(*device.Tensor[int64]).Slice()
				if err != nil || err2 != nil || len(y) != 2*n || y[2*n-1] != 2*data[2*n-1] || !slices.Equal(shape, []int64{int64(n), 2}) {
					t.Errorf("%v, %v for %v: %v %v", y, shape, data, err, err2)
				}
			}
		})
	}
	wg.Wait()
	three, _ := device.FromSlice(dev, []float32{1, 2, 3}, 1, 3)
	ints, _ := device.FromSlice(dev, []int32{1, 2}, 1, 2)
	far, _ := device.FromSlice(open(t), []float32{1, 2}, 1, 2)
	for _, c := range []struct {
		inputs map[string]device.AnyTensor
		want   string
	}{
		{map[string]device.AnyTensor{"x": far}, `input "x" is on another device than that of the session; they were opened as cpu and cpu (each call of Open makes a device)`},
		{nil, `input "x" is missing`},
		{map[string]device.AnyTensor{"x": three}, `input "x" has shape [1 3], expected x float [n 2]`},
		{map[string]device.AnyTensor{"x": ints}, `input "x" has elements of int32, expected elements of float`},
	} {
		if _, err := s.Run(t.Context(), c.inputs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, expected one with %q", err, c.want)
		}
	}
}

// TestOperators compares the list of operators in README.md.
func TestOperators(t *testing.T) {
	names := onnx.Operators()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Join(names, ", ")
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), list) {
		t.Errorf("README.md lacks the list of operators:\n%s", list)
	}
	if !strings.Contains(string(text), fmt.Sprintf("%d operators", len(names))) {
		t.Errorf("README.md lacks their number, %d", len(names))
	}
}
