package spirv_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestForeign: modules of another compiler are read, written and printed as spirv-dis does; compute kernels are accepted, and others
// refused.
func TestForeign(t *testing.T) {
	testenv.Elsewhere(t)
	tool := testenv.SpirvTool(t, "spirv-dis")
	for file, data := range foreign(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m := read(t, data)
			sameText(t, m.String(), disassemble(t, tool, data))
			if err := spirv.Verify(m); (err == nil) != (filepath.Ext(file) == ".comp") {
				t.Error(err)
			}
		})
	}
}

// entryModels gives the execution models of a module's entry points, sorted and once each.
func entryModels(m *spirv.Module) string {
	var models []uint32
	for _, in := range m.Instrs {
		if in.Op == spirv.OpEntryPoint {
			models = append(models, in.Operands[0].Word())
		}
	}
	slices.Sort(models)
	return fmt.Sprint(slices.Compact(models))
}

// TestCorpus: the same for every .spv in the folder that CUTILE_SPIRV_CORPUS names; of compute kernels, Verify says what spirv-val does.
func TestCorpus(t *testing.T) {
	folder := os.Getenv("CUTILE_SPIRV_CORPUS")
	if folder == "" {
		t.Skip("CUTILE_SPIRV_CORPUS names no folder of modules")
	}
	tool := testenv.SpirvTool(t, "spirv-dis")
	val := testenv.SpirvTool(t, "spirv-val")
	files, err := filepath.Glob(filepath.Join(folder, "*.spv"))
	if err != nil || len(files) == 0 {
		t.Fatal("no modules: ", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text, ok := run(t, tool, data, "--raw-id", "-")
			m, err := spirv.Read(data)
			if !ok && err == nil {
				t.Skip("spirv-dis does not read it: ", text)
			}
			if err != nil {
				t.Fatal(err)
			}
			names := aliases() // older tools prefer some
			sameText(t, canonical(m.String(), names), canonical(text, names))
			if entryModels(m) == "[5]" { // compute kernels
				text, ok := valid(t, val, m)
				if err := spirv.Verify(m); ok != (err == nil) {
					t.Errorf("spirv-val: %t %s; Verify: %v", ok, text, err)
				}
			}
		})
	}
}

// TestNumbers: numbers of every type, special ones and random ones, are printed as spirv-dis does.
func TestNumbers(t *testing.T) {
	tool := testenv.SpirvTool(t, "spirv-dis")
	r := rand.New(rand.NewPCG(1, 2))
	words := []uint32{spirv.Magic, 0x10300, 0, 10000, 0}
	add := func(op spirv.Op, w ...uint32) { words = append(append(words, uint32(len(w)+1)<<16|uint32(op)), w...) }
	types := []struct {
		op    spirv.Op
		width uint32
		more  []uint32
	}{
		{spirv.OpTypeInt, 8, []uint32{0}}, {spirv.OpTypeInt, 16, []uint32{0}}, {spirv.OpTypeInt, 32, []uint32{0}}, {spirv.OpTypeInt, 64, []uint32{0}},
		{spirv.OpTypeInt, 8, []uint32{1}}, {spirv.OpTypeInt, 16, []uint32{1}}, {spirv.OpTypeInt, 32, []uint32{1}}, {spirv.OpTypeInt, 64, []uint32{1}},
		{spirv.OpTypeFloat, 16, nil}, {spirv.OpTypeFloat, 32, nil}, {spirv.OpTypeFloat, 64, nil},
	}
	id := uint32(1)
	for _, typ := range types {
		name := id
		add(typ.op, append([]uint32{id, typ.width}, typ.more...)...)
		special := []uint64{0, 1, 2, 3, 0x7c00, 0x7bff, 0x7e00, 0x3c00, 1 << 15, 0x3f800000, 0x7f800000, 0x7fc00000, 0xff800000, 1 << 31, 0x00400000, 0x00800000,
			0x7ff0000000000000, 0x7ff8000000000000, 1 << 63, 1 << 51, 1 << 52, math.MaxUint64}
		for _, f := range []float64{0.1, 1e-4, 9.9999e-5, 1e5, 123456789, 1e9, 999999999.5, 1e16, 1e17, 1e100, 1.0 / 3, 2.5, 100} {
			special = append(special, math.Float64bits(f), uint64(math.Float32bits(float32(f))))
		}
		for n := range 200 {
			bits := r.Uint64() >> (r.Uint32() % 64)
			if n < len(special) {
				bits = special[n]
			}
			if typ.width < 32 {
				bits &= 1<<typ.width - 1
				if sign := uint64(1) << (typ.width - 1); len(typ.more) == 1 && typ.more[0] == 1 && bits&sign != 0 {
					bits |= math.MaxUint64 << typ.width
				}
			}
			id++
			w := []uint32{name, id, uint32(bits)}
			if typ.width == 64 {
				w = append(w, uint32(bits>>32))
			}
			add(spirv.OpConstant, w...)
		}
		id++
	}
	data := spirv.Bytes(words)
	sameText(t, read(t, data).String(), disassemble(t, tool, data))
}

// TestByteOrder: a module in the other byte order is the same module.
func TestByteOrder(t *testing.T) {
	words := smallest().Words()
	var b []byte
	for _, w := range words {
		b = binary.BigEndian.AppendUint32(b, w)
	}
	m, err := spirv.Read(b)
	if err != nil || !slices.Equal(m.Words(), words) {
		t.Fatal(err)
	}
}

// TestReadMistakes: what is wrong in words is refused with its place.
func TestReadMistakes(t *testing.T) {
	header := []uint32{spirv.Magic, 0x10500, 0, 10, 0}
	op := func(op spirv.Op, w ...uint32) []uint32 {
		return append([]uint32{uint32(len(w)+1)<<16 | uint32(op)}, w...)
	}
	for _, m := range []struct {
		words []uint32
		want  string
	}{
		{nil, "word 0: the module has 0 words"},
		{[]uint32{1, 2, 3, 4, 5}, "this is no SPIR-V module"},
		{[]uint32{spirv.Magic, 0x20000, 0, 10, 0}, "version 0x20000 is not known"},
		{[]uint32{spirv.Magic, 0x10500, 0, 0, 0}, "the bound of IDs is 0"},
		{[]uint32{spirv.Magic, 0x10500, 0, math.MaxUint32, 0}, "the bound of IDs is 4294967295, expected 1 to 4194304"},
		{[]uint32{spirv.Magic, 0x10500, 0, 1, 7}, "the schema is 7"},
		{slices.Concat(header, []uint32{0}), "word 5: the instruction has 0 words"},
		{slices.Concat(header, op(spirv.OpTypeVoid, 1), []uint32{3<<16 | 19, 2}), "word 7, OpTypeVoid: the instruction has 3 words, expected 1 to 2"},
		{slices.Concat(header, op(65535)), "there is no instruction 65535"},
		{slices.Concat(header, op(spirv.OpTypeVoid)), "ends before the operand of kind IdResult"},
		{slices.Concat(header, op(spirv.OpTypeVoid, 10)), "ID 10 is not from 1 to 9"},
		{slices.Concat(header, op(spirv.OpTypeVoid, 0)), "ID 0 is not from 1 to 9"},
		{slices.Concat(header, op(spirv.OpTypeVoid, 1, 2)), "1 words follow the last operand"},
		{slices.Concat(header, op(spirv.OpCapability, 99999)), "there is no Capability 99999"},
		{slices.Concat(header, op(spirv.OpLoad, 1, 2, 3, 1<<30)), "there is no MemoryAccess 0x40000000"},
		{slices.Concat(header, op(spirv.OpLoad, 1, 2, 3, 2)), "ends before the operand of kind LiteralInteger"},
		{slices.Concat(header, op(spirv.OpExtension, 0x61616161)), "a string does not end within the instruction"},
		{slices.Concat(header, op(spirv.OpExtension, 0x61006161)), "bytes that are not zero follow the end of a string"},
		{slices.Concat(header, op(spirv.OpConstant, 1, 2, 3)), "the type of the number, ID 1, is no integer or float"},
		{slices.Concat(header, op(spirv.OpTypeInt, 1, math.MaxUint32, 0), op(spirv.OpConstant, 1, 2, 3)), "is no integer or float of at most 64 bits"},
		{slices.Concat(header, op(spirv.OpTypeInt, 1, 64, 0), op(spirv.OpConstant, 1, 2, 3)), "ends before the operand of kind LiteralContextDependentNumber"},
		{slices.Concat(header, op(spirv.OpExtInst, 1, 2, 3, 4)), "ID 3 is no set of extended instructions"},
		{slices.Concat(header, op(spirv.OpExtInstImport, 1, 0x4c534c47, 0x6474732e, 0x3035342e, 0), op(spirv.OpExtInst, 1, 2, 1, 999)), "GLSL.std.450 has no instruction 999"},
		{slices.Concat(header, op(spirv.OpSpecConstantOp, 1, 2, uint32(spirv.OpStore))), "instruction 62 makes no constant"},
		{slices.Concat(header, op(spirv.OpSwitch, 1, 2, 3, 4)), "the type of the number, ID 0, is no integer"},
	} {
		_, err := spirv.ReadWords(m.words)
		var mistake *spirv.ReadError
		if !errors.As(err, &mistake) || !strings.Contains(err.Error(), m.want) {
			t.Errorf("%v: %v, want %q", m.words, err, m.want)
		}
	}
	if _, err := spirv.Read(make([]byte, 21)); err == nil || !strings.Contains(err.Error(), "21 bytes, expected a multiple of 4") {
		t.Error(err)
	}
}

// TestReadMemory: a module takes memory in proportion to its words, whatever it claims.
func TestReadMemory(t *testing.T) {
	testenv.Alone(t)
	words := []uint32{spirv.Magic, 0x10500, 0, spirv.MaxBound, 0}
	for range 1 << 16 {
		words = append(words, 0xfff<<16|uint32(spirv.OpEntryPoint))
		words = append(words, make([]uint32, 14)...)
	}
	for name, words := range map[string][]uint32{"long instructions": words, "none": words[:5], "nops": append(words[:5:5], slices.Repeat([]uint32{1 << 16}, 1<<20)...)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, _ := spirv.ReadWords(words)
		spirv.Verify(m)
		runtime.ReadMemStats(&after)
		if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+1500*len(words)); got > limit {
			t.Errorf("%s: %d bytes for %d words, expected at most %d", name, got, len(words), limit)
		}
	}
}

// FuzzRead: no bytes make the reader, the printer or the verifier panic, and what is read is written as it was.
func FuzzRead(f *testing.F) {
	for _, m := range samples() {
		f.Add(m.build().Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.Read(data)
		if err != nil {
			return
		}
		if got := m.Bytes(); binary.LittleEndian.Uint32(data) == spirv.Magic && !bytes.Equal(got, data) {
			t.Fatalf("%x is written as %x", data, got)
		}
		if text := m.String(); !strings.HasPrefix(text, "; SPIR-V\n") {
			t.Fatal(text)
		}
		if err := spirv.Verify(m); err != nil && fmt.Sprint(err) == "" {
			t.Fatal("a mistake without a text")
		}
	})
}
