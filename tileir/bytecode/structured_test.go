package bytecode_test

import (
	. "github.com/cutile-go/cutile/tileir"
)

// structured builds modules for the operations that have regions, end them, or name a global.
var structured = map[string]func(v Version) *Module{
	"if": ifs, "yield": ifs, "for": fors, "continue": fors, "loop": loops, "break": loops, "return": returns,
	"reduce": reductions, "scan": reductions, "get_global": globals,
}

func ifs(Version) *Module {
	return kernel(func(b *builder) {
		cond, x := b.value(Tile(I1)), b.value(f32v)
		yield := func(v ...*Value) *Block {
			return region(nil, func(b *builder, _ []*Value) {
				b.value(i32s)
				b.op("yield", [][]*Value{v}, nil)
			})
		}
		b.opWith("if", one(cond), nil, []*Block{yield(), nil})
		b.opWith("if", one(cond), nil, []*Block{yield(), yield()})
		r := b.opWith("if", one(cond), nil, []*Block{yield(x, cond), yield(x, cond)}, f32v, Tile(I1))
		b.op("negf", one(r.Results[0]), nil, f32v)
		b.op("assume", one(b.opWith("if", one(cond), nil, []*Block{yield(cond), yield(cond)}, Tile(I1)).Results[0]),
			named{"predicate": Bounded{}}, Tile(I1))
	})
}

func fors(v Version) *Module {
	return kernel(func(b *builder) {
		n, x := b.value(i32s), b.value(f32v)
		bounds := one(n, n, n)
		b.opWith("for", bounds, nil, []*Block{region(ts(i32s), func(b *builder, args []*Value) {
			b.op("absi", one(args[0]), nil, i32s)
			b.op("continue", nil, nil)
		})})
		attrs := named{}
		if v >= V13_2 {
			attrs["unsignedCmp"] = Bool(true)
		}
		for range 2 {
			r := b.opWith("for", append(bounds[:3:3], []*Value{x, n}), attrs, []*Block{
				region(ts(i32s, f32v, i32s), func(b *builder, args []*Value) {
					y := b.op("negf", one(args[1]), nil, f32v).Results[0]
					b.op("continue", [][]*Value{{y, args[2]}}, nil)
				})}, f32v, i32s)
			b.op("absi", one(r.Results[1]), nil, i32s)
			b.op("assume", one(r.Results[1]), named{"predicate": DivBy{Divisor: 2}}, i32s)
		}
	})
}

func loops(Version) *Module {
	return kernel(func(b *builder) {
		n, c := b.value(i32s), b.value(Tile(I1))
		leave := region(nil, func(b *builder, _ []*Value) { b.op("break", [][]*Value{{}}, nil) })
		b.opWith("loop", [][]*Value{{}}, nil, []*Block{region(nil, func(b *builder, _ []*Value) {
			b.opWith("if", one(c), nil, []*Block{leave, nil})
			b.op("continue", nil, nil)
		})})
		r := b.opWith("loop", [][]*Value{{n}}, nil, []*Block{region(ts(i32s), func(b *builder, args []*Value) {
			b.op("break", [][]*Value{{args[0], c}}, nil)
		})}, i32s, Tile(I1))
		b.opWith("loop", [][]*Value{{}}, nil, []*Block{region(nil, func(b *builder, _ []*Value) {
			b.op("break", [][]*Value{{n}}, nil)
		})}, i32s)
		b.opWith("loop", [][]*Value{{n}}, nil, []*Block{region(ts(i32s), func(b *builder, _ []*Value) { b.op("break", nil, nil) })})
		b.op("assume", one(r.Results[0]), named{"predicate": DivBy{Divisor: 2}}, i32s)
	})
}

func returns(Version) *Module {
	return kernel(func(b *builder) {
		b.opWith("if", one(b.value(Tile(I1))), nil, []*Block{
			region(nil, func(b *builder, _ []*Value) { b.op("return", nil, nil) }), nil})
	})
}

func reductions(Version) *Module {
	return kernel(func(b *builder) {
		x, y := b.value(tileV), b.value(Tile(I32, 4, 8))
		body := func() []*Block {
			return []*Block{region(ts(Tile(F32), Tile(F32)), func(b *builder, args []*Value) {
				r := b.op("addf", one(args[0], args[1]), named{"rounding_mode": RoundingNearestEven}, Tile(F32))
				b.op("yield", one(r.Results[0]), nil)
			})}
		}
		two := func() []*Block {
			return []*Block{region(ts(Tile(F32), Tile(F32), i32s, i32s), func(b *builder, args []*Value) {
				b.op("yield", [][]*Value{{args[0], args[3]}}, nil)
			})}
		}
		zero, ids := Numbers{{Elem: F32}}, Numbers{{Elem: F32, Bits: 0x7f800000}, {Elem: I32, Bits: 0x80000000}}
		b.opWith("reduce", one(x), named{"dim": Int(0), "identities": zero}, body(), Tile(F32, 8))
		b.opWith("reduce", [][]*Value{{x, y}}, named{"dim": Int(1), "identities": ids}, two(), Tile(F32, 4), Tile(I32, 4))
		s := b.opWith("scan", one(x), named{"dim": Int(1), "reverse": Bool(true), "identities": zero}, body(), tileV)
		b.opWith("scan", [][]*Value{{x, y}}, named{"dim": Int(0), "reverse": Bool(false), "identities": ids}, two(), tileV, Tile(I32, 4, 8))
		b.op("negf", one(s.Results[0]), nil, tileV)
		for _, e := range []Elem{I1, I8, I64, F16, BF16, F64, F8E4M3FN, TF32} {
			id := Numbers{{Elem: e, Bits: 1}}
			if e == F64 {
				id[0].Bits = 0xfff0000000000000
			}
			b.opWith("reduce", one(b.value(Tile(e, 4))), named{"dim": Int(0), "identities": id}, []*Block{
				region(ts(Tile(e), Tile(e)), func(b *builder, args []*Value) { b.op("yield", one(args[0]), nil) })}, Tile(e))
		}
	})
}

func globals(v Version) *Module {
	m := kernel(func(b *builder) { b.op("get_global", nil, named{"name": String("g")}, PointerTile(I16)) })
	t := Tile(I16, 2)
	m.Globals = []*Global{{Name: "g", Value: &Constant{Type: t, Data: []byte{1, 0, 2, 0}}, Align: 64},
		{Name: "$quoted", Value: &Constant{Type: Tile(F32, 1), Data: []byte{0, 0, 0x80, 0x3f}}}}
	if v >= V13_3 {
		m.Producer = "test"
		m.Globals = append(m.Globals, &Global{Name: "p", Private: true, Value: &Constant{Type: t, Data: []byte{1, 0}}},
			&Global{Name: "c", Constant: true, Value: &Constant{Type: t, Data: []byte{1, 0}}},
			&Global{Name: "pc", Private: true, Constant: true, Align: 16, Value: &Constant{Type: t, Data: []byte{1, 0}}})
	}
	m.Entries = append(m.Entries, kernel(func(b *builder) { b.value(i32s) }).Entries[0])
	m.Entries[1].Name, m.Entries[1].Private = "hidden", true
	m.Entries[1].Params = []*Value{{Type: i32s}, {Type: PointerTile(F32)}}
	m.Entries[1].Hints = Hints{{Arch: "sm_90", Hints: []Hint{{Name: "occupancy", Value: HintValue{Elem: I32, Int: 2}}}}, {Arch: "default"}}
	return m
}
