package sasstest_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/assemble"
	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

type f32s = tile.F32T1[tile.D128]

func toInt32(x tile.In[f32s], y tile.InOut[tile.I32T1[tile.D128]]) {
	y.Store(tile.I32T1[tile.D128](x.Load(0)), 0)
}

func toUint8(x tile.In[f32s], y tile.InOut[tile.U8T1[tile.D128]]) {
	y.Store(tile.U8T1[tile.D128](x.Load(0)), 0)
}

func toInt8(x tile.In[f32s], y tile.InOut[tile.I8T1[tile.D128]]) {
	y.Store(tile.I8T1[tile.D128](x.Load(0)), 0)
}

func toInt64(x tile.In[f32s], y tile.InOut[tile.I64T1[tile.D128]]) {
	y.Store(tile.I64T1[tile.D128](x.Load(0)), 0)
}

func halfToUint32(x tile.In[tile.F16T1[tile.D128]], y tile.InOut[tile.U32T1[tile.D128]]) {
	y.Store(tile.U32T1[tile.D128](x.Load(0)), 0)
}

func doubleToInt32(x tile.In[tile.F64T1[tile.D128]], y tile.InOut[tile.I32T1[tile.D128]]) {
	y.Store(tile.I32T1[tile.D128](x.Load(0)), 0)
}

// disassembled gives the machine code of kernels, by target and kernel: one module has them all.
func disassembled(t *testing.T, kernels []any, targets ...string) map[string][]string {
	t.Helper()
	var entries []*tileir.Entry
	for _, k := range kernels {
		entries = append(entries, assemble.Case{Kernel: k}.Code(t, true).Module.Entries[0])
	}
	all := map[string][]string{}
	for _, target := range targets {
		all[target] = disassembledEntries(t, entries, target)
	}
	return all
}

// disassembledEntries gives the machine code of entries for a target.
func disassembledEntries(t *testing.T, entries []*tileir.Entry, target string) (texts []string) {
	t.Helper()
	m := &tileir.Module{}
	for i, e := range entries {
		named := *e
		named.Name = fmt.Sprint("k", i)
		m.Entries = append(m.Entries, &named)
	}
	functions := sasstest.Functions(sasstest.Disassemble(t, assemble.Bytecode(t, m), target))
	for _, e := range m.Entries {
		if functions[e.Name] == "" {
			t.Fatalf("%s: the cubin has no function %s", target, e.Name)
		}
		texts = append(texts, functions[e.Name])
	}
	return texts
}

// TestConversionsSaturate holds what floats become integers by against the instructions that saturate: the conversion
// itself to 32 bits, and as few more as the types need. A thread has one element, and Tile IR's own saturation, of f32
// to i32, takes three comparisons and three selections.
func TestConversionsSaturate(t *testing.T) {
	count := func(text, opcode string) int {
		return len(regexp.MustCompile(`\b`+opcode+`\b`).FindAllString(text, -1))
	}
	cases := []struct {
		name                      string
		kernel                    any
		f2i                       string
		clamps, compares, selects int
	}{
		{"f32 to i32", toInt32, `F2I\.TRUNC\.NTZ`, 0, 0, 0},
		{"f16 to u32", halfToUint32, `F2I\.U32\.F16\.TRUNC\.NTZ`, 0, 0, 0},
		{"f32 to u8", toUint8, `F2I\.U32\.TRUNC\.NTZ`, 1, 0, 0},
		{"f32 to i8", toInt8, `F2I\.TRUNC\.NTZ`, 2, 0, 0},
		{"f32 to i64", toInt64, `F2I\.S64\.TRUNC`, 0, 1, 1},
		{"f64 to i32", doubleToInt32, `F2I\.F64\.TRUNC`, 0, 1, 1},
	}
	var kernels []any
	for _, c := range cases {
		kernels = append(kernels, c.kernel)
	}
	for target, texts := range disassembled(t, kernels, "sm_90", "sm_100") {
		for i, c := range cases {
			text := texts[i]
			got := [...]int{count(text, c.f2i), count(text, `V?IMNMX(\.U32)?`), count(text, `[FD]SETP\.\S+`), count(text, `F?SEL`)}
			if want := [...]int{1, c.clamps, c.compares, c.selects}; got != want {
				t.Errorf("%s on %s: conversions, clamps, comparisons, selections %v, want %v:\n%s", c.name, target, got, want, text)
			}
		}
	}
}

func knownToInt32(y tile.InOut[tile.I32T1[tile.D128]]) {
	x := float32(1e10)
	all := f32s(x)
	y.Store(tile.I32T1[tile.D128](all), 0)
}

func knownToUint32(y tile.InOut[tile.U32T1[tile.D128]]) {
	x := float32(1e10)
	all := f32s(x)
	y.Store(tile.U32T1[tile.D128](all), 0)
}

func powerToInt32(y tile.InOut[tile.I32T1[tile.D128]]) {
	x := f32s(10)
	for i := 0; i < 11; i++ {
		x *= 10
	}
	y.Store(tile.I32T1[tile.D128](x), 0)
}

func knownToInt64(y tile.InOut[tile.I64T1[tile.D128]]) {
	x := float32(-1e30)
	all := f32s(x)
	y.Store(tile.I64T1[tile.D128](all), 0)
}

func int64ThroughDouble(x tile.In[tile.I64T1[tile.D128]], y tile.InOut[tile.I32T1[tile.D128]]) {
	y.Store(tile.I32T1[tile.D128](tile.F64T1[tile.D128](x.Load(0))), 0)
}

func signedToUnsigned(x tile.In[tile.I16T1[tile.D128]], y tile.InOut[tile.U32T1[tile.D128]]) {
	y.Store(tile.U32T1[tile.D128](f32s(x.Load(0))), 0)
}

func uint64ThroughFloat(x tile.In[tile.U64T1[tile.D128]], y tile.InOut[tile.I64T1[tile.D128]]) {
	y.Store(tile.I64T1[tile.D128](f32s(x.Load(0)>>40<<40)), 0)
}

func int32ToInt8(x tile.In[tile.I32T1[tile.D128]], y tile.InOut[tile.I8T1[tile.D128]]) {
	y.Store(tile.I8T1[tile.D128](tile.F16T1[tile.D128](x.Load(0))), 0)
}

// TestKnownNumbersSaturate is about what the assembler computes itself: it stores the greatest or least integer, and does
// not take an integer that went through a float for the integer it was.
func TestKnownNumbersSaturate(t *testing.T) {
	cases := []struct {
		name   string
		kernel any
		code   string
	}{
		{"f32 to i32", knownToInt32, `0x7fffffff\b`},
		{"f32 to u32", knownToUint32, `(0xffffffff| -0x1)\b`},
		{"power of f32 to i32", powerToInt32, `0x7fffffff\b`},
		{"f32 to i64", knownToInt64, `0x80000000`},
		{"i64 through f64 to i32", int64ThroughDouble, `\bF2I`},
		{"i16 through f32 to u32", signedToUnsigned, `\bF2I`},
		{"u64 through f32 to i64", uint64ThroughFloat, `\bF2I`},
		{"i32 through f16 to i8", int32ToInt8, `\bF2I`},
	}
	var kernels []any
	for _, c := range cases {
		kernels = append(kernels, c.kernel)
	}
	for target, texts := range disassembled(t, kernels, "sm_90", "sm_120") {
		for i, c := range cases {
			text := texts[i]
			if !regexp.MustCompile(c.code).MatchString(text) || !regexp.MustCompile(`\bSTG\b`).MatchString(text) {
				t.Errorf("%s on %s: found no %s, or nothing is stored:\n%s", c.name, target, c.code, text)
			}
		}
	}
}
