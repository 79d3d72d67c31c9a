package spirv_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/probe"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
)

// TestHard has each operation on floats round many numbers that are hard to round, in each form, beside what package vec says.
func TestHard(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range writer.Numerics() {
		for _, f := range forms {
			if f.change == nil && n.Soft() {
				continue // the other form is the same
			}
			t.Run(fmt.Sprintf("%v %s", n, f.name), func(t *testing.T) {
				for _, in := range probe.Instructions(n) {
					hard(t, in, runner(d, s.(*vulkan.Stream), f.change))
				}
			})
		}
	}
}

func hard(t *testing.T, in vec.Instr, run func(t testing.TB, b *ir.Builder, data []byte)) {
	blocks := 400
	if testing.Short() {
		blocks = 40
	}
	b := ir.NewBuilder("k", 64, []vec.Type{vec.I64})
	n := b.Do(vec.Add, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 6, b.Special(ir.BlockID, vec.I32, 0)), b.Special(ir.Thread, vec.I32, 0))
	at := b.Do(vec.Add, vec.I64, b.Param(0), b.Convert(vec.ZeroExtend, vec.I64, vec.I32, b.DoImm(vec.ShlImm, vec.I32, 5, n)))
	probe.Case(b, in, at, 0)
	r, data := rand.New(rand.NewPCG(uint64(in.Op)<<8|uint64(in.Type), uint64(in.From)<<8|uint64(in.Imm))), make([]byte, stride*64*blocks)
	var x [3]uint64
	for k := range len(data) / stride {
		x = probe.Operands(r, &in)
		for i, v := range x {
			binary.LittleEndian.PutUint64(data[stride*k+8*i:], v)
		}
	}
	run(t, b, data)
	wrong := 0
	for k := range len(data) / stride {
		for i := range x {
			x[i] = binary.LittleEndian.Uint64(data[stride*k+8*i:])
		}
		if got, want := binary.LittleEndian.Uint64(data[stride*k+24:]), probe.Want(&in, x); !probe.Same(&in, got, want) {
			if wrong++; wrong < 4 {
				t.Errorf("%v %v %v %v #%d of %#x: got %#x, want %#x", in.Op, in.Type, in.From, in.Cond, in.Imm, x, got, want)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d wrong", wrong, len(data)/stride)
	}
}

// TestOperands: the operands of the probe meet what is hard: ties, results that are subnormal, infinite or NaN, and both zeros.
func TestOperands(t *testing.T) {
	in := vec.Instr{Op: vec.FMulAdd, Type: vec.F32}
	r, seen := rand.New(rand.NewPCG(1, 2)), map[string]int{}
	for range 20000 {
		x := probe.Operands(r, &in)
		f := math.Float32frombits(uint32(probe.Want(&in, x)))
		switch {
		case f != f:
			seen["NaN"]++
		case math.IsInf(float64(f), 0):
			seen["infinite"]++
		case f == 0 && math.Signbit(float64(f)):
			seen["-0"]++
		case f == 0:
			seen["0"]++
		case math.Abs(float64(f)) < 0x1p-126:
			seen["subnormal"]++
		}
		a, b, c := float64(math.Float32frombits(uint32(x[0]))), float64(math.Float32frombits(uint32(x[1]))), float64(math.Float32frombits(uint32(x[2])))
		if s := math.FMA(a, b, c); math.Float64bits(s)&(1<<29-1) == 1<<28 {
			seen["tie"]++
		}
	}
	for _, what := range []string{"NaN", "infinite", "-0", "0", "subnormal", "tie"} {
		if seen[what] < 20 {
			t.Errorf("%s: %d times", what, seen[what])
		}
	}
}
