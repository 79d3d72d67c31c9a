package x86_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/x86"
)

// TestPermutations: lanes move by the instructions that do the least.
func TestPermutations(t *testing.T) {
	partner := func(d int) int64 { return vec.Permutation(func(i int) int { return i ^ d }) }
	last := vec.Permutation(func(int) int { return vec.Lanes - 1 })
	for _, c := range []struct {
		level host.Level
		typ   vec.Type
		imm   int64
		want  string
	}{
		{host.LevelAVX512, vec.I8, partner(1), "vpshufb"},
		{host.LevelAVX512, vec.I16, partner(4), "vpshufd"},
		{host.LevelAVX512, vec.I16, last, "vpermw"},
		{host.LevelAVX512, vec.F32, partner(2), "vpshufd"},
		{host.LevelAVX512, vec.F32, partner(4), "vpermq"},
		{host.LevelAVX512, vec.F32, partner(8), "vpermq"},
		{host.LevelAVX512, vec.F64, partner(1), "vpshufd vpshufd"},
		{host.LevelAVX512, vec.F64, partner(8), ""},
		{host.LevelAVX512, vec.F64, last, "vpermq"},
		{host.LevelAVX512, vec.F64, vec.Permutation(func(i int) int { return i + 1 }), "vpermi2q vpermi2q"},
		{host.LevelAVX2, vec.I16, partner(1), "vpshufb"},
		{host.LevelAVX2, vec.I16, partner(8), "vpermq"},
		{host.LevelAVX2, vec.I16, last, "vpermq vpshufb"},
		{host.LevelAVX2, vec.F32, partner(1), "vpshufd vpshufd"},
		{host.LevelAVX2, vec.F32, partner(8), ""},
		{host.LevelAVX2, vec.F32, last, "vpermd"},
		{host.LevelAVX2, vec.F64, last, "vpermq"},
		{host.LevelAVX2, vec.F64, partner(12), ""},
	} {
		b := vec.NewBuilder("permute")
		at := vec.Mem{Base: b.Arg(0)}
		b.Store(c.typ, at, b.DoImm(vec.Permute, c.typ, c.imm, b.Load(c.typ, at, 0)), 0)
		if got := shuffles(t, c.level, b.Finish()); got != c.want {
			t.Errorf("%v, %s, %016x: %q, want %q", c.level, c.typ, uint64(c.imm), got, c.want)
		}
	}
}

// shuffles gives the mnemonics of a function whose loads and stores begin with other letters.
func shuffles(t *testing.T, level host.Level, f *vec.Func) string {
	c, err := x86.New(level)
	if err != nil {
		t.Fatal(err)
	}
	c.Record()
	if _, err := c.Add(f); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Finish(); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, l := range c.Listing() {
		op, _, _ := strings.Cut(l.Text, " ")
		if strings.HasPrefix(op, "vp") {
			out = append(out, op)
		}
	}
	return strings.Join(out, " ")
}
