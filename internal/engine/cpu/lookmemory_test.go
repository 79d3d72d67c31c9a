package cpu_test

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// controlLooks are rows for tiles that loops carry and that branches give.
func controlLooks() map[string]lookRow {
	i := tileir.Tile(tileir.I32)
	big := tileir.Tile(tileir.F32, lookElems)
	two := madeOf(tileir.F32, tileir.F32)
	return map[string]lookRow{
		"for continue": plainLook(two, func(k *kernel, args vals) {
			body := k.region([]tileir.Type{i, big, big}, func(in vals) {
				k.opGroups("continue", []vals{{in[2], in[1]}}, nil, nil)
			})
			k.opGroups("for", []vals{{k.i32(0)}, {k.i32(1)}, {k.i32(1)}, args}, nil, []*tileir.Block{body}, big, big)
		}),
		"loop break": plainLook(two, func(k *kernel, args vals) {
			body := k.region([]tileir.Type{big}, func(vals) { k.opGroups("break", []vals{args[1:]}, nil, nil) })
			k.opGroups("loop", []vals{args[:1]}, nil, []*tileir.Block{body}, big)
		}),
		"if yield": plainLook(two, func(k *kernel, args vals) {
			side := func(v *tileir.Value) *tileir.Block {
				return k.region(nil, func(vals) { k.opGroups("yield", []vals{{v}}, nil, nil) })
			}
			k.opGroups("if", []vals{{k.bools(true)}}, nil, []*tileir.Block{side(args[0]), side(args[1])}, big)
		}),
	}
}

// viewLooks are rows for what goes through views.
func viewLooks() map[string]lookRow {
	access := func(name string, e tileir.Elem, view func(k *kernel) (v *tileir.Value, index vals)) lookRow {
		return lookRow{work: lookElems, elem: e, build: func(k *kernel) func() {
			v, index := view(k)
			t := v.Type.(tileir.ViewType).TileType()
			data := k.shapedTile(e, t.Shape...)
			as := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
			return func() {
				switch name {
				case "load_view_tko":
					k.load(v, index...)
				case "store_view_tko":
					k.opGroups(name, []vals{{data}, {v}, index}, as, nil, tileir.Token)
				default:
					as := attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": lookModes[e]}
					k.opGroups(name, []vals{{v}, index, {data}}, as, nil, tileir.Token)
				}
			}
		}}
	}
	flat := func(extent, stride int64, pad tileir.Padding) func(k *kernel) (*tileir.Value, vals) {
		return func(k *kernel) (*tileir.Value, vals) {
			return k.partition(k.entry.Params[0], []int{lookElems}, nil, pad, []int64{extent}, []int64{stride}), vals{k.i32(0)}
		}
	}
	sparse := func(dim int, shape ...int) func(k *kernel) (*tileir.Value, vals) {
		return func(k *kernel) (*tileir.Value, vals) { return k.sparseView(dim, shape, false) }
	}
	rows := map[string]lookRow{}
	for _, name := range []string{"load_view_tko", "store_view_tko", "atomic_red_view_tko"} {
		rows[name] = access(name, tileir.F32, flat(lookElems, 1, tileir.NoPadding))
		rows[name+": every other"] = access(name, tileir.F32, flat(lookElems, 2, tileir.NoPadding))
		rows[name+": past the end"] = access(name, tileir.F32, flat(lookElems-1, 1, tileir.NoPadding))
		rows[name+": of matrices"] = access(name, tileir.F32, func(k *kernel) (*tileir.Value, vals) {
			return k.view(k.entry.Params[0], []int{lookElems / 4, 4}, lookElems/4, 4), vals{k.i32(0), k.i32(0)}
		})
	}
	delete(rows, "atomic_red_view_tko: of matrices") // its padding is none
	for _, name := range []string{"load_view_tko", "store_view_tko"} {
		rows[name+": rows"] = access(name, tileir.F32, sparse(0, 16, lookElems/16))
		rows[name+": columns"] = access(name, tileir.F32, sparse(1, 16, lookElems/16))
		rows[name+": elements"] = access(name, tileir.F32, sparse(0, lookElems))
		rows[name+": elements outside"] = access(name, tileir.F32, func(k *kernel) (*tileir.Value, vals) { return k.sparseView(0, []int{lookElems}, true) })
		rows[name+": halves"] = access(name, tileir.F4E2M1FN, flat(lookElems, 1, tileir.NoPadding))
		rows[name+": i1"] = access(name, tileir.I1, flat(lookElems, 1, tileir.NoPadding))
	}
	rows["load_view_tko: padded"] = access("load_view_tko", tileir.F32, flat(1, 1, tileir.PadNegInf))
	return rows
}

// lookModes are the modes of atomic operations that the rows have.
var lookModes = map[tileir.Elem]tileir.Int{tileir.F32: tileir.AtomicAddF, tileir.I32: tileir.AtomicXor, tileir.F16: tileir.AtomicAddF}

// sparseView is a view that is indexed element by element along a dimension; outside, all indices are.
func (k *kernel) sparseView(dim int, shape []int, outside bool) (*tileir.Value, vals) {
	tv := &tileir.TensorViewType{Elem: tileir.F32}
	step := int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		tv.Shape, tv.Strides = append(tv.Shape, int64(shape[i])), append(tv.Strides, step)
		step *= int64(shape[i])
	}
	slices.Reverse(tv.Shape)
	slices.Reverse(tv.Strides)
	v := k.one("make_tensor_view", vals{k.entry.Params[0]}, nil, tv)
	index := slices.Repeat(vals{k.i32(0)}, len(shape))
	if index[dim] = k.shapedTile(tileir.I32, shape[dim]); outside {
		index[dim] = k.one("subi", vals{index[dim], constant(k, tileir.Tile(tileir.I32, shape[dim]), int32(lookElems))}, nil, tileir.Tile(tileir.I32, shape[dim]))
	}
	return k.one("make_gather_scatter_view", vals{v}, nil, &tileir.GatherScatterViewType{Tile: shape, Tensor: tv, SparseDim: dim, Padding: tileir.PadZero}), index
}

// pointerLooks are rows for what goes through tiles of pointers.
func pointerLooks() map[string]lookRow {
	access := func(name string, e tileir.Elem, masked bool, order tileir.Int) lookRow {
		return lookRow{work: lookElems, elem: e, build: func(k *kernel) func() {
			all := k.one("broadcast", vals{k.one("reshape", vals{k.entry.Params[0]}, nil, tileir.PointerTile(e, 1))}, nil, tileir.PointerTile(e, lookElems))
			to := k.one("offset", vals{all, lookTile(k, tileir.I32)}, nil, tileir.PointerTile(e, lookElems))
			data, t := lookTile(k, e), tileir.Tile(e, lookElems)
			var mask, padding vals
			if masked {
				mask, padding = vals{lookTile(k, tileir.I1)}, vals{data}
			}
			as := attrs{"memory_ordering_semantics": order}
			if order != tileir.MemoryWeak {
				as["memory_scope"] = tileir.ScopeDevice
			}
			if name == "atomic_rmw_tko" {
				as["mode"] = lookModes[e]
			}
			return func() {
				switch name {
				case "load_ptr_tko":
					k.opGroups(name, []vals{{to}, mask, padding}, as, nil, t, tileir.Token)
				case "store_ptr_tko":
					k.opGroups(name, []vals{{to}, {data}, mask}, as, nil, tileir.Token)
				case "atomic_cas_tko":
					k.opGroups(name, []vals{{to}, {data}, {data}, mask}, as, nil, t, tileir.Token)
				default:
					k.opGroups(name, []vals{{to}, {data}, mask}, as, nil, t, tileir.Token)
				}
			}
		}}
	}
	weak, relaxed := tileir.MemoryWeak, tileir.MemoryRelaxed
	rows := map[string]lookRow{"offset": {work: lookElems, elem: tileir.F32, build: func(k *kernel) func() {
		t := tileir.PointerTile(tileir.F32, lookElems)
		all := k.one("broadcast", vals{k.one("reshape", vals{k.entry.Params[0]}, nil, tileir.PointerTile(tileir.F32, 1))}, nil, t)
		by := lookTile(k, tileir.I32)
		return func() { k.one("offset", vals{all, by}, nil, t) }
	}}}
	for _, name := range []string{"load_ptr_tko", "store_ptr_tko"} {
		rows[name], rows[name+": masked"] = access(name, tileir.F32, false, weak), access(name, tileir.F64, true, weak)
		rows[name+": halves"], rows[name+": i1"] = access(name, tileir.F4E2M1FN, false, weak), access(name, tileir.I1, true, weak)
		rows[name+": relaxed"] = access(name, tileir.F32, true, relaxed)
	}
	rows["atomic_rmw_tko"], rows["atomic_rmw_tko: masked"] = access("atomic_rmw_tko", tileir.I32, false, relaxed), access("atomic_rmw_tko", tileir.F16, true, relaxed)
	rows["atomic_cas_tko"], rows["atomic_cas_tko: masked"] = access("atomic_cas_tko", tileir.I32, false, relaxed), access("atomic_cas_tko", tileir.F64, true, relaxed)
	return rows
}
