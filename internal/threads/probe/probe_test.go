package probe

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
)

// full is a device with all types of floats.
var full = writer.Target{Lanes: 32, Shared: 1 << 14, Inline: 10, Has: map[spirv.Capability]bool{
	spirv.CapabilityFloat16: true, spirv.CapabilityFloat64: true, spirv.CapabilityInt64: true, spirv.CapabilityInt16: true, spirv.CapabilityInt8: true,
	spirv.CapabilityStorageBuffer8BitAccess: true, spirv.CapabilityStorageBuffer16BitAccess: true,
}}

// run computes in Go what a device would, and changes each result.
func (p *Probe) run(change func(in *vec.Instr, x [3]uint64, y uint64) uint64) []byte {
	data := p.Data()
	binary.LittleEndian.PutUint32(data[len(p.instrs)*cases*stride:], turns)
	for i := range p.instrs {
		for k := range cases {
			at := data[(i*cases+k)*stride:]
			var x [3]uint64
			for j := range x {
				x[j] = binary.LittleEndian.Uint64(at[8*j:])
			}
			binary.LittleEndian.PutUint64(at[24:], change(&p.instrs[i], x, Want(&p.instrs[i], x)))
		}
	}
	return data
}

// flushed is a float without subnormal numbers.
func flushed(t vec.Type, bits uint64) uint64 {
	sign := bits & (1 << (8*t.Bytes() - 1))
	if f := math.Abs(Float(t, bits)); f < map[vec.Type]float64{vec.F16: 0x1p-14, vec.F32: 0x1p-126, vec.F64: 0x1p-1022}[t] {
		return sign
	}
	return bits
}

// TestWrong has devices compute wrong in ways that are known of hardware: the probe names the operations, and no others.
func TestWrong(t *testing.T) {
	p, err := New(full)
	if err != nil {
		t.Fatal(err)
	}
	n := func(op vec.Op, types ...vec.Type) writer.Numeric {
		return writer.Numeric{Do: op, Type: types[0], From: append(types, vec.NoType)[1]}
	}
	for _, c := range []struct {
		name   string
		change func(in *vec.Instr, x [3]uint64, y uint64) uint64
		want   []writer.Numeric
	}{
		{"right", func(_ *vec.Instr, _ [3]uint64, y uint64) uint64 { return y }, nil},
		{"another NaN", func(in *vec.Instr, _ [3]uint64, y uint64) uint64 {
			if in.Type == vec.F32 && in.DstClass() != vec.Mask && isNaN(vec.F32, y) {
				return 0x7fc01234
			}
			return y
		}, nil},
		{"subnormal results are 0", func(in *vec.Instr, _ [3]uint64, y uint64) uint64 {
			if in.Type == vec.F32 && in.DstClass() != vec.Mask && in.Op != vec.FromInt {
				return flushed(vec.F32, y)
			}
			return y
		}, []writer.Numeric{n(vec.FAdd, vec.F32), n(vec.FSub, vec.F32), n(vec.FMul, vec.F32), n(vec.FDiv, vec.F32), n(vec.FScale, vec.F32), n(vec.FMulAdd, vec.F32),
			n(vec.FMin, vec.F32), n(vec.FMax, vec.F32), n(vec.FConvert, vec.F32, vec.F64)}},
		{"subnormal operands are 0", func(in *vec.Instr, x [3]uint64, _ uint64) uint64 {
			if t := max(in.Type, in.From); in.Op == vec.FCmp && t == vec.F64 {
				x[0], x[1] = flushed(t, x[0]), flushed(t, x[1])
			}
			return Want(in, x)
		}, []writer.Numeric{n(vec.FCmp, vec.F64)}},
		{"quotients are multiplied with reciprocals", func(in *vec.Instr, x [3]uint64, y uint64) uint64 {
			if in.Op == vec.FDiv && in.Type == vec.F32 && !isNaN(vec.F32, y) {
				return Bits(vec.F32, Float(vec.F32, x[0])*Float(vec.F32, Bits(vec.F32, 1/Float(vec.F32, x[1]))))
			}
			return y
		}, []writer.Numeric{n(vec.FDiv, vec.F32)}},
		{"choices between -1 and 0 are products", func(in *vec.Instr, x [3]uint64, y uint64) uint64 {
			if in.Op == vec.Const && in.Type == vec.I64 && pairs[in.Imm] == [2]float64{-1, 0} && x[0] == 0 {
				return 1 << 63
			}
			return y
		}, []writer.Numeric{n(vec.Const, vec.I64)}},
		{"zeros have no sign", func(in *vec.Instr, _ [3]uint64, y uint64) uint64 {
			if in.Op == vec.FMul && in.Type == vec.F32 && y == 1<<31 {
				return 0
			}
			return y
		}, []writer.Numeric{n(vec.FMul, vec.F32)}},
		{"f16 is rounded towards zero", func(in *vec.Instr, x [3]uint64, y uint64) uint64 {
			if in.Op == vec.FConvert && in.Type == vec.F16 && in.From == vec.F32 && math.Abs(Float(vec.F16, y)) > math.Abs(Float(vec.F32, x[0])) {
				return y - 1
			}
			return y
		}, []writer.Numeric{n(vec.FConvert, vec.F16, vec.F32)}},
		{"products and sums are rounded twice", func(in *vec.Instr, x [3]uint64, y uint64) uint64 {
			if in.Op == vec.FMulAdd && in.Type == vec.F32 {
				return Bits(vec.F32, Float(vec.F32, x[0])*Float(vec.F32, x[1])+Float(vec.F32, x[2]))
			}
			return y
		}, []writer.Numeric{n(vec.FMulAdd, vec.F32)}},
		{"sums are rounded up", func(in *vec.Instr, x [3]uint64, y uint64) uint64 {
			if f := Float(vec.F32, x[0]) + Float(vec.F32, x[1]); in.Op == vec.FAdd && in.Type == vec.F32 && Float(vec.F32, y) < f && f < math.MaxFloat32 && y != 1<<31 {
				return Bits(vec.F32, float64(math.Nextafter32(float32(f), math.MaxFloat32)))
			}
			return y
		}, []writer.Numeric{n(vec.FAdd, vec.F32)}},
	} {
		wrong := p.Wrong(p.run(c.change))
		for _, n := range writer.Numerics() {
			if _, is := wrong[n]; is != slices.Contains(c.want, n) {
				t.Errorf("%s: %v is said to be wrong: %v %s", c.name, n, is, wrong[n])
			}
		}
	}
}

// TestLoops: a driver that ends loops early is found out.
func TestLoops(t *testing.T) {
	p, err := New(full)
	if err != nil {
		t.Fatal(err)
	}
	data := p.run(func(_ *vec.Instr, _ [3]uint64, y uint64) uint64 { return y })
	binary.LittleEndian.PutUint32(data[len(p.instrs)*cases*stride:], 65535)
	if wrong := p.Wrong(data); len(wrong) != 1 || wrong[Loops] != "a loop of 70000 turns has ended after 65535" {
		t.Errorf("got %v", wrong)
	}
}
