package x86_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
	"github.com/cutile-go/cutile/internal/native/x86"
)

// levels are the levels with code that this machine can run.
func levels(t testing.TB) (out []host.Level) {
	for _, l := range []host.Level{host.LevelAVX2, host.LevelAVX512} {
		if host.Machine().Features.Has(l.Requires()) && runtime.GOARCH == "amd64" {
			out = append(out, l)
		}
	}
	if len(out) == 0 {
		t.Skip("this machine runs no code of this package")
	}
	return out
}

// compile makes code of one function.
func compile(f *vec.Func, l host.Level) (*host.Code, x86.Function, error) {
	c, err := x86.New(l)
	if err != nil {
		return nil, x86.Function{}, err
	}
	if _, err := c.Add(f); err != nil {
		return nil, x86.Function{}, err
	}
	bytes, list, err := c.Finish()
	if err != nil {
		return nil, x86.Function{}, err
	}
	code, err := host.Map(bytes)
	return code, list[0], err
}

// call runs a function of compiled code.
func call(code *host.Code, f x86.Function, frame []uint64) int64 {
	room := make([]uint64, f.Words+1)
	copy(room, frame)
	return int64(host.Call(code.Addr()+uintptr(f.Offset), unsafe.Pointer(&room[0])))
}

func addr[T any](s []T) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(s)))) }

// buffer makes bytes whose address stays the same until the end of the test that passes them to machine code; that must say
// [runtime.KeepAlive].
//
//go:noinline
func buffer(n int) []byte { return make([]byte, n) }

// fill gives bytes that hold interesting numbers of a type.
func fill(r *rand.Rand, b []byte, t vec.Type) {
	for at := 0; at+8 <= len(b); at += max(1, t.Bytes()) {
		x := r.Uint64()
		switch k := r.IntN(8); {
		case k == 0:
			x = uint64(r.IntN(40)) - 20
		case k < 4 && t == vec.I64: // about a number in the middle between two floats
			top := 40 + r.IntN(24)
			x = 1<<top + 1<<max(0, top-23-r.IntN(2)) + uint64(r.IntN(3)) - 1
			if r.IntN(2) == 0 {
				x = 1<<top + 1<<max(0, top-52-r.IntN(2)) + uint64(r.IntN(3)) - 1
			}
		case k == 2 && t == vec.F64: // about a number in the middle between two of a shorter format
			x = uint64(1023-30+r.IntN(60))<<52 + uint64(r.IntN(1<<12))<<40 + uint64(r.IntN(3)) - 1
		case k == 1 && t.Float():
			x = []uint64{0, 1 << 63, 0x7ff << 52, 0x7ff8 << 48, 1, 0x3ff << 52, 0xfff << 52}[r.IntN(7)]
			if t == vec.F32 {
				x = uint64(math.Float32bits(float32(math.Float64frombits(x))))
			}
			if t == vec.F16 {
				x >>= 48
			}
		case k < 6 && t == vec.F32:
			x = uint64(math.Float32bits(float32(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))))
		case k < 6 && t == vec.F64:
			x = math.Float64bits(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))
		}
		for i := range max(1, t.Bytes()) {
			b[at+i] = byte(x >> (8 * i))
		}
	}
}

// same compares results lane by lane: NaNs are alike, and lanes that mean nothing do not count.
func same(in vec.Instr, a, b []byte) bool {
	t := in.Type
	if in.DstClass() == vec.Mask || in.DstClass() == vec.Scalar || in.DstClass() == vec.None || t == vec.NoType {
		return string(a) == string(b)
	}
	n := vec.Lanes
	if in.Op == vec.Down {
		n = int(in.Imm)
	}
	for i := range n {
		x, y := a[i*t.Bytes():][:t.Bytes()], b[i*t.Bytes():][:t.Bytes()]
		if string(x) != string(y) && !(nan(x, t) && nan(y, t)) {
			return false
		}
	}
	return true
}

func nan(b []byte, t vec.Type) bool {
	x := uint64(0)
	for i := range b {
		x |= uint64(b[i]) << (8 * i)
	}
	switch t {
	case vec.F16:
		return x&0x7fff > 0x7c00
	case vec.F32:
		return x&(1<<31-1) > 0x7f800000
	case vec.F64:
		return x&(1<<63-1) > 0x7ff<<52
	}
	return false
}

// tame changes operands that have no defined result: conversions to integers out of range, and scaling far away.
func tame(in vec.Instr, ops []byte) {
	floats := func(at int, t vec.Type, f func(float64) float64) {
		for i := range vec.Lanes {
			if t == vec.F32 {
				p := (*float32)(unsafe.Pointer(&ops[at+4*i]))
				*p = float32(f(float64(*p)))
				continue
			}
			p := (*float64)(unsafe.Pointer(&ops[at+8*i]))
			*p = f(*p)
		}
	}
	switch in.Op {
	case vec.ToInt:
		limit := math.Ldexp(1, 8*in.Type.Bytes()-1)
		floats(0, in.From, func(x float64) float64 {
			if !(math.Abs(x) < limit) {
				return -limit
			}
			return x
		})
	case vec.FScale:
		floats(0, in.Type, func(x float64) float64 {
			if a := math.Abs(x); a != 0 && !math.IsInf(a, 0) && (a < 0x1p-30 || a > 0x1p30) {
				return math.Copysign(1.5, x)
			}
			return x
		})
		for i := range vec.Lanes {
			if in.Type == vec.F32 {
				p := (*int32)(unsafe.Pointer(&ops[128+4*i]))
				*p %= vec.MaxScale32
				continue
			}
			p := (*int64)(unsafe.Pointer(&ops[128+8*i]))
			*p %= vec.MaxScale64
		}
	case vec.Gather, vec.Scatter:
		for i := range vec.Lanes { // inside 4 KiB, each lane of a scatter at a place of its own
			n := int64(i*8 + int(ops[i])%8)
			if in.From == vec.I32 {
				*(*int32)(unsafe.Pointer(&ops[4*i])) = int32(n)
				continue
			}
			*(*int64)(unsafe.Pointer(&ops[8*i])) = n
		}
	}
}

// TestEveryInstruction compares every instruction of the IR with its evaluation, and lists what a level has no code for.
func TestEveryInstruction(t *testing.T) {
	for _, l := range levels(t) {
		lacking := map[string]bool{}
		for op := range vec.Table {
			for _, in := range vectest.Instrs(vec.Op(op)) {
				f, err := vectest.Around(in)
				if err != nil {
					t.Fatal(err)
				}
				if err := compareInstr(in, f, l, uint64(op)); err != nil {
					var no *x86.Unsupported
					if !errors.As(err, &no) {
						t.Fatal(err)
					}
					lacking[strings.TrimSuffix(fmt.Sprintf("%s.%s.%s", in.Op, in.Type, in.From), ".")] = true
				}
			}
		}
		for name := range lacking {
			if !expected[l][name] {
				t.Errorf("%s has no code for %s", l, name)
			}
		}
		for name := range expected[l] {
			if !lacking[name] {
				t.Errorf("%s has code for %s, which is listed as missing", l, name)
			}
		}
	}
}

// expected lists what the levels lack.
var expected = map[host.Level]map[string]bool{}

// compareInstr runs a function around an instruction on several operands.
func compareInstr(in vec.Instr, f *vec.Func, l host.Level, seed uint64) error {
	code, fn, err := compile(f, l)
	if err != nil {
		return err
	}
	defer code.Free()
	r := rand.New(rand.NewPCG(seed, 7))
	for range 20 {
		ops := buffer(4 * 128)
		typ := in.Type
		if in.From != vec.NoType {
			typ = in.From
		}
		fill(r, ops, typ)
		if in.Op == vec.MFirst {
			*(*int64)(unsafe.Pointer(&ops[0])) = int64(r.IntN(40) - 12)
		}
		tame(in, ops)
		var results [2][]byte
		out, memory := buffer(128), buffer(4096+128)
		at := (63-addr(memory)+1)&63 + 56 // so that the address of the access is a multiple of 64
		frame := []uint64{addr(ops), addr(out), addr(memory) + at}
		for k, run := range []func(){func() { vec.Eval(f, frame) }, func() { call(code, fn, frame) }} {
			clear(out)
			if in.Op.HasMem() {
				for i := range memory {
					memory[i] = byte(i * 37)
				}
			}
			run()
			results[k] = append(append([]byte(nil), out...), memory...)
		}
		runtime.KeepAlive(ops)
		if !same(in, results[0][:128], results[1][:128]) || string(results[0][128:]) != string(results[1][128:]) {
			return fmt.Errorf("%s at level %s: operands %x: got %x, want %x", f.Text(&in), l, ops[:3*128], results[1][:128], results[0][:128])
		}
	}
	return nil
}

// TestRandom compares random functions with their evaluation. CUTILE_RANDOM sets how many.
func TestRandom(t *testing.T) {
	for _, l := range levels(t) {
		spilled, n := 0, vectest.Count(t, 250)
		for seed := range uint64(n) {
			if compareRandom(t, seed, l) {
				spilled++
			}
		}
		if spilled < n/4 {
			t.Errorf("%s: only %d of %d functions have more values than registers", l, spilled, n)
		}
	}
}

// compareRandom reports whether the function had more values than registers.
func compareRandom(t *testing.T, seed uint64, l host.Level) bool {
	r := rand.New(rand.NewPCG(seed, 11))
	f := vectest.Random(r, 20+int(seed%100))
	code, fn, err := compile(f, l)
	if err != nil {
		t.Fatal(err)
	}
	defer code.Free()
	in, want, got := buffer(vectest.RandomBytes), buffer(vectest.RandomBytes), buffer(vectest.RandomBytes)
	fill(r, in, vec.F32)
	vec.Eval(f, []uint64{addr(in), addr(want)})
	call(code, fn, []uint64{addr(in), addr(got)})
	runtime.KeepAlive(in)
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s, seed %d: result %d, byte %d is %#x, want %#x\n%s", l, seed, i/128, i%128, got[i], want[i], f)
		}
	}
	return fn.Words > f.Frame+256/8
}
