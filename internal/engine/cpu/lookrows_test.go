package cpu_test

import "github.com/cutile-go/cutile/tileir"

// nothingMade is for rows whose operands are made in the loop, or need no making.
func nothingMade(*kernel) vals { return nil }

// madeOf prepares tiles of element types.
func madeOf(elems ...tileir.Elem) func(k *kernel) (out vals) {
	return func(k *kernel) (out vals) {
		for _, e := range elems {
			out = append(out, lookTile(k, e))
		}
		return out
	}
}

func conversionLooks() map[string]lookRow {
	to := func(name string, from, e tileir.Elem, more ...tileir.Elem) lookRow {
		return plainLook(madeOf(append([]tileir.Elem{from}, more...)...), func(k *kernel, args vals) {
			k.one(name, args, firstAttrs(name), tileir.Tile(e, lookElems))
		})
	}
	return map[string]lookRow{
		"ftoi": to("ftoi", tileir.F32, tileir.I32), "itof": to("itof", tileir.I32, tileir.F32), "exti": to("exti", tileir.I8, tileir.I32),
		"ftof": to("ftof", tileir.F64, tileir.F16), "ftof: of 8 bits": to("ftof", tileir.F32, tileir.F8E4M3FN),
		"trunci": to("trunci", tileir.I32, tileir.I8), "fpowi": to("fpowi", tileir.F32, tileir.F32, tileir.I32),
		"select": to("select", tileir.I1, tileir.F32, tileir.F32, tileir.F32), "addf: of 16 bits": to("addf", tileir.F16, tileir.F16, tileir.F16),
	}
}

func productLooks() map[string]lookRow {
	product := func(name string, m, n, k int, a, c tileir.Elem, more ...*tileir.TileType) lookRow {
		return lookRow{work: m * n * k, elem: c, build: func(b *kernel) func() {
			args := vals{b.shapedTile(a, m, k), b.shapedTile(a, k, n), b.shapedTile(c, m, n)}
			for _, t := range more {
				args = append(args, b.shapedTile(t.Elem, t.Shape...))
			}
			return func() { b.one(name, args, firstAttrs(name), tileir.Tile(c, m, n)) }
		}}
	}
	scale := tileir.F8E8M0FNU
	return map[string]lookRow{
		"mmaf": product("mmaf", 128, 128, 128, tileir.F32, tileir.F32), "mmaf: of f16": product("mmaf", 128, 128, 128, tileir.F16, tileir.F16),
		"mmaf: of long rows": product("mmaf", 2, 2048, 1024, tileir.F32, tileir.F32), "mmaf: of a column": product("mmaf", 1<<19, 1, 4, tileir.F32, tileir.F32),
		"mmai":        product("mmai", 128, 128, 128, tileir.I8, tileir.I32),
		"mmaf_scaled": product("mmaf_scaled", 128, 128, 256, tileir.F8E4M3FN, tileir.F32, tileir.Tile(scale, 128, 8), tileir.Tile(scale, 8, 128)),
	}
}

func foldLooks() map[string]lookRow {
	fold := func(name string, dim int, sum bool, shape ...int) lookRow {
		out, as := tileir.Tile(tileir.F64, shape...), attrs{"reverse": tileir.Bool(true)}
		if name == "reduce" {
			as, out.Shape = nil, append(append([]int{}, shape[:dim]...), shape[dim+1:]...)
		}
		return plainLook(func(k *kernel) vals { return vals{k.shapedTile(tileir.F64, shape...)} }, func(k *kernel, args vals) {
			k.fold(name, args[0], dim, as, out, func(elem, acc *tileir.Value) *tileir.Value {
				v := k.one("addf", vals{acc, elem}, nearest, tileir.Tile(tileir.F64))
				if sum {
					return v
				}
				return k.one("absf", vals{v}, nil, tileir.Tile(tileir.F64))
			})
		})
	}
	return map[string]lookRow{
		"reduce": fold("reduce", 0, true, 1<<15, 16), "reduce: of rows": fold("reduce", 1, true, 1<<9, 1<<10), "reduce: of pairs": fold("reduce", 1, true, 1<<18, 2),
		"reduce: with a body": fold("reduce", 0, false, 1<<19), "reduce: into many": fold("reduce", 0, true, 2, 1<<18),
		"scan": fold("scan", 0, true, 1<<19), "scan: of rows": fold("scan", 1, false, 1<<9, 1<<10), "scan: of pairs": fold("scan", 1, true, 1<<18, 2),
	}
}

func shapeLooks() map[string]lookRow {
	const side, columns = 1 << 9, 1 << 10
	num := func(v int64) *int64 { return &v }
	square := func(k *kernel) vals { return vals{k.shapedTile(tileir.F32, side, columns)} }
	full, half := tileir.Tile(tileir.F32, side, columns), tileir.Tile(tileir.F32, side/2, columns)
	assume := func(p tileir.Attr) lookRow {
		row := plainLook(madeOf(tileir.I32), func(k *kernel, args vals) {
			k.one("assume", args, attrs{"predicate": p}, tileir.Tile(tileir.I32, lookElems))
		})
		row.checked = true
		return row
	}
	rows := map[string]lookRow{
		"broadcast": plainLook(func(k *kernel) vals { return vals{k.shapedTile(tileir.F32, 1, columns)} }, func(k *kernel, args vals) { k.one("broadcast", args, nil, full) }),
		"permute": plainLook(square, func(k *kernel, args vals) {
			k.one("permute", args, attrs{"permutation": tileir.Ints{1, 0}}, tileir.Tile(tileir.F32, columns, side))
		}),
		"cat": plainLook(square, func(k *kernel, args vals) {
			k.one("cat", append(args, args...), attrs{"dim": tileir.Int(0)}, tileir.Tile(tileir.F32, 2*side, columns))
		}),
		"extract": plainLook(square, func(k *kernel, args vals) { k.opGroups("extract", []vals{args, {k.i32(1), k.i32(0)}}, nil, nil, half) }),
		"insert": plainLook(func(k *kernel) vals { return append(square(k), k.shapedTile(tileir.F32, side/2, columns)) }, func(k *kernel, args vals) {
			k.opGroups("insert", []vals{args[1:], args[:1], {k.i32(1), k.i32(0)}}, nil, nil, full)
		}),
		"iota":         plainLook(nothingMade, func(k *kernel, _ vals) { k.one("iota", nil, nil, tileir.Tile(tileir.I32, lookElems)) }),
		"constant":     plainLook(nothingMade, func(k *kernel, _ vals) { manyConstants(k) }),
		"pack: bits":   plainLook(madeOf(tileir.I1), func(k *kernel, args vals) { k.one("pack", args, nil, tileir.Tile(tileir.I8, lookElems/8)) }),
		"unpack: bits": plainLook(madeOf(tileir.I8), func(k *kernel, args vals) { k.one("unpack", args, nil, tileir.Tile(tileir.I1, 8*lookElems)) }),
		"alloca": plainLook(nothingMade, func(k *kernel, _ vals) {
			k.one("alloca", nil, attrs{"num_elem": tileir.Int(lookElems), "alignment": tileir.Int(16)}, tileir.PointerTile(tileir.F64))
		}),
		"assert": plainLook(func(k *kernel) vals {
			v := lookTile(k, tileir.I32)
			return vals{k.one("cmpi", vals{v, v}, attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1, lookElems))}
		}, func(k *kernel, args vals) { k.op("assert", args, attrs{"message": tileir.String("all")}) }),
		"print_tko": plainLook(func(k *kernel) vals { return vals{k.shapedTile(tileir.I8, lookElems/8)} }, func(k *kernel, args vals) {
			k.opGroups("print_tko", []vals{args, nil}, attrs{"str": tileir.String("%d")}, nil, tileir.Token)
		}),
	}
	for name, p := range map[string]tileir.Attr{"div_by": tileir.DivBy{Divisor: 1}, "bounded": tileir.Bounded{Lower: num(0)}, "same": tileir.SameElements{1}} {
		rows["assume: "+name] = assume(p)
	}
	return rows
}

// manyConstants are so many that they share their places, with users that take all elements of them.
func manyConstants(k *kernel) {
	t := tileir.Tile(tileir.F64, lookElems)
	for range 17 {
		k.opGroups("extract", []vals{{constant(k, t, 1.5)}, {k.i32(1)}}, nil, nil, tileir.Tile(tileir.F64, 1))
	}
}
