package bytecode_test

import . "github.com/cutile-go/cutile/tileir"

// wrongModule is a module whose structure is at fault.
type wrongModule struct {
	want    string
	build   func() *Module
	lenient bool
}

func body(want string, build func(b *builder)) wrongModule {
	return wrongModule{want: want, build: func() *Module { return kernel(build) }}
}

// inLoop builds a loop without values around a body.
func inLoop(b *builder, build func(b *builder)) {
	b.opWith("loop", [][]*Value{{}}, nil, []*Block{region(nil, func(b *builder, _ []*Value) { build(b) })})
}

func yieldBlock(vs ...Type) *Block {
	return region(nil, func(b *builder, _ []*Value) {
		var out []*Value
		for _, t := range vs {
			out = append(out, b.value(t))
		}
		b.op("yield", [][]*Value{out}, nil)
	})
}

// reduceWith builds a reduction of f32 tiles with everything to choose.
func reduceWith(b *builder, dim Int, ids Numbers, result Type, args []Type, build func(b *builder, args []*Value)) {
	b.opWith("reduce", one(b.value(tileV)), named{"dim": dim, "identities": ids}, []*Block{region(args, build)}, result)
}

var (
	f32s   = Tile(F32)
	zeroID = Numbers{{Elem: F32}}
	lhs    = func(b *builder, args []*Value) { b.op("yield", one(args[0]), nil) }
)

func forWith(args []Type, carried []Type, build func(b *builder, args []*Value)) func(b *builder) {
	return func(b *builder) {
		n := b.value(i32s)
		var inits []*Value
		for _, t := range carried {
			inits = append(inits, b.value(t))
		}
		b.opWith("for", append(one(n, n, n), inits), nil, []*Block{region(args, build)}, carried...)
	}
}

var wrongStructure = []wrongModule{
	body("an if with results needs an else", func(b *builder) {
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{yieldBlock(f32v), nil}, f32v)
	}),
	body("what a side yields: value 0: expected tile<4xf32>, but found tile<4xi32>", func(b *builder) {
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{yieldBlock(i32v), yieldBlock(f32v)}, f32v)
	}),
	body("results: a view cannot be carried", func(b *builder) {
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{yieldBlock(tensor), yieldBlock(tensor)}, tensor)
	}),
	body("operand condition: expected a tile of rank 0 of i1", func(b *builder) {
		b.opWith("if", one(b.value(i1v)), nil, []*Block{yieldBlock(), nil})
	}),
	body("takes no block arguments, but has 1", func(b *builder) {
		r := region(ts(i32s), func(b *builder, _ []*Value) { b.op("yield", nil, nil) })
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
	}),
	body("block arguments: expected 1 values, but found 0", forWith(ts(i32s), ts(f32v), func(b *builder, args []*Value) {
		b.op("continue", one(b.value(f32v)), nil)
	})),
	body("the block argument of the index: value 0: expected tile<i32>, but found tile<i64>", forWith(ts(Tile(I64)), nil, func(b *builder, args []*Value) {
		b.op("continue", nil, nil)
	})),
	body("the block needs an argument for the loop's index", forWith(nil, nil, func(b *builder, args []*Value) { b.op("continue", nil, nil) })),
	body("region region must end in continue, but ends in break", forWith(ts(i32s), nil, func(b *builder, args []*Value) { b.op("break", nil, nil) })),
	body("operand operands: expected 1 values, but found 0", forWith(ts(i32s, f32v), ts(f32v), func(b *builder, args []*Value) { b.op("continue", nil, nil) })),
	body("operand initValues: a view cannot be carried", forWith(ts(i32s, tensor), ts(tensor), func(b *builder, args []*Value) {
		b.op("continue", one(args[1]), nil)
	})),
	body("break must stand in a loop, but stands in for", forWith(ts(i32s), nil, func(b *builder, args []*Value) {
		r := region(nil, func(b *builder, _ []*Value) { b.op("break", nil, nil) })
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
		b.op("continue", nil, nil)
	})),
	body("return cannot stand in for", forWith(ts(i32s), nil, func(b *builder, args []*Value) {
		r := region(nil, func(b *builder, _ []*Value) { b.op("return", nil, nil) })
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
		b.op("continue", nil, nil)
	})),
	body("break must stand in a loop, but stands in entry", func(b *builder) {
		r := region(nil, func(b *builder, _ []*Value) { b.op("break", nil, nil) })
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
	}),
	body("continue must stand in for or loop, but stands in entry", func(b *builder) {
		r := region(nil, func(b *builder, _ []*Value) { b.op("continue", nil, nil) })
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
	}),
	body("yield must stand in if, reduce or scan, but stands in loop", func(b *builder) { inLoop(b, func(b *builder) { b.op("yield", nil, nil) }) }),
	body("operand operands: expected 0 values, but found 1", func(b *builder) { inLoop(b, func(b *builder) { b.op("break", one(b.value(i32s)), nil) }) }),
	body("operand operands: expected 0 values, but found 1", func(b *builder) { inLoop(b, func(b *builder) { b.op("continue", one(b.value(i32s)), nil) }) }),
	body("an entry returns nothing, but found 1 operands", func(b *builder) {
		r := region(nil, func(b *builder, _ []*Value) { b.op("return", one(b.value(i32s)), nil) })
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
	}),
	body("result 0: expected tile<8xf32>, but found tile<4xf32>", func(b *builder) { reduceWith(b, 0, zeroID, f32v, ts(f32s, f32s), lhs) }),
	body("attribute dim: 2 is not in 0..1", func(b *builder) { reduceWith(b, 2, zeroID, Tile(F32, 8), ts(f32s, f32s), lhs) }),
	body("expected as many results and identities as operands", func(b *builder) { reduceWith(b, 0, nil, Tile(F32, 8), ts(f32s, f32s), lhs) }),
	body("attribute identities: number 0: expected f32, but found i32", func(b *builder) {
		reduceWith(b, 0, Numbers{{Elem: I32}}, Tile(F32, 8), ts(f32s, f32s), lhs)
	}),
	body("block arguments: expected 2 values, but found 1", func(b *builder) { reduceWith(b, 0, zeroID, Tile(F32, 8), ts(f32s), lhs) }),
	body("what the body yields: value 0: expected tile<f32>, but found tile<i32>", func(b *builder) {
		reduceWith(b, 0, zeroID, Tile(F32, 8), ts(f32s, f32s), func(b *builder, _ []*Value) { b.op("yield", one(b.value(i32s)), nil) })
	}),
	body("operation 1.0.0 (print_tko): the body of reduce must be free of effects, but has print_tko", func(b *builder) {
		reduceWith(b, 0, zeroID, Tile(F32, 8), ts(f32s, f32s), func(b *builder, args []*Value) {
			b.op("print_tko", nil, named{"str": String("")}, Token)
			b.op("yield", one(args[0]), nil)
		})
	}),
	body("operand source is not visible here", func(b *builder) {
		x := &Value{Type: f32v}
		b.op("negf", one(x), nil, f32v)
	}),
	body("operand source is not visible here", func(b *builder) {
		r := yieldBlock(f32v)
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{r, nil})
		b.op("negf", one(r.Ops[0].Results[0]), nil, f32v)
	}),
	body("operations follow a terminator", func(b *builder) { b.op("return", nil, nil) }),
	{want: "the body must end in return, but ends in negf", build: func() *Module {
		m := kernel(func(b *builder) { b.op("negf", one(b.value(f32v)), nil, f32v) })
		ops := m.Entries[0].Body.Ops
		m.Entries[0].Body.Ops = ops[:len(ops)-1]
		return m
	}},
	{want: "the body is empty", build: func() *Module { return &Module{Entries: []*Entry{{Name: "k", Body: &Block{}}}} }},
	{want: "entry without a name", build: func() *Module {
		m := kernel(func(*builder) {})
		m.Entries[0].Name = ""
		return m
	}},
	{want: "entry k: the name is already taken", build: func() *Module {
		m := kernel(func(*builder) {})
		m.Entries = append(m.Entries, kernel(func(*builder) {}).Entries...)
		return m
	}},
	paramWrong(f32v, "parameter 0: expected a tile of rank 0, but found tile<4xf32>", false),
	paramWrong(Token, "parameter 0: expected a tile of rank 0, but found token", true),
	placeWrong("entry k at k.go:1:1: the position of an entry cannot be one of inlined code, but it has a caller", func(e *Entry) {
		e.Loc.Caller = &Loc{File: "k.go", Line: 2, Col: 2}
	}),
	placeWrong("entry k at k.go:1:1: the position of an entry must lie in a function, but lies in a block", func(e *Entry) {
		f := e.Function()
		e.Loc.Scope = &Scope{Parent: f, File: f.File, Line: 1}
	}),
	placeWrong("entry k at k.go:1:1: the position lies in a function with linkage name \"other\", but the entry is \"k\"", func(e *Entry) {
		f := *e.Function()
		f.Linkage = "other"
		e.Loc.Scope = &f
	}),
	placeWrong("operation 0 (constant) at k.go:2:3: the position lies in function k of line 7, but the entry is function k of line 1", func(e *Entry) {
		f := *e.Function()
		f.Line = 7
		e.Body.Ops[0].Loc = Loc{File: "k.go", Line: 2, Col: 3, Scope: &f}
	}),
	placeWrong("the position lies in a function with linkage name \"other\", but the entry is \"k\"", func(e *Entry) {
		f := *e.Function()
		f.Linkage = "other"
		e.Body.Ops[0].Loc = Loc{File: "lib.go", Line: 2, Col: 3, Caller: &Loc{File: "k.go", Line: 4, Scope: &Scope{Parent: &f, File: f.File}}}
	}),
	placeWrong("operation 0 (constant) at lib.go:2:3: the position lies in function lib of line 1, which has no file or no compile unit", func(e *Entry) {
		e.Body.Ops[0].Loc = Loc{File: "lib.go", Line: 2, Col: 3, Scope: &Scope{Name: "lib", Line: 1, File: &SourceFile{Name: "lib.go"}}, Caller: &e.Loc}
	}),
	placeWrong("operation 0 (constant) at k.go:2:3: the position lies in a block of line 2, which has no file", func(e *Entry) {
		e.Body.Ops[0].Loc = Loc{File: "k.go", Line: 2, Col: 3, Scope: &Scope{Parent: e.Function(), Line: 2}}
	}),
	placeWrong("operation 0 (constant) at k.go:4:5: the position lies in a function with linkage name \"f\", but the entry is \"k\"", func(e *Entry) {
		file := &SourceFile{Name: "k.go"}
		e.Body.Ops[0].Loc = Loc{Caller: &Loc{File: "k.go", Line: 4, Col: 5, Scope: &Scope{Linkage: "f", File: file, Unit: file}}}
	}),
	globalWrong(&Global{Name: "g", Value: &Constant{Type: f32s, Data: make([]byte, 4)}}, "expected a value of rank 1"),
	globalWrong(&Global{Name: "g", Value: &Constant{Type: f32v, Data: make([]byte, 5)}}, "global g: tile<4xf32> takes 16 bytes"),
	globalWrong(&Global{Name: "g"}, "global g has no value"),
	globalWrong(&Global{Name: "k", Value: &Constant{Type: f32v, Data: make([]byte, 4)}}, "the name is already taken"),
}

func paramWrong(t Type, want string, lenient bool) wrongModule {
	return wrongModule{want: want, lenient: lenient, build: func() *Module {
		m := kernel(func(*builder) {})
		m.Entries[0].Params = []*Value{{Type: t}}
		return m
	}}
}

// placeWrong damages the places of a kernel.
func placeWrong(want string, damage func(e *Entry)) wrongModule {
	return wrongModule{want: want, build: func() *Module {
		m := kernel(func(b *builder) { b.value(i32s) })
		m.Entries[0].Loc = Loc{File: "k.go", Line: 1, Col: 1}
		damage(m.Entries[0])
		return m
	}}
}

func globalWrong(g *Global, want string) wrongModule {
	return wrongModule{want: want, build: func() *Module {
		m := kernel(func(*builder) {})
		m.Globals = []*Global{g}
		return m
	}}
}
