package probe

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/tileir"
)

// multiplied computes in Go what a device would: the second result of each product has its factors column by column. change changes each factor
// of floats, and each sum.
func (m *Matrices) multiplied(factor func(u *writer.Unit, x float64) float64, sum func(unit int, bits uint32) uint32) []byte {
	data := m.Data()
	for i := range m.units {
		u := &m.units[i]
		l := layoutOf(u)
		for k := range products {
			part := data[m.places[i]+k*l.bytes:][:l.bytes]
			right, start := part[l.factors[0]:], part[l.factors[0]+l.factors[1]:]
			for way := range 2 {
				for n := range u.M * u.N {
					at := start[4*n:]
					exact, bits := 0.0, binary.LittleEndian.Uint32(at)
					for k := range u.K {
						a, b := n/u.N*u.K+k, n%u.N*u.K+k
						if way == 1 {
							a, b = k*u.M+n/u.N, k*u.N+n%u.N
						}
						switch {
						case u.A.IsFloat():
							exact += factor(u, factorValue(u, binary.LittleEndian.Uint16(part[2*a:]))) * factor(u, factorValue(u, binary.LittleEndian.Uint16(right[2*b:])))
						case u.Signed[0]:
							bits += uint32(int32(int8(part[a])) * int32(int8(right[b])))
						default:
							bits += uint32(part[a]) * uint32(right[b])
						}
					}
					if u.A.IsFloat() {
						bits = math.Float32bits(float32(exact + float64(math.Float32frombits(bits))))
					}
					binary.LittleEndian.PutUint32(start[(1+way)*l.sums+4*n:], sum(i, bits))
				}
			}
		}
	}
	return data
}

// TestWrongMatrices has devices multiply wrong: the test names the matrices, and no others.
func TestWrongMatrices(t *testing.T) {
	target := full
	target.Subgroups, target.Vulkan = true, true
	target.Has = map[spirv.Capability]bool{spirv.CapabilityCooperativeMatrixKHR: true, spirv.CapabilityBFloat16CooperativeMatrixKHR: true, spirv.CapabilityGroupNonUniformBallot: true}
	for c := range full.Has {
		target.Has[c] = true
	}
	for _, c := range []struct {
		elem, sum tileir.Elem
		signed    bool
	}{{tileir.F16, tileir.F32, false}, {tileir.I8, tileir.I32, true}, {tileir.I8, tileir.I32, false}, {tileir.BF16, tileir.F32, false}} {
		u, ok := writer.Matrix(16, 8, 16, c.elem, c.sum, c.signed)
		if !ok {
			t.Fatalf("there is no matrix of %v", c)
		}
		target.Matrices = append(target.Matrices, u)
	}
	m, err := NewMatrices(target)
	if err != nil {
		t.Fatal(err)
	}
	same := func(_ *writer.Unit, x float64) float64 { return x }
	only := func(unit int, change func(bits uint32) uint32) func(int, uint32) uint32 {
		return func(i int, bits uint32) uint32 {
			if i == unit {
				return change(bits)
			}
			return bits
		}
	}
	for _, c := range []struct {
		name   string
		factor func(u *writer.Unit, x float64) float64
		sum    func(unit int, bits uint32) uint32
		wrong  int // which matrix; -1 for none
	}{
		{"right", same, func(_ int, bits uint32) uint32 { return bits }, -1},
		{"sums cut off at the last bit", same, only(0, func(bits uint32) uint32 { return bits &^ 1 }), -1},
		{"sums of f16", same, only(0, func(bits uint32) uint32 {
			return math.Float32bits(float32(Float(vec.F16, Bits(vec.F16, float64(math.Float32frombits(bits))))))
		}), 0},
		{"subnormal factors are zero", func(u *writer.Unit, x float64) float64 {
			if u.A == tileir.F16 && math.Abs(x) < 0x1p-14 {
				return 0
			}
			return x
		}, func(_ int, bits uint32) uint32 { return bits }, 0},
		{"sums of bf16", same, only(3, func(bits uint32) uint32 { return bits &^ 0xffff }), 3},
		{"integers saturate", same, only(1, func(bits uint32) uint32 { return uint32(max(min(int32(bits), 1<<30), -1<<30)) }), 1},
		{"integers are floats", same, only(2, func(bits uint32) uint32 { return uint32(float32(bits)) }), 2},
	} {
		for i, example := range m.Wrong(m.multiplied(c.factor, c.sum)) {
			if (example != "") != (i == c.wrong) {
				t.Errorf("%s: matrix %d: %q", c.name, i, example)
			}
		}
	}
}
