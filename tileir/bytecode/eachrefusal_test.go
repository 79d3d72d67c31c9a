package bytecode_test

import (
	"testing"

	. "github.com/cutile-go/cutile/tileir"
)

// module makes a module of the operation and a return.
func (w wrong) module() wrongModule {
	return wrongModule{want: w.want, lenient: w.lenient, build: func() *Module {
		return kernel(func(b *builder) { b.add(w.op, w.s) })
	}}
}

// Faults that many operations share.
const (
	noFloat   = "operand source: expected a tile of f16, bf16, f32 or f64, but found tile<4xi32>"
	noInt     = "operand source: expected a tile of i1, i8, i16, i32 or i64, but found tile<4xf32>"
	otherType = "result: expected the type of source, tile<4x"
	otherLeft = "rhs: expected the type of lhs, tile<4x"
	intLeft   = "operand lhs: expected a tile of i1, i8, i16, i32 or i64, but found tile<4xf32>"
)

var signed = named{"signedness": Signed}

// wrongRest are faults of the operations of a body that TestVerifyRefuses has none of by name.
var wrongRest = []wrong{
	un("absf", i32v, i32v, nil, noFloat), un("ceil", i32v, i32v, nil, noFloat), un("cos", i32v, i32v, nil, noFloat),
	un("cosh", i32v, i32v, nil, noFloat), un("floor", i32v, i32v, nil, noFloat), un("log", i32v, i32v, nil, noFloat),
	un("log2", f32v, f16v, nil, otherType), un("negf", f32v, Tile(F32, 8), nil, otherType), un("sin", f32v, f16v, nil, otherType),
	un("sinh", f32v, f16v, nil, otherType), un("tan", f32v, f16v, nil, otherType),
	bin("fpowf", f32v, f16v, f32v, nil, "exponent: expected the type of result, tile<4xf32>, but found tile<4xf16>"),
	bin("remf", f32v, f16v, f32v, nil, otherLeft),
	{op: "fma", s: sample{operands: each(f32v, f32v, f16v), results: ts(f32v), attrs: nearest}, want: "acc: expected the type of lhs, tile<4xf32>, but found tile<4xf16>"},

	bin("addi", f32v, f32v, f32v, nil, intLeft), bin("andi", f32v, f32v, f32v, nil, intLeft), bin("maxi", f32v, f32v, f32v, signed, intLeft),
	bin("mini", i32v, Tile(I64, 4), i32v, signed, otherLeft), bin("muli", i32v, Tile(I64, 4), i32v, nil, otherLeft),
	bin("ori", i32v, Tile(I64, 4), i32v, nil, otherLeft), bin("subi", i32v, Tile(I32, 8), i32v, nil, otherLeft),
	bin("xori", i32v, Tile(I32, 8), i32v, nil, otherLeft),
	bin("mulhii", i32v, Tile(I64, 4), i32v, nil, "y: expected the type of x, tile<4xi32>, but found tile<4xi64>"),
	bin("shli", i32v, i32v, i32v, named{"overflow": Int(9)}, "attribute overflow: expected none, no_signed_wrap, no_unsigned_wrap or no_wrap, but found 9"),
	bin("shri", i32v, i32v, i32v, named{"signedness": Int(2)}, "attribute signedness: expected unsigned or signed, but found 2"),
	{op: "mmai", s: sample{operands: each(Tile(I8, 4, 8), Tile(I8, 4, 16), Tile(I32, 4, 16)), results: ts(Tile(I32, 4, 16)),
		attrs: named{"signedness_lhs": Signed, "signedness_rhs": Signed}}, want: "operand rhs: expected extent 8 along K, as lhs has, but found 4"},

	mem("assert", each(f32v), nil, named{"message": String("x")}, "operand condition: expected a tile of i1, but found tile<4xf32>"),
	mem("get_tile_block_id", nil, ts(i32s, i32s, Tile(I64)), nil, "result blockId_z: expected a tile of rank 0 of i32, but found tile<i64>"),
	mem("get_num_tile_blocks", nil, ts(i32s, i32v, i32s), nil, "result gridSize_y: expected a tile of rank 0 of i32, but found tile<4xi32>"),
	mem("make_token", nil, ts(i32s), nil, "result result: expected a token, but found tile<i32>"),
	mem("gdc_wait_tko", each(i32s), ts(Token), nil, "operand token: expected a token, but found tile<i32>"),
	mem("gdc_launch_dependents_tko", each(i32s), ts(Token), nil, "operand token: expected a token, but found tile<i32>"),
	mem("memory_fence_alias_tko", each(i32s), ts(Token), nil, "operand token: expected a token, but found tile<i32>"),
}

// inBranch builds an if whose only block ends in a terminator with some operands.
func inBranch(terminator string, operands ...Type) func(b *builder) {
	return func(b *builder) {
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{region(nil, func(b *builder, _ []*Value) {
			var vs []*Value
			for _, t := range operands {
				vs = append(vs, b.value(t))
			}
			b.op(terminator, [][]*Value{vs}, nil)
		}), nil})
	}
}

// wrongWhole are faults of operations with regions, of terminators, and of the rows that stand in no body.
var wrongWhole = map[string]wrongModule{
	"if": body("an if with results needs an else", func(b *builder) {
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{yieldBlock(f32v), nil}, f32v)
	}),
	"for": body("the block needs an argument for the loop's index", forWith(nil, nil, func(b *builder, _ []*Value) { b.op("continue", nil, nil) })),
	"loop": body("block arguments: expected 1 values, but found 0", func(b *builder) {
		b.opWith("loop", one(b.value(i32s)), nil, []*Block{region(nil, func(b *builder, _ []*Value) { b.op("break", nil, nil) })})
	}),
	"reduce": body("attribute dim: 2 is not in 0..1", func(b *builder) { reduceWith(b, 2, zeroID, Tile(F32, 8), ts(f32s, f32s), lhs) }),
	"scan": body("result 0: expected tile<4x8xf32>, but found tile<8xf32>", func(b *builder) {
		b.opWith("scan", one(b.value(tileV)), named{"dim": Int(0), "reverse": Bool(false), "identities": zeroID},
			[]*Block{region(ts(f32s, f32s), lhs)}, Tile(F32, 8))
	}),
	"yield":    body("yield must stand in if, reduce or scan, but stands in loop", func(b *builder) { inLoop(b, func(b *builder) { b.op("yield", nil, nil) }) }),
	"break":    body("break must stand in a loop, but stands in entry", inBranch("break")),
	"continue": body("continue must stand in for or loop, but stands in entry", inBranch("continue")),
	"return":   body("an entry returns nothing, but found 1 operands", inBranch("return", i32s)),

	"entry":  paramWrong(f32v, "parameter 0: expected a tile of rank 0, but found tile<4xf32>", false),
	"global": globalWrong(&Global{Name: "g", Value: &Constant{Type: f32s, Data: make([]byte, 4)}}, "global g: expected a value of rank 1, but found tile<f32>"),
	"module": {want: "entry k: the name is already taken", build: func() *Module {
		m := kernel(func(*builder) {})
		m.Entries = append(m.Entries, kernel(func(*builder) {}).Entries...)
		return m
	}},
}

// TestVerifyRefusesEachOperation has a fault of its own for every operation. Those that TestVerifyRefuses knows by name
// lend their first.
func TestVerifyRefusesEachOperation(t *testing.T) {
	faults := map[string]wrongModule{}
	versions := map[string]Version{}
	for _, list := range [][]wrong{wrongRest, wrongMath, wrongCore, wrongMemory, wrongTypes, wrongVersions} {
		for _, w := range list {
			if _, known := faults[w.op]; !known {
				faults[w.op], versions[w.op] = w.module(), w.version
			}
		}
	}
	for op, w := range wrongWhole {
		faults[op] = w
	}
	for _, in := range Infos() {
		t.Run(in.Mnemonic, func(t *testing.T) {
			w, ok := faults[in.Mnemonic]
			if !ok {
				t.Fatal("no fault of this operation")
			}
			v := Newest
			if versions[in.Mnemonic] != 0 {
				v = versions[in.Mnemonic]
			}
			refused(t, w.build(), v, w.want, w.lenient)
		})
	}
}
