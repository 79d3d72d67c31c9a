package eval_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"go/constant"
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
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// everywhere are the targets that a word exists on unless its test says otherwise.
var everywhere = []string{"sm_80", "sm_90a", "sm_100a", "sm_120"}

// turing are these targets and the one before them, which lacks asynchronous copies, bf16, and minima that keep NaN.
var turing = append([]string{"sm_75"}, everywhere...)

// hopper are the targets with clusters and bulk copies.
var hopper = []string{"sm_90a", "sm_100a", "sm_120"}

// view is an argument that is a tensor: elements in a slice, at a static layout.
type view struct {
	data   any
	layout string
}

// constexpr is an argument that is a known integer.
type constexpr int

// line is a tensor of one mode.
func line(data any) view { return view{data, fmt.Sprintf("(%d):(1)", reflect.ValueOf(data).Len())} }

func (v view) arg() eval.Arg {
	return eval.TensorArg{Layout: dynLayout(v.layout), Align: 16}
}

// run evaluates a host function, holds its module against the verifier for each target, and runs it on the emulator. Then
// it shortens the module, has ptxas check its text for each target, and runs the kernels that are read back from that text.
// Both must leave the same in the tensors, where they are found afterwards. It gives what is printed at run time.
func run(t *testing.T, targets []string, fn any, args ...any) string {
	t.Helper()
	m := evaluateOn(t, fn, args...).Module
	for _, target := range targets {
		if err := simt.Verify(m, target); err != nil {
			t.Fatalf("%s: %v\n%v", target, err, m)
		}
	}
	once, twice := image(t, args), image(t, args)
	printed := emulate(t, m, m, args, once)
	opt.Module(t.Context(), m)
	var text []byte
	for _, target := range targets {
		var err error
		if err = simt.Verify(m, target); err != nil {
			t.Fatalf("%s, shortened: %v\n%v", target, err, m)
		}
		if text, err = ptx.Write(m, target); err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		ptxas(t, target, text)
	}
	back, err := ptx.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	emulate(t, m, back, args, twice)
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
	return printed
}

// evaluateOn evaluates a host function on arguments as run takes them.
func evaluateOn(t *testing.T, fn any, args ...any) *eval.Output {
	t.Helper()
	out, err := tryOn(fn, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func tryOn(fn any, args ...any) (*eval.Output, error) {
	var fns []any
	for _, a := range args {
		if reflect.TypeOf(a).Kind() == reflect.Func {
			fns = append(fns, a)
		}
	}
	return tryWith(fn, fns, func(_ *world.World, bound []*world.Function) (list []eval.Arg) {
		for _, a := range args {
			switch a := a.(type) {
			case view:
				list = append(list, a.arg())
			case constexpr:
				list = append(list, eval.StructArg{Fields: []eval.Arg{eval.Known{V: constant.MakeInt64(int64(a))}}})
			case bool:
				list = append(list, eval.StructArg{Fields: []eval.Arg{eval.Known{V: constant.MakeBool(a)}}})
			case int, float32, float64, tensorMap:
				list = append(list, eval.Dyn{})
			default:
				list = append(list, eval.StructArg{Fields: []eval.Arg{eval.Fn{F: bound[0]}}})
				bound = bound[1:]
			}
		}
		return list
	})
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
		case tensorMap:
			addr := uint64(i+1) << 32
			raw, err := (*emu.TensorMap)(&a).Encode()
			if err != nil {
				t.Fatal(err)
			}
			mem.Map(addr, raw, "tensor map", true)
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
	_, err := tryOn(fn, args...)
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
