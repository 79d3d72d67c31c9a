package mutants

import (
	"context"
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
	"github.com/cutile-go/cutile/internal/simt/run"
)

// example runs an example with options and gives what it wrote.
type example struct {
	name string
	run  func(dev *cutile.Device, o cute.Options) ([]float32, error)
}

// matrix makes a matrix of small numbers that are exact in every type.
func matrix(dev *cutile.Device, seed, m, n int) cute.Tensor[float32] {
	data := make([]float32, m*n)
	for i := range data {
		data[i] = float32((i*i+seed*i+7*seed)%17-8) / 8
	}
	x, err := cutile.FromSlice(dev, data, m, n)
	if err != nil {
		panic(err)
	}
	return cute.Of[float32](x)
}

// out makes a matrix for results.
func out(dev *cutile.Device, m, n int) (*cutile.Tensor[float32], cute.Tensor[float32]) {
	x, err := cutile.NewTensor[float32](dev, m, n)
	if err != nil {
		panic(err)
	}
	return x, cute.Of[float32](x)
}

// called runs what Jit made and reads the result.
func called(f any, z *cutile.Tensor[float32], o cute.Options, args ...any) ([]float32, error) {
	e, err := cute.Compile(f, append(args, o)...)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	var dynamic []any
	pruned := map[string]bool{}
	for _, p := range e.Pruned() {
		pruned[p.Name] = true
	}
	for _, a := range args {
		if _, ok := a.(cute.Tensor[float32]); ok {
			dynamic = append(dynamic, a)
		}
	}
	if _, err := e.Run(dynamic...); err != nil {
		return nil, err
	}
	return z.Slice()
}

var examples = []example{
	{"elementwise", func(dev *cutile.Device, o cute.Options) ([]float32, error) {
		z, c := out(dev, 17, 140)
		return called(elementwise.Add, z, o, matrix(dev, 1, 17, 140), matrix(dev, 2, 17, 140), c, elementwise.ReLU)
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

// runMutant runs an example with a broken kernel. It gives what was done, "" where nothing could be.
func runMutant(e example, op operator, n int) (did string, got []float32, err error) {
	stage := strings.ReplaceAll(fmt.Sprintf("%s/%s/%d", e.name, op.name, n), " ", "-")
	run.AddStage(stage, func(m *simt.Module) error {
		for _, k := range m.Kernels {
			if did = op.change(k, n); did != "" {
				return nil
			}
		}
		return nil
	})
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		return "", nil, err
	}
	defer dev.Close()
	done := make(chan struct{})
	go func() {
		got, err = e.run(dev, cute.Options{Pipeline: "verify,optimise," + stage, Output: nowhere{}})
		close(done)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	select {
	case <-done:
	case <-ctx.Done():
		return did, nil, ctx.Err()
	}
	return did, got, err
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// perOperator is how many places of an operator are tried.
const perOperator = 3

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			dev, err := cutile.Open("cpu", cutile.WithChecks())
			if err != nil {
				t.Fatal(err)
			}
			defer dev.Close()
			want, err := e.run(dev, cute.Options{})
			if err != nil {
				t.Fatal(err)
			}
			killed := 0
			for _, op := range operators {
				for n := range perOperator {
					did, got, err := runMutant(e, op, n)
					if did == "" {
						if err != nil {
							t.Fatal(err)
						}
						break
					}
					if err == nil && slices.EqualFunc(got, want, sameBits) {
						t.Errorf("survived: %s", did)
						continue
					}
					killed++
					t.Logf("%s: %.150v", did, err)
				}
			}
			t.Logf("%d noticed", killed)
		})
	}
}

func sameBits(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }
