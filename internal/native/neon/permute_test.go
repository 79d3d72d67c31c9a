package neon_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// TestPermutations: lanes move by the instructions that do the least.
func TestPermutations(t *testing.T) {
	partner := func(d int) int64 { return vec.Permutation(func(i int) int { return i ^ d }) }
	last := vec.Permutation(func(int) int { return vec.Lanes - 1 })
	for _, c := range []struct {
		typ  vec.Type
		imm  int64
		want string
	}{
		{vec.I8, partner(1), "rev16"},
		{vec.I8, partner(8), "ext"},
		{vec.I8, 0x3c07e1d5a8f29b46, "tbl"},
		{vec.I16, partner(2), "rev64 rev64"},
		{vec.I16, partner(8), ""},
		{vec.I16, last, "dup"},
		{vec.I16, 0x3c07e1d5a8f29b46, "tbl tbx tbl tbx"},
		{vec.F32, partner(1), "rev64 rev64 rev64 rev64"},
		{vec.F32, partner(2), "ext ext ext ext"},
		{vec.F32, vec.Permutation(func(i int) int { return i &^ 1 }), "trn1 trn1 trn1 trn1"},
		{vec.F32, vec.Permutation(func(i int) int { return i&^7 + 3 }), "dup dup dup dup"},
		{vec.F64, vec.Permutation(func(i int) int { return 2*i%vec.Lanes + i/8 }), "zip1 zip1 zip1 zip1 zip2 zip2 zip2 zip2"},
		{vec.F64, last, "dup"},
	} {
		b := vec.NewBuilder("permute")
		at := vec.Mem{Base: b.Arg(0)}
		b.Store(c.typ, at, b.DoImm(vec.Permute, c.typ, c.imm, b.Load(c.typ, at, 0)), 0)
		var got []string
		for _, l := range list(t, b.Finish()) {
			if op, _, _ := strings.Cut(l, " "); !strings.HasPrefix(op, "ld") && !strings.HasPrefix(op, "st") && op != "movz" && op != "ret" {
				got = append(got, op)
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s, %016x: %q, want %q", c.typ, uint64(c.imm), got, c.want)
		}
	}
}
