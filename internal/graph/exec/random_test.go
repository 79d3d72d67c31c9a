package exec_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/exec"
	"github.com/cutile-go/cutile/internal/testing/graphtest"
	_ "github.com/cutile-go/cutile/internal/testing/levels"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestRandom compares random graphs with the definitions of their operations. GRAPHFUZZ_GRAPHS says how many, GRAPHFUZZ_SEED
// with which seed to begin.
func TestRandom(t *testing.T) {
	dev, err := device.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	many := 300
	if testenv.Few() {
		many = 30
	}
	count, seed := number(t, "GRAPHFUZZ_GRAPHS", many), number(t, "GRAPHFUZZ_SEED", 1)
	failed := 0
	for i := range count {
		// Small tiles make loops of what is one tile otherwise.
		sizes := emit.DefaultSizes
		if n := seed + i; n%2 == 1 {
			sizes = emit.Sizes{Map: 16, Fold: 64, Row: 16, Dot: 8, Keys: 4}
		}
		if err := compare(t, dev, uint64(seed+i), sizes); err != nil {
			t.Errorf("GRAPHFUZZ_SEED=%d: %v", seed+i, err)
			if failed++; failed == 5 {
				t.FailNow()
			}
		}
	}
}

func number(t *testing.T, name string, otherwise int) int {
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// compare runs a random graph.
func compare(t *testing.T, dev *device.Device, seed uint64, sizes emit.Sizes) (err error) {
	c := graphtest.Random(seed)
	if c.Scale > 1e4 {
		return nil
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic %v in\n%v", r, c)
			if os.Getenv("GRAPHFUZZ_GRAPHS") == "1" {
				panic(r)
			}
		}
	}()
	prog, err := exec.Compile(t.Context(), dev.Internal(), c.Params, c.Results, sizes)
	if err != nil {
		return fmt.Errorf("%w in\n%v", err, c)
	}
	defer prog.Close()
	args := make([]*core.Tensor, len(c.Args))
	for i, a := range c.Args {
		if args[i], err = upload(dev, a); err != nil {
			return err
		}
		defer args[i].Memory.Close()
	}
	out, err := prog.Run(t.Context(), dev.Internal().Main(), args)
	if err != nil {
		return fmt.Errorf("%w in\n%v", err, c)
	}
	for i, w := range c.Want {
		defer out[i].Memory.Close()
		data := make([]byte, len(w.Bytes()))
		if err := out[i].Memory.Read(t.Context(), data, 0); err != nil {
			return fmt.Errorf("%w in\n%v%v", err, c, prog.Plan)
		}
		if text := w.Differs(data, c.Tolerance(c.Results[i])); text != "" {
			return fmt.Errorf("result %d: %s in\n%v%v", i, text, c, prog.Plan)
		}
	}
	return nil
}

func upload(dev *device.Device, a *graphtest.Array) (*core.Tensor, error) {
	data := a.Bytes()
	mem, err := dev.Internal().Alloc(int64(len(data)))
	if err != nil {
		return nil, err
	}
	view, err := strided.RowMajor(a.Shape)
	if err != nil {
		return nil, err
	}
	return &core.Tensor{Memory: mem, View: view, Elem: a.Elem}, mem.Write(data, 0)
}
