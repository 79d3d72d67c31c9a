package bytecode_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// TestHintsOfOtherKinds has hints that NVIDIA's tools pass over: they can be read, printed as the disassembler does,
// parsed and written, and are warnings.
func TestHintsOfOtherKinds(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for want, v := range map[string]HintValue{
		"5":                                 {Elem: I64, Int: 5},
		"-1":                                {Elem: I8, Int: -1},
		"true":                              {Elem: I1, Int: 1},
		"false":                             {Other: Bool(false)},
		"1.000000e+00":                      {Other: Number{Elem: F32, Bits: 0x3f800000}},
		"1.500000e+00":                      {Other: Number{Elem: F8E5M2, Bits: 0x3e}},
		`"a \22q"`:                          {Other: String(`a "q`)},
		"[]":                                {Other: List{}},
		`["a", 7 : i32, true, 9, [2 : i8]]`: {Other: List{String("a"), Number{Elem: I32, Bits: 7}, Bool(true), Number{Elem: I64, Bits: 9}, List{Number{Elem: I8, Bits: 2}}}},
		"{key = 7 : i32, more = {}}":        {Other: Dict{{Name: "key", Value: Number{Elem: I32, Bits: 7}}, {Name: "more", Value: Dict{}}}},
		"f16":                               {Other: TypeValue{Type: ScalarType{Elem: F16}}},
		"!cuda_tile.tile<4xf32>":            {Other: TypeValue{Type: f32v}},
		"(!cuda_tile.tile<4xf32>, f16) -> !cuda_tile.token": {Other: TypeValue{Type: &FuncType{Params: ts(f32v, ScalarType{Elem: F16}), Results: ts(Token)}}},
		"() -> (f16, i1)":                             {Other: TypeValue{Type: &FuncType{Params: ts(), Results: ts(ScalarType{Elem: F16}, ScalarType{Elem: I1})}}},
		"(!cuda_tile.token) -> ()":                    {Other: TypeValue{Type: &FuncType{Params: ts(Token), Results: ts()}}},
		"#cuda_tile.div_by<4>":                        {Other: DivBy{Divisor: 4}},
		"#cuda_tile.bounded<?, 3>":                    {Other: Bounded{Upper: i64p(3)}},
		"#cuda_tile.same_elements<[1, 2]>":            {Other: SameElements{1, 2}},
		"#cuda_tile.optimization_hints<default = {}>": {Other: Hints{{Arch: "default"}}},
	} {
		m := kernel(func(b *builder) {})
		m.Entries[0].Hints = Hints{{Arch: "sm_90", Hints: []Hint{{Name: "occupancy", Value: v}}}}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		text, err := disassembled(t, tool, data, irtext.Sprint(m))
		if err != nil || !strings.Contains(text, "optimization_hints=<sm_90 = {occupancy = "+want+"}>") {
			t.Errorf("%s: tileirdisasm: %v: %s", want, err, text)
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		if got := irtext.Sprint(again); got != text {
			t.Error(firstDifference(got, text))
		}
		second, err := bytecode.Write(again, Newest, bytecode.Options{})
		if err != nil || !bytes.Equal(second, data) {
			t.Errorf("%s: written again: %v\n% x\n% x", want, err, second, data)
		}
		parsed, err := irtext.Parse(text, irtext.ParseOptions{})
		if err != nil {
			t.Errorf("%s: %v", want, err)
		} else if irtext.Sprint(parsed) != text {
			t.Error(firstDifference(irtext.Sprint(parsed), text))
		}
		if err := m.Verify(Newest); err != nil {
			t.Errorf("%s: Verify says %v", want, err)
		}
		if w := Warnings(m, Newest); len(w) != 1 || !strings.Contains(w[0].Error(), "hint occupancy: expected ") {
			t.Errorf("%s: warnings %v", want, w)
		}
	}
}

// TestHintNumbers: of the number in a hint the bits count that its type has, with a sign but for i1.
func TestHintNumbers(t *testing.T) {
	for e, want := range map[Elem]func(n int) int64{
		I1: func(n int) int64 { return int64(n % 2) }, I4: func(n int) int64 { return int64((n+8)%16 - 8) },
		I8: func(n int) int64 { return int64(n) }, I16: func(n int) int64 { return int64(n) },
		I32: func(n int) int64 { return int64(n) }, I64: func(n int) int64 { return int64(n) },
	} {
		file := func(n int64) []byte {
			m := kernel(func(*builder) {})
			m.Entries[0].Hints = hint("occupancy", HintValue{Elem: e, Int: n})
			data, err := bytecode.Write(m, Newest, bytecode.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
		data, zero, at := file(1), file(0), 0
		for data[at] == zero[at] {
			at++
		}
		for n := range 128 {
			data[at] = byte(n)
			m, _, err := bytecode.Read(data)
			if err != nil {
				t.Fatalf("%v: %d: %v", e, n, err)
			}
			if got := m.Entries[0].Hints[0].Hints[0].Value; got.Elem != e || got.Int != want(n) {
				t.Errorf("%v: %d is read as %d of %v, want %d", e, n, got.Int, got.Elem, want(n))
			}
		}
	}
}

// TestHintWarnings has hints that NVIDIA's tools drop without a word: they are warnings, with where they stand.
func TestHintWarnings(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	load := func(h Hints) *Module {
		return kernel(func(b *builder) {
			b.add("load_ptr_tko", sample{operands: each(ptrs), results: ts(f32v, Token), attrs: weak.with("optimization_hints", h)})
		})
	}
	entry := func(h Hints) *Module {
		m := kernel(func(*builder) {})
		m.Entries[0].Hints = h
		return m
	}
	i32 := func(x int64) HintValue { return HintValue{Elem: I32, Int: x} }
	for want, m := range map[string]*Module{
		`unknown hint "allow_tma" here`:                                load(hint("allow_tma", HintValue{})),
		"hint latency: expected 1 to 10, but found 11":                 load(hint("latency", i32(11))),
		`unknown hint "latenzy" here`:                                  load(hint("latenzy", i32(1))),
		"hint latency: expected an i32, but found none":                load(hint("latency", HintValue{Bool: true})),
		`hints for "gpu": expected default or sm_ and a number`:        load(Hints{{Arch: "gpu"}}),
		`hints for "sm_90a": expected default or sm_ and a number`:     entry(Hints{{Arch: "sm_90a"}}),
		"hint occupancy: expected 1 to 32, but found 33":               entry(hint("occupancy", i32(33))),
		"hint num_cta_in_cga: expected a power of two, but found 3":    entry(hint("num_cta_in_cga", i32(3))),
		"hint num_worker_warps_per_cta: expected 4 to 8, but found 16": entry(hint("num_worker_warps_per_cta", i32(16))),
		`the entry: unknown hint "ocupancy" here`:                      entry(hint("ocupancy", i32(2))),
	} {
		if err := m.Verify(Newest); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if w := Warnings(m, Newest); len(w) != 1 || !strings.HasSuffix(w[0].Error(), want) || w[0].Entry == "" {
			t.Errorf("expected %s, but found %v", want, w)
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Error(err)
		} else if text, err := disassembled(t, tool, data, ""); err != nil {
			t.Errorf("%s: tileirdisasm: %v: %s", want, err, text)
		}
	}
	for _, name := range []string{"", "sm_10\x11", "a b", "a-b"} {
		for _, m := range []*Module{entry(Hints{{Arch: name}}), entry(hint(name, i32(1)))} {
			if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), "expected a name of letters, digits and underscores") {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
	for _, arch := range []string{"sm_90", "sm_100", "default"} {
		if w := Warnings(entry(Hints{{Arch: arch}}), Newest); w != nil {
			t.Error(w)
		}
	}
}
