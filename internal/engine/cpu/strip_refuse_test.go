package cpu_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// refuseElems is the size of the tiles of the kernels below.
const refuseElems = 2048

// refusal is a kernel between whose elementwise operations stands what no strip can hold.
type refusal struct {
	refused string // the operations that are done at once
	held    string // some that are done in strips, beside those around build
	build   func(k *kernel, x, y *tileir.Value) *tileir.Value
}

func (k *kernel) shaped(v *tileir.Value, shape ...int) *tileir.Value {
	return k.one("reshape", vals{v}, nil, tileir.Tile(v.Type.(*tileir.TileType).Elem, shape...))
}

// part is a piece of a row of elements, and twice a row with itself behind it.
func (k *kernel) part(v *tileir.Value, n, index int) *tileir.Value {
	return k.opGroups("extract", []vals{{v}, {k.i32(int32(index))}}, nil, nil, tileir.Tile(v.Type.(*tileir.TileType).Elem, n))[0]
}

func (k *kernel) twice(v, w *tileir.Value) *tileir.Value {
	t := v.Type.(*tileir.TileType)
	return k.one("cat", vals{v, w}, attrs{"dim": tileir.Int(0)}, tileir.Tile(t.Elem, 2*t.Size()))
}

// each is a tile of pointers to the elements of a parameter from first on.
func (k *kernel) each(param, first int) *tileir.Value {
	p, i := tileir.PointerTile(tileir.F32, refuseElems), tileir.Tile(tileir.I32, refuseElems)
	base := k.one("offset", vals{k.entry.Params[param], k.i32(int32(first))}, nil, tileir.PointerTile(tileir.F32))
	all := k.one("broadcast", vals{k.one("reshape", vals{base}, nil, tileir.PointerTile(tileir.F32, 1))}, nil, p)
	return k.one("offset", vals{all, k.one("iota", nil, nil, i)}, nil, p)
}

var refusals = map[string]refusal{
	"permute": {"permute", "", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		v := k.one("permute", vals{k.shaped(x, 32, 64)}, attrs{"permutation": tileir.Ints{1, 0}}, tileir.Tile(tileir.F32, 64, 32))
		return k.shaped(v, refuseElems)
	}},
	"cat and extract": {"cat extract", "", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		return k.part(k.twice(x, y), refuseElems, 1)
	}},
	"insert": {"insert extract", "", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		return k.opGroups("insert", []vals{{k.part(y, 256, 3)}, {x}, {k.i32(5)}}, nil, nil, x.Type)[0]
	}},
	"pack": {"pack unpack", "", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		return k.one("unpack", vals{k.one("pack", vals{x}, nil, tileir.Tile(tileir.I8, 4*refuseElems))}, nil, x.Type)
	}},
	"reduce": {"reduce maxf", "broadcast", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		f := tileir.Tile(tileir.F32)
		rows := k.fold("reduce", k.shaped(x, 32, 64), 1, nil, tileir.Tile(tileir.F32, 32), func(e, a *tileir.Value) *tileir.Value {
			return k.one("maxf", vals{e, a}, nil, f)
		})
		return k.shaped(k.one("broadcast", vals{k.shaped(rows, 32, 1)}, nil, tileir.Tile(tileir.F32, 32, 64)), refuseElems)
	}},
	"scan with a body": {"scan absf maxf yield", "", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		f := tileir.Tile(tileir.F32)
		return k.shaped(k.fold("scan", k.shaped(x, 2, 1024), 1, attrs{"reverse": tileir.Bool(false)}, tileir.Tile(tileir.F32, 2, 1024), func(e, a *tileir.Value) *tileir.Value {
			return k.one("maxf", vals{k.one("absf", vals{e}, nil, f), a}, nil, f)
		}), refuseElems)
	}},
	"mmaf": {"mmaf cat", "", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		acc := tileir.Tile(tileir.F32, 32, 32)
		v := k.one("mmaf", vals{k.shaped(x, 32, 64), k.shaped(y, 64, 32), constant(k, acc, float32(1))}, nil, acc)
		return k.twice(k.shaped(v, 1024), k.shaped(v, 1024))
	}},
	"load through pointers": {"load_ptr_tko", "offset iota", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		v := k.opGroups("load_ptr_tko", []vals{{k.each(0, 0)}}, weakAccess, nil, x.Type, tileir.Token)[0]
		return k.one("subf", vals{v, x}, nearest, x.Type)
	}},
	"store through pointers": {"store_ptr_tko", "offset iota", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		k.opGroups("store_ptr_tko", []vals{{k.each(2, refuseElems)}, {x}}, weakAccess, nil, tileir.Token)
		return x
	}},
	"atomics": {"atomic_rmw_tko", "offset", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": lookModes[tileir.F32]}
		return k.opGroups("atomic_rmw_tko", []vals{{k.each(2, refuseElems)}, {x}}, as, nil, x.Type, tileir.Token)[0]
	}},
	"if": {"if yield", "subf", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		side := func(a, b *tileir.Value) *tileir.Block {
			return k.region(nil, func(vals) {
				v := k.one("subf", vals{a, b}, nearest, x.Type)
				k.opGroups("yield", []vals{{k.one("absf", vals{v}, nil, x.Type)}}, nil, nil)
			})
		}
		return k.opGroups("if", []vals{{k.bools(true)}}, nil, []*tileir.Block{side(x, y), side(y, x)}, x.Type)[0]
	}},
	"for": {"for continue", "subf", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32), x.Type}, func(in vals) {
			v := k.one("subf", vals{in[1], y}, nearest, x.Type)
			k.opGroups("continue", []vals{{k.one("absf", vals{v}, nil, x.Type)}}, nil, nil)
		})
		return k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, {x}}, nil, []*tileir.Block{body}, x.Type)[0]
	}},
	"assert": {"assert", "cmpf", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		c := k.one("cmpf", vals{x, x}, attrs{"comparison_predicate": tileir.CompareEqual, "comparison_ordering": tileir.CompareOrdered}, tileir.Tile(tileir.I1, refuseElems))
		k.op("assert", vals{c}, attrs{"message": tileir.String("all")})
		return x
	}},
	"print": {"print_tko", "", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		k.opGroups("print_tko", []vals{{x}, nil}, attrs{"str": tileir.String("%f")}, nil, tileir.Token)
		return x
	}},
	"a promise that is checked": {"assume", "", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		bits := tileir.Tile(tileir.I32, refuseElems)
		v := k.one("assume", vals{k.one("bitcast", vals{x}, nil, bits)}, attrs{"predicate": tileir.DivBy{Divisor: 1}}, bits)
		return k.one("bitcast", vals{v}, nil, x.Type)
	}},
	// A copy of more than two dimensions is not done in parts.
	"broadcast along every other dimension": {"broadcast extract", "", func(k *kernel, x, _ *tileir.Value) *tileir.Value {
		v := k.one("broadcast", vals{k.shaped(k.part(x, 32, 9), 4, 1, 8, 1)}, nil, tileir.Tile(tileir.F32, 4, 8, 8, 8))
		return k.shaped(v, refuseElems)
	}},
	"one operation on larger tiles": {"subf cat extract", "", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		v, w := k.twice(x, y), k.twice(y, x)
		return k.part(k.one("subf", vals{v, w}, nearest, v.Type), refuseElems, 0)
	}},
	"larger tiles amid strips": {"subf cat extract", "absf negf", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		v, w := k.twice(x, y), k.twice(y, x)
		a := k.one("negf", vals{k.one("absf", vals{x}, nil, x.Type)}, nil, x.Type)
		v = k.one("subf", vals{v, w}, nearest, v.Type)
		return k.one("addf", vals{k.one("absf", vals{k.one("negf", vals{a}, nil, x.Type)}, nil, x.Type), k.part(v, refuseElems, 1)}, nearest, x.Type)
	}},
	// Tiles of at most one strip that come from no memory gain nothing.
	"short tiles": {"subf absf cat extract", "", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		v, w := k.part(x, 512, 1), k.part(y, 512, 3)
		v = k.one("absf", vals{k.one("subf", vals{v, w}, nearest, v.Type)}, nil, v.Type)
		v = k.twice(v, w)
		return k.twice(v, v)
	}},
	"a load of what was stored": {"", "load_view_tko store_view_tko", func(k *kernel, x, y *tileir.Value) *tileir.Value {
		view := k.view(k.entry.Params[2], []int{refuseElems}, 2*refuseElems)
		k.store(k.one("subf", vals{x, y}, nearest, x.Type), view, k.i32(1))
		return k.load(view, k.i32(1))
	}},
}

// TestStripsRefuse: what a strip cannot hold is done for whole tiles, between strips; the results are those without.
func TestStripsRefuse(t *testing.T) {
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			p := tileir.PointerTile(tileir.F32)
			k := newKernel(t, p, p, p)
			row := func(param int) *tileir.Value {
				return k.load(k.view(k.entry.Params[param], []int{refuseElems}, refuseElems), k.i32(0))
			}
			x, y := row(0), row(1)
			v := c.build(k, k.one("addf", vals{x, y}, nearest, x.Type), y)
			v = k.one("mulf", vals{v, y}, nearest, x.Type)
			k.store(v, k.view(k.entry.Params[2], []int{refuseElems}, 2*refuseElems), k.i32(0))
			k.ret()
			o := cpu.Options{Output: io.Discard, CheckAssumes: true}
			bothWays(t, o, func(d *cpu.Device) []byte {
				out := upload(t, d, randomFloats(2*refuseElems, 9, 1))
				in := [2]uint64{upload(t, d, randomFloats(refuseElems, 7, 1)).Address(), upload(t, d, randomFloats(refuseElems, 8, 1)).Address()}
				if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, in[0], in[1], out.Address()); err != nil {
					t.Fatal(err)
				}
				return slices.Clone(out.Host())
			})
			held := map[string]bool{}
			for _, run := range cpu.Runs(newDevice(t, o), k.entry) {
				stores := false
				for _, op := range run {
					held[op] = true
					if stores = stores || op == "store_view_tko"; stores && op == "load_view_tko" {
						t.Errorf("a run loads after it stores: %v", run)
					}
				}
			}
			for _, op := range strings.Fields(c.refused) {
				if held[op] {
					t.Errorf("%s is done in strips", op)
				}
			}
			for _, op := range strings.Fields(c.held + " addf mulf load_view_tko store_view_tko") {
				if !held[op] {
					t.Errorf("%s is not done in strips", op)
				}
			}
			if runs := cpu.Runs(newDevice(t, cpu.WithStrip(o, -1)), k.entry); len(runs) > 0 {
				t.Errorf("a device without strips has runs: %v", runs)
			}
		})
	}
}

// TestStripsSmallTiles: tiles of few elements are not worth strips.
func TestStripsSmallTiles(t *testing.T) {
	for n := 1; n <= 128; n *= 2 {
		k := chain(t, n, 3, siluChain)
		if runs := cpu.Runs(newDevice(t, cpu.Options{}), k.entry); (len(runs) > 0) != (n >= 64) {
			t.Errorf("tiles of %d elements: runs %v", n, runs)
		}
		bothWays(t, cpu.Options{}, func(d *cpu.Device) []byte {
			var args []uint64
			for i := range 3 {
				args = append(args, upload(t, d, randomFloats(1<<18, uint64(i), 1)).Address())
			}
			out := upload(t, d, make([]float32, 1<<18))
			if err := launch(t, d, k.compile(d), [3]uint32{5, 1, 1}, append(args, out.Address())...); err != nil {
				t.Fatal(err)
			}
			return slices.Clone(out.Host()[:4*5*n])
		})
	}
}
