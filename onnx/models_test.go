package onnx_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx"
)

// modelCase is a set of inputs of a model, and what ONNX Runtime makes of it: testdata/reference.py writes them.
type modelCase struct {
	Model      string
	File       string
	Known      []string
	RTol, ATol float64
	Inputs     map[string]savedArray
	Outputs    map[string]savedArray
	Times      map[string]float64 // milliseconds of a run of ONNX Runtime, by its number of threads
}

// savedArray is an array in a file of its own.
type savedArray struct {
	File  string
	Elem  string
	Shape []int
}

var elemNamed = map[string]dtype.Type{"float32": dtype.F32, "int64": dtype.I64, "int32": dtype.I32, "bool": dtype.Bool, "float64": dtype.F64, "uint8": dtype.U8, "int8": dtype.I8}

func (s savedArray) load(folder string) (*array, error) {
	data, err := os.ReadFile(filepath.Join(folder, s.File))
	return &array{elemNamed[s.Elem], s.Shape, data}, err
}

// reference runs the models that pip installs with ONNX Runtime.
func reference(t testing.TB) (folder string, cases []modelCase) {
	t.Helper()
	if folder = os.Getenv("CUTILE_ONNX_REFERENCE"); folder == "" { // where an earlier call of reference.py has written
		folder = t.TempDir()
		out, err := exec.Command(python(), "testdata/reference.py", folder).CombinedOutput()
		if err != nil {
			need(t, "models", fmt.Sprintf("testdata/reference.py: %v\n%s", err, out))
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	return folder, cases
}

// session opens the model of a case and its inputs.
func (c *modelCase) session(dev *device.Device, folder string) (*onnx.Session, map[string]device.AnyTensor, error) {
	m, err := onnx.ReadFile(c.File)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.Session(dev, &onnx.Options{Known: c.Known})
	if err != nil {
		return nil, nil, err
	}
	inputs := map[string]device.AnyTensor{}
	for name, saved := range c.Inputs {
		a, err := saved.load(folder)
		if err != nil {
			return nil, nil, err
		}
		if inputs[name], err = a.tensor(dev); err != nil {
			return nil, nil, err
		}
	}
	return s, inputs, nil
}

// TestModels compares models that pip installs with ONNX Runtime.
func TestModels(t *testing.T) {
	folder, cases := reference(t)
	dev := open(t)
	for i, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Model, i), func(t *testing.T) {
			s, inputs, err := c.session(dev, folder)
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.Run(t.Context(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			for name, saved := range c.Outputs {
				want, err := saved.load(folder)
				if err != nil {
					t.Fatal(err)
				}
				got, err := arrayOf(out[name])
				if err != nil {
					t.Fatal(err)
				}
				if err := want.compare(got, c.RTol, c.ATol); err != nil {
					t.Errorf("output %s: %v", name, err)
				}
			}
		})
	}
}

// BenchmarkModels prints how long a run takes beside ONNX Runtime with 1 and 2 threads: ratios above 1 are slower than it.
func BenchmarkModels(b *testing.B) {
	folder, cases := reference(b)
	dev := open(b)
	for i, c := range cases {
		b.Run(fmt.Sprintf("%s/%d", c.Model, i), func(b *testing.B) {
			s, inputs, err := c.session(dev, folder)
			if err != nil {
				b.Skip(err)
			}
			if _, err := s.Run(b.Context(), inputs); err != nil { // it compiles the graph
				b.Fatal(err)
			}
			for b.Loop() {
				out, err := s.Run(b.Context(), inputs)
				if err != nil {
					b.Fatal(err)
				}
				for _, t := range out {
					if _, err := arrayOf(t); err != nil {
						b.Fatal(err)
					}
				}
			}
			ms := float64(b.Elapsed().Nanoseconds()) / 1e6 / float64(b.N)
			for threads, their := range c.Times {
				b.ReportMetric(ms/their, "/ort"+threads)
			}
		})
	}
}
