package bytecode_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// explained is something that differs from NVIDIA's tools on purpose.
type explained struct {
	text    string // a regular expression for the fault that Verify finds, or for the tool's output
	why     string
	example func() *Module
	version Version             // of the example; 0 for the newest
	when    func(r *trial) bool // of which mutants it may be true; nil for all
}

// sampleModule makes a module of one operation with operands of its own.
func sampleModule(op string, s sample) func() *Module {
	return func() *Module { return kernel(func(b *builder) { b.add(op, s) }) }
}

// stricter are the faults that Verify finds and the tools do not.
var stricter = []explained{
	{text: `^attribute value: expected the type of the result`,
		why:     "a file holds the bytes of a constant, not its type: written and read back the constant would be another",
		example: sampleModule("constant", sample{attrs: constantOf(f32v, 0, 0, 0, 0).attrs, results: ts(i32v)})},
	{text: `holds no pointers, so it has no pointer attribute$|: pointer attributes need version`,
		why: "a file has the attribute only with a pointer: it would be lost",
		example: sampleModule("constant", sample{attrs: constantOf(i32s, 0, 0, 0, 0).attrs,
			results: ts(&TileType{Elem: I32, PtrAttr: true})})},
	{text: `^attribute \w+: expected a truth value, but found a \*?tileir\.`,
		why:     "a flag of another kind is written as one that is not set",
		example: sampleModule("maxf", elementwise(f32v, 2, named{"flush_to_zero": Int(1)}))},
	{text: `^attribute \w+: expected [\w, ]+, but found 4294967296$|^attribute dim: -?\d{10,} is not in`,
		why:     "a file has 32 bits of an enum or integer: the value would come back as another",
		example: sampleModule("addf", elementwise(f32v, 2, named{"rounding_mode": Int(1 << 32)}))},
	{text: `: (hint|hints for) ".+": expected a name of letters, digits and underscores$`,
		why: "the disassembler prints such names as they are, so that nobody can read the text",
		example: func() *Module {
			m := kernel(func(*builder) {})
			m.Entries[0].Hints = Hints{{Arch: "sm 90"}}
			return m
		}},
	{text: `^global .+: alignment -?\d+ is not a power of two$`,
		why:     "an alignment is a power of two; the tools take any number without a word",
		example: globalWrong(&Global{Name: "g", Align: 3, Value: IntConstant(Tile(I16, 2), 1)}, "").build},
	{text: `^global .+: there are no constants of tile<\d+xi4>$`,
		why:     "nothing can refer to the global, since there are no pointers to i4",
		example: globalWrong(&Global{Name: "g", Value: &Constant{Type: Tile(I4, 2), Data: []byte{0}}}, "").build},
	{text: `^what the body yields: value \d+: expected tile<\w+>, but found tile<\d\S*>$`,
		why: "the body of a reduction has tiles of rank 0; the tools look only at the elements of what it yields",
		example: func() *Module {
			return kernel(func(b *builder) {
				reduceWith(b, 0, zeroID, Tile(F32, 8), ts(f32s, f32s), func(b *builder, _ []*Value) {
					b.op("yield", one(b.value(Tile(F32, 1))), nil)
				})
			})
		}},
	{text: `^result result_token: expected a token|^expected 1 results, but found 0$`,
		why:     "a file of 13.1 has no token of print_tko: it is lost, whatever it was",
		example: sampleModule("print_tko", sample{attrs: named{"str": String("x")}, results: ts(f32v)}), version: V13_1,
		when: func(r *trial) bool { return r.version == V13_1 }},
	{text: `^parameter \d+: expected a tile of rank 0, but found`,
		why:     "the disassembler prints such parameters; the assembler fails on them without a word",
		example: paramWrong(ScalarType{Elem: I32}, "", true).build},
}

// uncompiled are refusals of tileiras that do not say that a module is malformed.
var uncompiled = []explained{
	{text: `sub-byte element type: no statically-known contiguous dimension`,
		why:     "accesses to f4 compile where two elements are known to share a byte, which the assembler finds out by itself",
		example: func() *Module { return gathered(F4E2M1FN) }},
}

// gathered loads elements of a type that lie anywhere, and stores them.
func gathered(e Elem) *Module {
	b := NewBuilder()
	b.Entry("k", []Type{PointerTile(e), PointerTile(I32)}, func(p []*Value) {
		row := func(p *Value) *Value { return b.Broadcast(b.Reshape(p, 1), 4) }
		at, _ := b.LoadPtrTko(b.Offset(row(p[1]), b.Iota(Tile(I32, 4))), MemoryWeak)
		ptrs := b.Offset(row(p[0]), at)
		x, _ := b.LoadPtrTko(ptrs, MemoryWeak)
		b.StorePtrTko(ptrs, x, MemoryWeak)
	})
	return b.Module
}

// crashes are ends of tileirdisasm by a signal.
var crashes = []explained{
	{text: `^$`, why: "tileirdisasm 13.4.92 crashes while it prints some constants of fnv8E5M3FNU",
		example: sampleModule("constant", constantOf(Tile(FNV8E5M3FNU), 200)), when: hasHighScales},
}

// hasHighScales reports whether a mutant has a constant of fnv8E5M3FNU with its highest bit set.
func hasHighScales(r *trial) bool {
	u := &mutant{m: r.m}
	u.survey()
	return slices.ContainsFunc(u.sites, func(s site) bool {
		return slices.ContainsFunc(s.op.Attrs, func(a Attr) bool {
			c, ok := a.(*Constant)
			return ok && c.Type.Elem == FNV8E5M3FNU && slices.ContainsFunc(c.Data, func(b byte) bool { return b >= 128 })
		})
	})
}

// TestExplained shows that each row says what is true of its example.
func TestExplained(t *testing.T) {
	dis, asm := testenv.Tool(t, "tileirdisasm"), testenv.Tool(t, "tileiras")
	for _, row := range slices.Concat(stricter, uncompiled, crashes) {
		r := &trial{m: row.example(), version: row.version, arch: "sm_107"}
		if r.version == 0 {
			r.version = Newest
		}
		r.verify = faults(r.m.Verify(r.version))
		if r.data, r.write = bytecode.Write(r.m, r.version, bytecode.Options{}); r.write != nil {
			t.Errorf("%s: %v", row.why, r.write)
			continue
		}
		r.ask(t, dis, asm, t.TempDir()+"/k.tileirbc")
		v := r.judge()
		if len(v.problems) > 0 || !slices.Contains(v.rows, row.why) {
			t.Errorf("%s: Verify: %v; tileirdisasm: %s; tileiras: %s; %v", row.why, r.verify, r.dis.output, r.asm.output, v.problems)
		}
	}
}

// matches reports whether the row explains a text.
func (e *explained) matches(r *trial, text string) bool {
	return regexp.MustCompile(e.text).MatchString(text) && (e.when == nil || e.when(r))
}
