package grammar

import (
	"slices"
	"strings"
	"testing"
)

// TestTable: facts of the specification, each of another part of the table.
func TestTable(t *testing.T) {
	g := Get()
	op := func(code uint32) *Op {
		o, ok := g.Op(code)
		if !ok {
			t.Fatalf("there is no instruction %d", code)
		}
		return o
	}
	if o := op(128); o.Name != "OpIAdd" || o.Class != "Arithmetic" || !o.HasType() || !o.HasResult() || len(o.Operands) != 4 || o.Needs.Since != 0x10000 {
		t.Errorf("%+v", o)
	}
	if o := op(62); o.Name != "OpStore" || o.HasType() || o.HasResult() || o.Operands[2].Many != Maybe || o.Operands[2].Kind.Category != Bits {
		t.Errorf("%+v", o)
	}
	if o := op(19); o.HasType() || !o.HasResult() {
		t.Errorf("%+v", o)
	}
	if o := op(251); o.Operands[2].Many != Any || len(o.Operands[2].Kind.Bases) != 2 {
		t.Errorf("%+v", o)
	}
	kind := g.Kind("Capability")
	atomics, ok := kind.Named("AtomicFloat32AddEXT")
	if !ok || atomics.Needs.Since != 0 || !slices.Equal(atomics.Needs.Extensions, []string{"SPV_EXT_shader_atomic_float_add"}) {
		t.Errorf("%+v", atomics)
	}
	matrix, _ := kind.Find(0)
	shader, _ := kind.Find(1)
	if !slices.Equal(shader.Needs.Capabilities, []uint32{matrix.Value}) {
		t.Errorf("%+v implies not %+v", shader, matrix)
	}
	if e, ok := g.Kind("MemoryAccess").Named("MakePointerAvailableKHR"); !ok || e.Name != "MakePointerAvailable" || e.Params[0].Kind.Name != "IdScope" || e.Needs.Since.String() != "1.5" {
		t.Errorf("%+v", e)
	}
	if e, ok := g.Kind("Decoration").Named("BufferBlock"); !ok || e.Needs.Until.String() != "1.3" {
		t.Errorf("%+v", e)
	}
	glsl, ok := g.Set("GLSL.std.450")
	if !ok {
		t.Fatal("no GLSL")
	}
	if fma, ok := glsl.Op(50); !ok || fma.Name != "Fma" || len(fma.Operands) != 3 {
		t.Errorf("%+v", fma)
	}
	if g.Tools[8] != "Khronos Glslang Reference Front End" {
		t.Error(g.Tools[8])
	}
	if !slices.IsSortedFunc(g.Ops, func(a, b *Op) int { return int(a.Code) - int(b.Code) }) {
		t.Error("the instructions are not sorted")
	}
}

// TestMistakes: a line that is wrong is named.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"op x OpNop Miscellaneous | 1.0":             `line 1, "op x OpNop Miscellaneous | 1.0": `,
		"op 1 OpNop | 1.0":                           "expected a number and a name",
		"op 1 OpNop Miscellaneous Nothing | 1.0":     `there is no kind "Nothing"`,
		"op 1 OpNop Miscellaneous | 1.0 Nothing":     `"Nothing" is neither a capability nor an extension`,
		"kind A composite B":                         `there is no kind "B"`,
		"kind A":                                     "expected a name and a category",
		"    1 X | 1.0":                              "there is no kind or set before it",
		"tool x Khronos":                             "invalid syntax",
		"kind Capability value\n    0 A | 1.0 B | 1": `"B" is neither a capability nor an extension`,
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}
