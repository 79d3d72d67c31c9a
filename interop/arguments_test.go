package interop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/interop"
)

// echo is a kernel that copies its parameters to the tensor of the last one, each from a multiple of 8 bytes on.
func echo(params []string, sizes []int) string {
	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry echo(\n")
	for i, p := range params {
		fmt.Fprintf(&b, "\t.param %s,\n", strings.Replace(p, "NAME", fmt.Sprint("p", i), 1))
	}
	b.WriteString("\t.param .u64 out)\n{\n\t.reg .u64 to;\n\t.reg .b16 v;\n\tld.param.u64 to, [out];\n")
	at := 0
	for i, n := range sizes {
		for j := range n {
			fmt.Fprintf(&b, "\tld.param.u8 v, [p%d+%d];\n\tst.global.u8 [to+%d], v;\n", i, j, at+j)
		}
		at += (n + 7) / 8 * 8
	}
	b.WriteString("\tret;\n}\n")
	return b.String()
}

// memory gives the bytes of a value as they lie in Go's memory: on machines of 64 bits those of C, but for what fills the gaps.
func memory(x any) []byte {
	v := reflect.New(reflect.TypeOf(x))
	v.Elem().Set(reflect.ValueOf(x))
	return bytes.Clone(unsafe.Slice((*byte)(v.UnsafePointer()), v.Type().Elem().Size()))
}

type inner struct {
	A int8
	B int16
	C [3]uint8
}

type outer struct {
	X float32
	Y inner
	Z [2]inner
	W int64
	_ [4]byte
	V bool
}

// argument is a random value and a parameter that takes it.
func argument(r *rand.Rand) (x any, param string) {
	bits := r.Uint64()
	switch r.IntN(14) {
	case 0:
		return int8(bits), ".s8 NAME"
	case 1:
		return uint8(bits), ".b8 NAME"
	case 2:
		return bits%2 == 0, ".u8 NAME"
	case 3:
		return int16(bits), ".u16 NAME"
	case 4:
		return dtype.Float16(bits), ".align 2 .b8 NAME[2]"
	case 5:
		return dtype.BFloat16(bits), ".b16 NAME"
	case 6:
		return int32(bits), ".s32 NAME"
	case 7:
		return math.Float32frombits(uint32(bits) &^ (1 << 23)), ".f32 NAME"
	case 8:
		return int(bits), ".s64 NAME"
	case 9:
		return math.Float64frombits(bits &^ (1 << 52)), ".f64 NAME"
	case 10:
		return uintptr(bits), ".u64 NAME"
	case 11:
		return [3]float32{float32(r.IntN(100)), 2, 3}, ".align 4 .b8 NAME[12]"
	case 12:
		return inner{int8(bits), int16(bits >> 8), [3]uint8{1, 2, uint8(bits >> 30)}}, fmt.Sprintf(".align 2 .b8 NAME[%d]", unsafe.Sizeof(inner{}))
	}
	return outer{X: 2, Y: inner{B: int16(bits)}, Z: [2]inner{{A: 1}, {C: [3]uint8{7, 8, 9}}}, W: int64(bits), V: bits%2 == 0},
		fmt.Sprintf(".align 8 .b8 NAME[%d]", unsafe.Sizeof(outer{}))
}

// TestRandomArguments: kernels with random parameters find the bytes that Go's memory has.
func TestRandomArguments(t *testing.T) {
	gpu, _ := onGPU(t)
	for name, dev := range map[string]*cutile.Device{"cpu": onCPU(t), "cuda": gpu} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 6))
			for range 40 {
				var args []any
				var params []string
				var sizes []int
				var want []byte
				for range r.IntN(9) {
					x, p := argument(r)
					b := memory(x)
					args, params, sizes = append(args, x), append(params, p), append(sizes, len(b))
					want = append(want, append(b, make([]byte, (8-len(b)%8)%8)...)...)
				}
				text := echo(params, sizes)
				m, err := interop.LoadModule(t.Context(), dev, []byte(text))
				need(t, err)
				out := empty[uint8](t, dev, len(want)+8)
				k := kernel(t, m, "echo")
				need(t, k.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}}, append(args, out)...))
				if got := elements(t, out)[:len(want)]; !bytes.Equal(got, want) {
					t.Fatalf("%v give\n% x, want\n% x\n%s", args, got, want, text)
				}
				for i, p := range k.Params()[:len(sizes)] {
					if p.Size != sizes[i] || p.Name != fmt.Sprint("p", i) {
						t.Errorf("parameter %d is %+v", i, p)
					}
				}
				need(t, m.Close())
			}
		})
	}
}

// TestMistakes: each wrong launch says what is wrong, and nothing runs.
func TestMistakes(t *testing.T) {
	onEach(t, "kernels", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		cubin := kernel(t, m, "saxpy").Params()[0].Name == ""
		other := onCPU(t)
		before := dev.Stats().Launches
		y, x := vector(t, dev, 4), vector(t, dev, 4)
		c := interop.Config{Grid: [3]int{1}, Block: [3]int{32}}
		with := func(change func(*interop.Config)) interop.Config {
			d := c
			change(&d)
			return d
		}
		one, n := float32(1), int32(4)
		type hidden struct{ a float32 }
		type nothing struct{}
		for _, w := range []struct {
			kernel string
			config interop.Config
			args   []any
			want   string // in place of a cubin's after |
		}{
			{"saxpy", c, []any{y, x, one}, "expects 4 arguments (.u64 saxpy_param_0, .u64 saxpy_param_1, .f32 saxpy_param_2, .u32 saxpy_param_3), but got 3|expects 4 arguments (.b64, .b64, .b32, .b32), but got 3"},
			{"saxpy", c, []any{y, x, one, 4}, "expects argument #4 (saxpy_param_3) to be of 4 bytes (.u32), but got an int of 8 bytes: convert it, as int32(n)|expects argument #4 to be of 4 bytes (.b32), but got an int of 8 bytes: convert it, as int32(n)"},
			{"saxpy", c, []any{y, x, 1.0, n}, "to be of 4 bytes (.f32), but got a float64 of 8 bytes: convert it, as float32(n)|but got a float64 of 8 bytes: convert it, as float32(n)"},
			{"saxpy", c, []any{y, x, n, n}, "to be of 4 bytes (.f32), but got an int32 of 4 bytes: convert it, as float32(n)|"},
			{"saxpy", c, []any{y, x, one, one}, "to be of 4 bytes (.u32), but got a float32 of 4 bytes: convert it, as int32(n)|"},
			{"saxpy", c, []any{y, x, one, x}, "to be of 4 bytes (.u32), but got a tensor, which is an address of 8 bytes|but got a tensor"},
			{"saxpy", c, []any{y, 1.5, one, n}, "to be of 8 bytes (.u64), but got a float64 of 8 bytes: convert it, as int64(n)|"},
			{"saxpy", c, []any{y, nil, one, n}, "(saxpy_param_1): it is nil: pass uintptr(0) for a null pointer|argument #2: it is nil"},
			{"saxpy", c, []any{y, (*cutile.Tensor[float32])(nil), one, n}, "it is nil"},
			{"saxpy", c, []any{y, interop.In(nil), one, n}, "it is nil"},
			{"saxpy", c, []any{y, interop.In(n), one, n}, "an int32 is not a tensor"},
			{"saxpy", c, []any{y, "x", one, n}, "a string cannot be an argument of a kernel"},
			{"saxpy", c, []any{y, []float32{1}, one, n}, "a []float32 cannot be an argument of a kernel"},
			{"saxpy", c, []any{y, complex64(1), one, n}, "a complex64 cannot be an argument of a kernel"},
			{"saxpy", c, []any{y, x, hidden{1}, n}, "the field a of interop_test.hidden is not exported"},
			{"saxpy", c, []any{y, x, nothing{}, n}, "interop_test.nothing has no bytes"},
			{"saxpy", c, []any{y, x, struct{ A float32 }{1}, n}, "to be of 4 bytes (.f32)|"},
			{"shaped", c, []any{struct{ X any }{"x"}}, ".X: a string cannot be an argument of a kernel"},
			{"shaped", c, []any{struct{ X interop.Arg }{interop.In(x)}}, "to be of 32 bytes (.b8), but got"},
			{"saxpy", c, []any{vector(t, other, 4), x, one, n}, "the tensor belongs to another device"},
			{"saxpy", c, []any{cutile.SpecOf[float32](4), x, one, n}, "a Spec has no memory"},
			{"saxpy", c, []any{y.Narrow(0, 0, 1).Broadcast(4), x, one, n}, "the kernel may write it, but two of its indices are one element, as in a broadcast view: shape [4] with strides [0]: " +
				"pass its Contiguous, or interop.In(x) if the kernel only reads it"},
			{"saxpy", c, []any{interop.Out(y.Narrow(0, 0, 1).Broadcast(2, 4)), x, one, n}, "the kernel may write it, but two of its indices are one element"},
			{"shaped", c, []any{struct{ X any }{y.Narrow(0, 0, 1).Broadcast(4)}}, ".X: the kernel may write it, but two of its indices are one element"},
			{"saxpy", c, []any{x.Narrow(0, 3, 9), x, one, n}, "axis 0"},
			{"saxpy", interop.Config{Block: c.Block}, []any{y, x, one, n}, "the grid is (0, 0, 0): its extents must be 1 to 2147483647, 65535 and 65535"},
			{"saxpy", with(func(c *interop.Config) { c.Grid[1] = 65536 }), []any{y, x, one, n}, "the grid is (1, 65536, 0)"},
			{"saxpy", interop.Config{Grid: c.Grid}, []any{y, x, one, n}, "Config.Block is zero, and the code does not say how many threads a block has: set it"},
			{"saxpy", with(func(c *interop.Config) { c.Block = [3]int{32, 64} }), []any{y, x, one, n}, "the block (32, 64, 1) has 2048 threads: a block has at most 1024"},
			{"saxpy", with(func(c *interop.Config) { c.Block[2] = -1 }), []any{y, x, one, n}, "the block is (32, 0, -1)"},
			{"saxpy", with(func(c *interop.Config) { c.Cluster = [3]int{4, 4, 2} }), []any{y, x, one, n}, "the cluster (4, 4, 2) has 32 blocks: a cluster has at most 16"},
			{"saxpy", with(func(c *interop.Config) { c.Cluster = [3]int{2} }), []any{y, x, one, n}, "the grid (1, 1, 1) is not a multiple of the cluster (2, 1, 1)"},
			{"saxpy", with(func(c *interop.Config) { c.Shared = -1 }), []any{y, x, one, n}, "-1 bytes of dynamic shared memory: a block has 0 to 232448"},
			{"sum", with(func(c *interop.Config) { c.Block[0] = 257 }), []any{y, x, n}, "the block (257, 1, 1) has 257 threads, but the kernel was compiled for at most 256"},
		} {
			want, bare, both := strings.Cut(w.want, "|")
			if cubin && both {
				want = bare
			}
			if want == "" { // a cubin does not tell
				continue
			}
			err := kernel(t, m, w.kernel).Launch(dev.Stream(), w.config, w.args...)
			var e *cutile.Error
			if !errors.As(err, &e) || e.Stage != cutile.StageLaunch || e.Kernel != w.kernel || !strings.Contains(err.Error(), want) {
				t.Errorf("%v\nwant %s", err, want)
			}
		}
		err := kernel(t, m, "saxpy").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}}, y, "x", one, "n")
		if !errors.Is(err, cutile.ErrMismatch) || strings.Count(err.Error(), "\n") != 2 {
			t.Errorf("three mistakes give %v", err)
		}
		if err := kernel(t, m, "saxpy").Launch(other.Stream(), c, y, x, one, n); err == nil || !strings.Contains(err.Error(), "the stream belongs to another device") {
			t.Errorf("another device's stream: %v", err)
		}
		if _, err := m.Kernel("sax"); err == nil || !strings.Contains(err.Error(), `has no kernel "sax": it has `) || !strings.Contains(err.Error(), "saxpy") {
			t.Errorf("no such kernel: %v", err)
		}
		if now := dev.Stats().Launches; now != before {
			t.Errorf("%d launches", now-before)
		}
	})
}

// TestDemands: a block and a cluster that the code demands need not be given, and cannot be others.
func TestDemands(t *testing.T) {
	gpu, _ := onGPU(t)
	for _, dev := range []*cutile.Device{onCPU(t), gpu} {
		m, err := interop.LoadModule(t.Context(), dev, []byte(strings.Replace(echo(nil, nil), ")\n{", ") .reqntid 32, 2 .reqnctapercluster 2\n{", 1)+"\x00"))
		need(t, err)
		out, k := empty[uint8](t, dev, 8), kernel(t, m, "echo")
		need(t, k.Launch(dev.Stream(), interop.Config{Grid: [3]int{2}}, out))
		need(t, k.Launch(dev.Stream(), interop.Config{Grid: [3]int{2}, Block: [3]int{32, 2}, Cluster: [3]int{2, 1}}, out))
		need(t, dev.Sync(t.Context()))
		for want, c := range map[string]interop.Config{
			"the block is (64, 1, 1), but the kernel was compiled for (32, 2, 1) only":  {Grid: [3]int{2}, Block: [3]int{64}},
			"the cluster is (1, 1, 1), but the kernel was compiled for (2, 1, 1) only":  {Grid: [3]int{2}, Cluster: [3]int{1}},
			"the grid (3, 1, 1) is not a multiple of the cluster (2, 1, 1)":             {Grid: [3]int{3}},
			"the cluster is (0, 2, 0): its extents must be 1 to 16, 16 and 16":          {Grid: [3]int{2}, Cluster: [3]int{0, 2}},
			"the block is (1025, 0, 0): its extents must be 1 to 1024, 1024 and 64":     {Grid: [3]int{2}, Block: [3]int{1025}},
			"232449 bytes of dynamic shared memory: a block has 0 to 232448":            {Grid: [3]int{2}, Shared: 227<<10 + 1},
			"the grid is (2147483648, 0, 0): its extents must be 1 to 2147483647, 6553": {Grid: [3]int{1 << 31}},
		} {
			if err := k.Launch(dev.Stream(), c, out); !errors.Is(err, cutile.ErrMismatch) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// TestLoadMistakes: what is no module for a device says why.
func TestLoadMistakes(t *testing.T) {
	cpu := onCPU(t)
	gpu, _ := onGPU(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	frob := strings.Replace(echo(nil, nil), "ret;", "frob.b32 v;", 1)
	for _, c := range []struct {
		ctx  context.Context
		dev  *cutile.Device
		code string
		want string
	}{
		{t.Context(), cpu, string(file(t, "kernels.sm_80.cubin")), "interop: module on cpu: the CPU engine does not run machine code of GPUs, as a cubin is: give it PTX"},
		{t.Context(), cpu, frob, "interop: module on cpu: PTX:10:2: expected an instruction, found \"frob.b32\""},
		{t.Context(), gpu, frob, "PTX:10:2: expected an instruction, found \"frob.b32\""}, // what the driver says
		{t.Context(), cpu, "", "the code is empty: give a text of PTX or a cubin"},
		{t.Context(), gpu, "\x50\xed\x55\xba and more", "the code is a fat binary, of which cuobjdump -xelf all and -xptx all take the parts out: give a text of PTX or a cubin"},
		{t.Context(), gpu, "BC\xc0\xde", "the code is LLVM bitcode"},
		{t.Context(), gpu, "\x7fTileIR\x00", "the code is bytecode of Tile IR"},
		{t.Context(), gpu, "\x7fELF", "not a cubin"},
		{t.Context(), gpu, "__global__ void f() {}", `PTX:1:1: expected ".version", found "__global__"`},
		{t.Context(), gpu, ".version 8.0 .target sm_80 .address_size 64", "the code has no kernels: functions need __global__ (.entry in PTX)"},
		{t.Context(), nil, "x", "the device is nil"},
		{ended, cpu, "x", "context canceled"},
		{nil, cpu, "x", "the context is nil"},
	} {
		if m, err := interop.LoadModule(c.ctx, c.dev, []byte(c.code)); m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	var m *interop.Module
	var k *interop.Kernel
	if _, err := m.Kernel("k"); err == nil || m.Kernels() != nil || m.Close() == nil || k.Launch(cpu.Stream(), interop.Config{}) == nil || k.Name() != "" || k.Params() != nil {
		t.Error("a nil module or kernel is no mistake")
	}
}
