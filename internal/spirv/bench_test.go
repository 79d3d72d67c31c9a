package spirv_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
)

// large builds a kernel of some 5,000 instructions.
func large() *spirv.Module {
	b := spirv.New(spirv.Options{Exact: true})
	f32, u64 := b.Float(32), b.Uint(64)
	b.PushConstants(u64)
	b.Kernel("large", 32, 1, 1)
	p := b.PushConstant(0)
	for range 16 {
		b.While([]ID{b.ConstUint(0)}, func(v []ID) ID { return b.Compare(spirv.OpULessThan, v[0], b.ConstUint(9)) }, func(v []ID) []ID {
			for i := range 32 {
				at := b.Address(p, v[0], 4*i+4)
				b.StoreAt(at, b.Binary(spirv.OpFMul, b.LoadAt(f32, at, 4), b.ConstFloat(32, float64(i))), 4)
			}
			return []ID{b.Binary(spirv.OpIAdd, v[0], b.ConstUint(1))}
		})
	}
	b.End()
	return b.Finish()
}

// BenchmarkBuild, BenchmarkRead, BenchmarkVerify and BenchmarkPrint say what a kernel of some 5,000 instructions costs.
func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		large()
	}
}

func BenchmarkRead(b *testing.B) {
	data := large().Bytes()
	for b.Loop() {
		if _, err := spirv.Read(data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	m := large()
	for b.Loop() {
		if err := spirv.Verify(m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	m := large()
	for b.Loop() {
		_ = m.String()
	}
}
