package amd64

import "testing"

// BenchmarkEmit measures one instruction, of several kinds.
func BenchmarkEmit(b *testing.B) {
	var a Assembler
	for _, c := range []struct {
		name string
		emit func()
	}{
		{"register", func() { a.Emit(ADD, R64(RAX), R64(RBX)) }},
		{"immediate", func() { a.Emit(ADD, R64(RSI), Imm(64)) }},
		{"vex", func() { a.Emit(VFMADD231PS, Y(1), Y(2), Y(3)) }},
		{"evex", func() { a.Emit(VADDPS, Z(1), Z(2), Z(3)) }},
		{"memory", func() { a.Emit(VFMADD231PS, Z(1), Z(2), AtIndex(RSI, RCX, 4, 128)) }},
		{"masked", func() { a.Emit(VMOVDQU8, At(RSI, 64).Mask(1), Z(9)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i&1023 == 0 {
					a.Reset()
				}
				c.emit()
			}
			if _, err := a.Finish(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
