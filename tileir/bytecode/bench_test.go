package bytecode_test

import (
	"testing"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// benchFile is a matrix product of some 60 operations.
func benchFile(b *testing.B) (refFile, *tileir.Module, tileir.Version) {
	for _, f := range refFiles(b) {
		if f.name == "gemm_f16.13.4" {
			m, v, err := bytecode.Read(f.data)
			if err != nil {
				b.Fatal(err)
			}
			return f, m, v
		}
	}
	b.Fatal("no gemm_f16.13.4")
	return refFile{}, nil, 0
}

func BenchmarkVerify(b *testing.B) {
	_, m, v := benchFile(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Verify(v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	_, m, v := benchFile(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bytecode.Write(m, v, bytecode.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	f, _, _ := benchFile(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := bytecode.Read(f.data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPrint(b *testing.B) {
	_, m, _ := benchFile(b)
	b.ReportAllocs()
	for b.Loop() {
		_ = m.String()
	}
}
