package bytecode_test

import (
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// made makes some value of a type with the builder's methods, as [builder.value] does from the table.
func made(b *Builder, t Type) *Value {
	switch t := t.(type) {
	case TokenType:
		return b.MakeToken()
	case *TensorViewType:
		dynamic := func(xs []int64) (out []*Value) {
			for _, x := range xs {
				if x == Dynamic {
					out = append(out, made(b, i32s))
				}
			}
			return out
		}
		shape, strides := dynamic(t.Shape), dynamic(t.Strides)
		return b.MakeTensorView(made(b, PointerTile(t.Elem)), shape, strides, t)
	case *PartitionViewType:
		return b.MakePartitionView(made(b, t.Tensor), t)
	case *StridedViewType:
		return b.MakeStridedView(made(b, t.Tensor), t)
	case *GatherScatterViewType:
		return b.MakeGatherScatterView(made(b, t.Tensor), t)
	}
	tile := t.(*TileType)
	switch {
	case tile.Pointer:
		return b.IntToPtr(made(b, Tile(I64, tile.Shape...)), tile.Elem)
	case tile.Elem == I4:
		return b.TruncI(made(b, Tile(I8, tile.Shape...)), I4)
	}
	return zero(b, tile)
}

// hasPointerAttr reports whether a sample uses the pointer attribute, which no method of the builder can ask for.
func (s sample) hasPointerAttr() bool {
	for _, types := range append(s.operands[:len(s.operands):len(s.operands)], s.results) {
		for _, t := range types {
			switch t := t.(type) {
			case *TileType:
				if t.PtrAttr {
					return true
				}
			case *TensorViewType:
				if t.PtrAttr {
					return true
				}
			}
		}
	}
	return false
}

// builtSamples makes the samples of an operation twice: from the table, and with the builder's method for it.
func builtSamples(t *testing.T, in *Info) (table *Module, methods func(b *Builder)) {
	var list []sample
	for _, s := range samples[in.Mnemonic] {
		if !s.hasPointerAttr() {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		t.Fatal("no sample of this operation")
	}
	table = kernel(func(raw *builder) {
		for _, s := range list {
			raw.add(in.Mnemonic, s)
		}
	})
	return table, func(b *Builder) {
		method := methodOf(b, in)
		if !method.IsValid() {
			t.Fatal("Builder has no method for this operation")
		}
		b.Entry("k", nil, func([]*Value) {
			for _, s := range list {
				a := &sampleArgs{in: in, s: s, operands: make([][]*Value, len(in.Operands))}
				for i, types := range s.operands {
					for _, ty := range types {
						a.operands[i] = append(a.operands[i], made(b, ty))
					}
				}
				callMethod(method, a)()
			}
		})
	}
}

// inEntry builds the body of the kernel k.
func inEntry(body func(b *Builder)) func(b *Builder) {
	return func(b *Builder) { b.Entry("k", nil, func([]*Value) { body(b) }) }
}

// builtStructures builds what [structured] makes from the table, and the rows that stand in no body.
var builtStructures = map[string]struct {
	table   func(Version) *Module
	methods func(b *Builder)
}{
	"if": {ifs, inEntry(buildIfs)}, "yield": {ifs, inEntry(buildIfs)}, "for": {fors, inEntry(buildFors)},
	"continue": {fors, inEntry(buildFors)}, "loop": {loops, inEntry(buildLoops)}, "break": {loops, inEntry(buildLoops)},
	"return": {returns, inEntry(buildReturns)}, "reduce": {reductions, inEntry(buildReductions)},
	"scan": {reductions, inEntry(buildReductions)}, "get_global": {globals, buildGlobals},
	"global": {globals, buildGlobals}, "entry": {globals, buildGlobals}, "module": {globals, buildGlobals},
}

func buildGlobals(b *Builder) {
	b.Module.Producer = "test"
	pair := IntConstant(Tile(I16, 2), 1, 2)
	b.Global("g", pair).Align = 64
	b.Global("$quoted", FloatConstant(Tile(F32, 1), 1))
	same := &Constant{Type: pair.Type, Data: []byte{1, 0}}
	b.Global("p", same).Private = true
	b.Global("c", same).Constant = true
	g := b.Global("pc", same)
	g.Private, g.Constant, g.Align = true, true, 16
	b.Entry("k", nil, func([]*Value) { b.GetGlobal("g", I16) })
	e := b.Entry("hidden", []Type{i32s, PointerTile(F32)}, func([]*Value) { zero(b, i32s) })
	e.Private = true
	e.Hints = Hints{{Arch: "sm_90", Hints: []Hint{{Name: "occupancy", Value: HintValue{Elem: I32, Int: 2}}}}, {Arch: "default"}}
}

// TestBuilderEachOperation builds every operation with the builder's method alone, so that Build checks it, and
// compares with what the table gives.
func TestBuilderEachOperation(t *testing.T) {
	for _, in := range Infos() {
		t.Run(in.Mnemonic, func(t *testing.T) {
			var want *Module
			var methods func(b *Builder)
			if s, ok := builtStructures[in.Mnemonic]; ok {
				want, methods = s.table(Newest), s.methods
			} else {
				want, methods = builtSamples(t, in)
			}
			b := NewBuilder()
			methods(b)
			got, err := b.Build(Newest)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := text.Sprint(got), text.Sprint(want); a != b {
				t.Error(firstDifference(a, b))
			}
			if err := equalModules(want, got); err != nil {
				t.Error(err)
			}
		})
	}
}
