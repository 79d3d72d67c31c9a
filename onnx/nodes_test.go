package onnx_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/onnx"
)

// TestNodes runs ONNX's own tests of operators, twice: as they are, and with all inputs known when the graph is built. No result
// may be wrong. What is not supported is listed with its reason (go test -v).
func TestNodes(t *testing.T) {
	folder := onnxFolder(t)
	dev := open(t)
	cases, err := filepath.Glob(filepath.Join(folder, "backend/test/data/node/*/model.onnx"))
	if err != nil || len(cases) == 0 {
		need(t, "onnx", fmt.Sprintf("%s has no tests of operators: the last release with them is 1.20", folder))
	}
	count := map[string]*[3]int{} // passed, failed, unsupported, by operator
	reasons := map[string][]string{}
	only := os.Getenv("ONNX_CASES") // a part of the names, for debugging
	for _, file := range cases {
		name := filepath.Base(filepath.Dir(file))
		if !strings.Contains(name, only) || strings.Contains(name, "_expanded") && testing.Short() {
			continue
		}
		for _, known := range []bool{false, true} {
			op, err := nodeCase(t.Context(), dev, file, known)
			if count[op] == nil {
				count[op] = new([3]int)
			}
			switch {
			case err == nil && disputed[name] == "":
				count[op][0]++
			case errors.As(err, new(wrong)) && disputed[name] != "":
				count[op][2]++
				reasons[name] = append(reasons[name], disputed[name])
			case err == nil:
				count[op][1]++
				t.Errorf("%s passes, but is listed as disputed", name)
			case errors.As(err, new(wrong)) || strings.Contains(err.Error(), "BUG:"):
				count[op][1]++
				t.Errorf("%s (known inputs: %v): %v", name, known, err)
			default:
				count[op][2]++
				reasons[name] = append(reasons[name], err.Error())
			}
		}
	}
	var total [3]int
	var table strings.Builder
	for _, op := range slices.Sorted(maps.Keys(count)) {
		n := count[op]
		fmt.Fprintf(&table, "%-28s %5d %5d %5d\n", op, n[0], n[1], n[2])
		for i := range total {
			total[i] += n[i]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("unsupported: %s: %s", name, strings.Join(slices.Compact(reasons[name]), " | "))
	}
	t.Logf("passed, failed, unsupported runs by operator of the first node:\n%s%-28s %5d %5d %5d", table.String(), "all", total[0], total[1], total[2])
}

// disputed are tests whose expected results are not those of the operator's definition. ONNX Runtime's are as ours.
var disputed = map[string]string{
	"test_l2normalization_axis_0":        "it expects 0/0; later releases of ONNX expect 0 for a norm of 0",
	"test_qlinearmatmul_2D_int8_float16": "it expects numbers that wrap around; the definition says that they saturate",
	"test_qlinearmatmul_2D_int8_float32": "it expects numbers that wrap around; the definition says that they saturate",
	"test_qlinearmatmul_3D_int8_float16": "it expects numbers that wrap around; the definition says that they saturate",
	"test_qlinearmatmul_3D_int8_float32": "it expects numbers that wrap around; the definition says that they saturate",
}

// rounded are tests whose expected results have errors of the size given here: they were computed in float32, of numbers up to 100.
var rounded = map[string]float64{"test_dft_inverse": 2e-5, "test_dft_inverse_opset19": 2e-5}

// drawn reports whether the results of a test are random numbers, of which only the type and the shape can be compared. TestChances
// tests their statistics.
func drawn(name string) bool { return strings.HasPrefix(name, "test_bernoulli") }

// wrong is a result that differs from what the test expects.
type wrong struct{ error }

// nodeCase runs a model with all its sets of inputs. It gives the operator that the model tests.
func nodeCase(ctx context.Context, dev *device.Device, file string, known bool) (op string, err error) {
	m, err := onnx.ReadFile(file)
	if err != nil {
		return "(file)", err
	}
	op = firstOperator(m)
	opts := &onnx.Options{}
	if known {
		for _, i := range m.Inputs() {
			opts.Known = append(opts.Known, i.Name)
		}
	}
	s, err := m.Session(dev, opts)
	if err != nil {
		return op, err
	}
	sets, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "test_data_set_*"))
	for _, set := range sets {
		inputs := map[string]device.AnyTensor{}
		for i, in := range m.Inputs() {
			if in.Elem == dtype.Invalid {
				return op, fmt.Errorf("input %v is not supported", in)
			}
			a, err := readArray(filepath.Join(set, fmt.Sprintf("input_%d.pb", i)))
			if err != nil {
				return op, err
			}
			if inputs[in.Name], err = a.tensor(dev); err != nil {
				return op, err
			}
		}
		out, err := s.Run(ctx, inputs)
		if err != nil {
			return op, err
		}
		for i, o := range m.Outputs() {
			if out[o.Name] == nil {
				return op, fmt.Errorf("output %v is not supported", o)
			}
			want, err := readArray(filepath.Join(set, fmt.Sprintf("output_%d.pb", i)))
			if err != nil {
				return op, err
			}
			got, err := arrayOf(out[o.Name])
			if err != nil {
				return op, err
			}
			name := filepath.Base(filepath.Dir(file))
			if drawn(name) {
				want.data = got.data
			}
			if err := want.compare(got, 1e-3, max(1e-7, rounded[name])); err != nil {
				return op, wrong{fmt.Errorf("output %s: %w", o.Name, err)}
			}
		}
	}
	return op, nil
}

func firstOperator(m *onnx.Model) string {
	names := m.Operators()
	if len(names) == 1 {
		return names[0]
	}
	return "(several)"
}
