package spirv_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/internal/threads/ir"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
)

// device opens the first device that has integers of 64 bits, without which no kernel is written.
func device(t testing.TB) *vulkan.Device {
	t.Helper()
	in, list := vulkantest.Instance(t)
	for i := range list {
		d, err := vulkan.Open(i, vulkan.Options{Instance: in, Compiler: vulkan.Threads})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		if d.Caps().Features.Int64 {
			return d
		}
	}
	testenv.Missing(t, "vulkan", context.Canceled)
	return nil
}

// Kernels have so many threads, each of which has its own bytes of data.
const (
	threads = 64
	stride  = 32
)

// forms are those of the operations: the device's where it has one, floats in integers, and integers of 64 bits in pairs of words.
var forms = []struct {
	name   string
	change func(t *writer.Target)
	has    func(in *vec.Instr) bool // the operations that have another form than before
}{
	{"device", nil, func(*vec.Instr) bool { return true }}, {"integers", inIntegers, numeric},
	{"pairs", inPairs, wide}, {"integers in pairs", func(t *writer.Target) { inIntegers(t); inPairs(t) }, numeric},
}

func numeric(in *vec.Instr) bool {
	return slices.Contains(writer.Numerics(), writer.Numeric{Do: in.Op, Type: in.Type, From: in.From})
}

func wide(in *vec.Instr) bool {
	return in.Type.Bytes() == 8 || in.From != vec.NoType && in.From.Bytes() == 8 || in.Op == vec.MulHi || in.Op == vec.MulHiU
}

// inPairs has integers of 64 bits in pairs of words, as on a device that has none.
func inPairs(t *writer.Target) {
	t.Has = maps.Clone(t.Has)
	t.Has[spirv.CapabilityInt64], t.Has[spirv.CapabilityInt64Atomics] = false, false
}

// inIntegers has all operations on floats computed in integers, as on a device that has no floats but f32 and gets these wrong.
func inIntegers(t *writer.Target) {
	t.Soft = map[writer.Numeric]bool{}
	for _, n := range writer.Numerics() {
		t.Soft[n] = true
	}
	t.Has = maps.Clone(t.Has)
	t.Has[spirv.CapabilityFloat16], t.Has[spirv.CapabilityFloat64], t.Modes = false, false, nil
}

// runner runs kernels on a device, with as many blocks as there is data for. change, which may be nil, changes what the writer knows of it.
func runner(d *vulkan.Device, s *vulkan.Stream, change func(t *writer.Target)) threadtest.RunKernel {
	return func(t testing.TB, b *ir.Builder, data []byte) {
		t.Helper()
		b.Place()
		b.Synchronise()
		target := d.Caps().Threads().Target
		if change != nil {
			change(&target)
		}
		c, err := writer.Write(&b.Kernel, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := threadtest.Valid(c.Module); err != nil {
			t.Fatal(err)
		}
		code := &vulkan.Code{Words: c.Module.Words(), Entry: b.Name, Params: 1, Threads: b.Threads, Shared: c.Shared, Scratch: c.Scratch}
		if target.Subgroups {
			code.Subgroup, code.Full = uint32(target.Lanes), true
		}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%v\n%v", err, &b.Kernel)
			}
		}
		k, err := d.Load(b.Name, code)
		check(err)
		buf, err := d.Alloc(int64(len(data)))
		check(err)
		check(s.Write(buf, 0, data))
		check(s.Launch(k, [3]uint32{uint32(len(data) / (stride * threads)), 1, 1}, []uint64{buf.Address()}))
		check(s.Read(context.Background(), data, buf, 0))
		check(k.Close())
		check(buf.Free())
	}
}

// TestElements runs each element operation on a device, in each form.
func TestElements(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			threadtest.Elements(t, func(in *vec.Instr) bool { return !f.has(in) }, runner(d, s.(*vulkan.Stream), f.change))
		})
	}
}

// TestForms: each element operation says how it is written and why that is exact, and each that computes with floats has a form in
// integers.
func TestForms(t *testing.T) {
	numerics, floats := writer.Numerics(), 0
	for op := range vec.Table {
		op := vec.Op(op)
		if !op.Alone() || op == vec.Move || op == vec.MMove {
			continue
		}
		why := writer.Why(op)
		if why == "" {
			t.Errorf("%v does not say why it is exact", op)
		}
		computes := strings.HasPrefix(op.String(), "f") || op == vec.ToInt || op == vec.Const
		for _, typ := range op.Types() {
			if op == vec.Const && (typ == vec.I8 || typ.Float()) {
				continue // which the integers stand for
			}
			has := slices.ContainsFunc(numerics, func(n writer.Numeric) bool { return n.Do == op && n.Type == typ })
			if has != computes {
				t.Errorf("%v %v computes with floats: %v, and has a form in integers: %v", op, typ, computes, has)
			}
			if has {
				floats++
			}
		}
	}
	if floats < 20 {
		t.Errorf("%d operations on floats", floats)
	}
	for _, n := range []writer.Numeric{{Do: vec.FDiv, Type: vec.F32}, {Do: vec.FSqrt, Type: vec.F64}, {Do: vec.FMulAdd, Type: vec.F64}, {Do: vec.FRound, Type: vec.F32}} {
		if !n.Soft() {
			t.Errorf("%v is left to devices, which do not promise what it takes", n)
		}
	}
}
