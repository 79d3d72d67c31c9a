package eval_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/check"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/eval"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// everywhere are the targets that a word exists on unless its test says otherwise.
var everywhere = []string{"sm_80", "sm_90a", "sm_100a", "sm_120"}

// hopper are the targets with clusters and bulk copies.
var hopper = []string{"sm_90a", "sm_100a", "sm_120"}

// view is an argument that is a tensor: elements in a slice, at a static layout.
type view struct {
	data   any
	layout string
}

// line is a tensor of one mode.
func line(data any) view { return view{data, fmt.Sprintf("(%d):(1)", reflect.ValueOf(data).Len())} }

func (v view) arg() eval.Arg {
	return eval.TensorArg{Layout: dynLayout(v.layout), Align: 16}
}

// run evaluates a host function whose parameters are tensors with static layouts and float64 or int numbers, holds its
// module against the verifier and ptxas for each target, and runs it on the emulator: as it is, and with the kernels
// that are read back from PTX. Both must leave the same in the tensors. It gives what is printed at run time.
func run(t *testing.T, targets []string, fn any, args ...any) string {
	t.Helper()
	out := evaluate(t, fn, func(w *check.World) []eval.Arg { return argsOf(t, w, args) })
	back := out.Module
	for _, target := range targets {
		if err := simt.Verify(out.Module, target); err != nil {
			t.Fatalf("%s: %v\n%v", target, err, out.Module)
		}
		text, err := ptx.Write(out.Module, target)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		if back, err = ptx.Read(text); err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		ptxas(t, target, text)
	}
	once := image(t, args)
	printed := emulate(t, out.Module, out.Module, args, once)
	twice := image(t, args)
	emulate(t, out.Module, back, args, twice)
	for i := range once {
		if !bytes.Equal(once[i], twice[i]) {
			t.Errorf("argument %d differs between the module and what is read back from PTX", i)
		}
		if v, ok := args[i].(view); ok {
			if _, err := binary.Decode(once[i], binary.LittleEndian, v.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	if t.Failed() {
		t.Log(out.Module)
	}
	return printed
}

func argsOf(t *testing.T, w *check.World, args []any) (list []eval.Arg) {
	t.Helper()
	for _, a := range args {
		switch a := a.(type) {
		case view:
			list = append(list, a.arg())
		case int, float32, float64:
			list = append(list, eval.Dyn{})
		case eval.Arg:
			list = append(list, a)
		default:
			f, err := function(w, a)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: f}}})
		}
	}
	return list
}

// image is the bytes of each tensor.
func image(t *testing.T, args []any) [][]byte {
	t.Helper()
	out := make([][]byte, len(args))
	for i, a := range args {
		if v, ok := a.(view); ok {
			var err error
			if out[i], err = binary.Append(nil, binary.LittleEndian, v.data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out
}

// emulate runs the host function of one module and the kernels of another.
func emulate(t *testing.T, host, kernels *simt.Module, args []any, data [][]byte) string {
	t.Helper()
	var mem emu.Memory
	var bits []uint64
	for i, a := range args {
		switch a := a.(type) {
		case view:
			addr := uint64(i+1) << 32
			mem.Map(addr, data[i], "argument "+string(rune('0'+i)), false)
			bits = append(bits, addr)
		case int:
			bits = append(bits, uint64(a))
		case float32:
			bits = append(bits, uint64(math.Float32bits(a)))
		case float64:
			bits = append(bits, math.Float64bits(a))
		}
	}
	var printed strings.Builder
	h, err := emu.Load(host)
	if err != nil {
		t.Fatal(err)
	}
	k, err := emu.Load(kernels)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err = h.Host(ctx, bits, func(l *emu.HostLaunch) (uint64, error) {
		return 0, k.Run(ctx, emu.Launch{Kernel: l.Kernel, Grid: l.Grid, Shared: l.Shared, Args: l.Args, Memory: &mem, Stdout: &printed, Workers: 1, Races: true})
	}, io.Discard); err != nil {
		t.Fatalf("%v\n%v", err, kernels)
	}
	return printed.String()
}

// ptxas gives a text to NVIDIA's assembler where it is installed.
func ptxas(t *testing.T, target string, text []byte) {
	t.Helper()
	if tool := assembler(t); tool != "" {
		file := filepath.Join(t.TempDir(), "k.ptx")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(tool, "-arch", target, "-o", file+".cubin", file).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s\n%s", target, err, out, text)
		}
	}
}

// assembler is the path of ptxas: empty where it is missing, and not required, which leaves the emulator's part.
func assembler(t *testing.T) (path string) {
	if testenv.Required("ptxas") {
		return testenv.Tool(t, "ptxas")
	}
	t.Run("ptxas", func(t *testing.T) { path = testenv.Tool(t, "ptxas") })
	return path
}

// fails evaluates a host function that must be refused with a text.
func fails(t *testing.T, want string, fn any, args ...any) {
	t.Helper()
	_, err := tryEvaluate(fn, func(w *check.World) []eval.Arg { return argsOf(t, w, args) })
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("want a mistake with %q, got %v", want, err)
	}
}

// same compares two slices of numbers, bit by bit where tol is 0, else relative to the size of each number.
func same[T float32 | float64](t *testing.T, what string, got, want []T, tol float64) {
	t.Helper()
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			continue
		}
		if !(math.Abs(g-w) <= tol*max(1, math.Abs(w))) {
			t.Fatalf("%s[%d] = %v, want %v", what, i, g, w)
		}
	}
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s[%d] = %v, want %v", what, i, got[i], want[i])
			}
		}
	}
}

// fill makes n elements.
func fill[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// noise is n numbers in -1 to 1 that are exact in a type.
func noise(n int, seed uint64, d dtype.Type) []float64 {
	r := rand.New(rand.NewPCG(seed, 7))
	return fill(n, func(int) float64 { return d.FloatFromBits(d.FloatBits(2*r.Float64() - 1)) })
}

// bitsOf encodes numbers as 16-bit elements.
func bitsOf(d dtype.Type, xs []float64) []uint16 {
	return fill(len(xs), func(i int) uint16 { return uint16(d.FloatBits(xs[i])) })
}

// valuesOf decodes 16-bit elements.
func valuesOf(d dtype.Type, bits []uint16) []float64 {
	return fill(len(bits), func(i int) float64 { return d.FloatFromBits(uint64(bits[i])) })
}
