package mutants

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/examples/cute/sgemm"
	"github.com/cutile-go/cutile/examples/cute/transpose"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/simt/run"
)

// example runs an example with options and gives what it wrote.
type example struct {
	name string
	run  func(dev *cutile.Device, o cute.Options) ([]float32, error)
}

// beside is the columns of a buffer behind those of the matrix in it: who reads or writes them is noticed.
const beside = 3

// matrix makes a matrix of small numbers that are exact in every type, with large ones beside it.
func matrix(dev *cutile.Device, seed, m, n int) cute.Tensor[float32] {
	data := make([]float32, m*(n+beside))
	for i := range data {
		data[i] = float32((i*i+seed*i+7*seed)%17-8) / 8
		if i%(n+beside) >= n {
			data[i] = 1000
		}
	}
	x, err := cutile.FromSlice(dev, data, m, n+beside)
	if err != nil {
		panic(err)
	}
	return cute.Of[float32](x.Narrow(1, 0, n))
}

// out makes a matrix for results, and the buffer that it is in.
func out(dev *cutile.Device, m, n int) (*cutile.Tensor[float32], cute.Tensor[float32]) {
	x, err := cutile.NewTensor[float32](dev, m, n+beside)
	if err != nil {
		panic(err)
	}
	return x, cute.Of[float32](x.Narrow(1, 0, n))
}

// endless is how long a kernel may take that runs for milliseconds where it is right.
const endless = 3 * time.Second

// called runs what Jit made and reads the result.
func called(f any, z *cutile.Tensor[float32], o cute.Options, args ...any) ([]float32, error) {
	e, err := cute.Compile(f, append(args, o)...)
	if err != nil {
		return nil, err
	}
	var dynamic []any
	for _, a := range args {
		if _, ok := a.(cute.Tensor[float32]); ok {
			dynamic = append(dynamic, a)
		}
	}
	if _, err := e.Run(dynamic...); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), endless)
	defer cancel()
	if err := z.Device().Sync(ctx); err != nil {
		return nil, err
	}
	got, err := z.Slice()
	return got, errors.Join(err, e.Close()) // not where it is endless, which the device ends
}

var examples = []example{
	{"elementwise", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 19, 139)
		return called(elementwise.Add, z, o, matrix(dev, 1, 19, 139), matrix(dev, 2, 19, 139), c, elementwise.ReLU)
	}},
	{"sgemm", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 70, 66)
		return called(sgemm.Run, z, o, sgemm.Default, matrix(dev, 1, 70, 40), matrix(dev, 2, 66, 40), c, sgemm.Identity)
	}},
	{"transpose", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 40, 70)
		return called(transpose.Transpose, z, o, matrix(dev, 1, 70, 40), c)
	}},
}

// broken runs an example after a change to its module.
func broken(e example, stage string, change func(*simt.Module) error) ([]float32, error) {
	stage = strings.ReplaceAll(e.name+"/"+stage, " ", "-")
	run.AddStage(stage, change)
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	return e.run(dev, cute.Options{Pipeline: "verify,optimise," + stage, Output: nowhere{}})
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// perOperator is how many places of an operator are tried.
const perOperator = 3

// right gives an example's results where nothing is broken.
func right(t *testing.T, e example) []float32 {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	want, err := e.run(dev, cute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// TestExamples: whatever is broken in an example's kernels is noticed.
func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			want, noticed := right(t, e), 0
			for _, op := range operators {
				for n := range perOperator {
					did := ""
					got, err := broken(e, fmt.Sprint(op.name, n), func(m *simt.Module) error {
						for i := 0; i < len(m.Kernels) && did == ""; i++ {
							did = op.change(m.Kernels[i], n)
						}
						return nil
					})
					switch {
					case did == "" && err != nil:
						t.Fatal(err)
					case did == "":
					case err == nil && slices.EqualFunc(got, want, sameBits):
						t.Errorf("survived: %s", did)
					default:
						noticed++
					}
				}
			}
			if noticed < 10 {
				t.Errorf("only %d mutants", noticed)
			}
		})
	}
}

// TestWriter: whatever is broken in the PTX of the examples is noticed where it is read back and run.
func TestWriter(t *testing.T) {
	used := map[string]bool{}
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			want := right(t, e)
			for _, op := range textOperators {
				did := ""
				got, err := broken(e, "text "+op.name, func(m *simt.Module) error {
					text, err := ptx.Write(m, "sm_90a")
					if err != nil {
						return err
					}
					was := string(text)
					now := op.change(was)
					if now == was {
						return nil
					}
					did = op.name
					return readInto(m, []byte(now))
				})
				switch {
				case did == "" && err != nil:
					t.Fatal(err)
				case did == "":
				case err == nil && slices.EqualFunc(got, want, sameBits):
					t.Errorf("survived: %s", did)
				default:
					used[did] = true
				}
			}
		})
	}
	for _, op := range textOperators {
		if !used[op.name] {
			t.Errorf("%s changed nothing", op.name)
		}
	}
}

// readInto replaces the kernels of a module by those of a text.
func readInto(m *simt.Module, text []byte) error {
	back, err := ptx.Read(text)
	if err != nil {
		return err
	}
	if len(back.Kernels) != len(m.Kernels) {
		return errors.New("kernels are missing")
	}
	for i, k := range m.Kernels {
		back.Kernels[i].Shared = k.Shared
	}
	m.Kernels = back.Kernels
	return simt.Verify(m, "sm_90a")
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
