package numerics_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// moving are operations that move elements, or access memory. A select stands behind each, so that there is something to do with
// the elements.
var moving = []struct {
	name, note string
	make       func(m *mover)
}{
	{"load_view_tko", "weak", func(m *mover) { m.use(m.load(16, 64)) }},
	{"load_view_tko", "acquire", func(m *mover) {
		v, _ := m.LoadViewTko(m.view(16, 64), m.start(2), tileir.MemoryAcquire, tileir.WithScope(tileir.ScopeDevice))
		m.use(v)
	}},
	{"store_view_tko", "weak", func(m *mover) { m.use(m.load(16, 64)) }},
	{"store_view_tko", "release", func(m *mover) {
		m.StoreViewTko(m.work(m.load(16, 64)), m.view(16, 64), m.start(2), tileir.MemoryRelease, tileir.WithScope(tileir.ScopeDevice))
	}},
	{"broadcast", "of a column", func(m *mover) { m.use(m.Broadcast(m.load(16, 1), 16, 64)) }},
	{"broadcast", "of a row", func(m *mover) { m.use(m.Broadcast(m.load(1, 64), 16, 64)) }},
	{"broadcast", "of one element", func(m *mover) { m.use(m.Broadcast(m.load(1, 1), 16, 64)) }},
	{"broadcast", "of a middle dimension", func(m *mover) { m.use(m.Broadcast(m.load(4, 1, 16), 4, 4, 16)) }},
	{"permute", "", func(m *mover) { m.use(m.Permute(m.load(16, 64), []int{1, 0})) }},
	{"cat", "", func(m *mover) { m.use(m.Cat(m.load(16, 64), m.load(16, 64), 0)) }},
	{"extract", "", func(m *mover) { m.use(m.Extract(m.load(32, 64), m.start(2), tileir.Tile(m.elem, 16, 64))) }},
	{"insert", "", func(m *mover) { m.use(m.Insert(m.load(16, 64), m.load(32, 64), m.start(2)...)) }},
	{"offset", "", func(m *mover) { m.use(m.gather()) }},
	{"load_ptr_tko", "", func(m *mover) { m.use(m.gather()) }},
	{"store_ptr_tko", "", func(m *mover) { m.StorePtrTko(m.pointers(), m.work(m.load(64)), tileir.MemoryWeak) }},
	{"atomic_rmw_tko", "exchange", func(m *mover) {
		m.AtomicRMWTko(m.pointers(), m.work(m.load(64)), tileir.MemoryRelaxed, tileir.ScopeDevice, tileir.AtomicXchg)
	}},
	{"atomic_cas_tko", "", func(m *mover) {
		x := m.work(m.load(64))
		m.AtomicCASTko(m.pointers(), x, x, tileir.MemoryRelaxed, tileir.ScopeDevice)
	}},
	{"atomic_red_view_tko", "", func(m *mover) {
		m.AtomicRedViewTko(m.view(64), m.start(1), m.work(m.load(64)), tileir.MemoryRelaxed, tileir.ScopeDevice, tileir.AtomicOr)
	}},
	{"assert", "", func(m *mover) { m.Assert("no", m.work(m.load(64))) }},
	{"print_tko", "", func(m *mover) {
		format := "%d;"
		if m.elem.IsFloat() {
			format = "%g;"
		}
		m.PrintTko(format, []*tileir.Value{m.work(m.load(64))})
	}},
}

// noElements are the operations that have no elements to handle: they make numbers, views, tokens and other names of values, or
// steer.
const noElements = "alloca assume break constant continue for gdc_launch_dependents_tko gdc_wait_tko get_global get_index_space_shape " +
	"get_num_tile_blocks get_tensor_shape get_tile_block_id if int_to_ptr join_tokens loop make_gather_scatter_view make_partition_view " +
	"make_strided_view make_tensor_view make_token memory_fence_alias_tko ptr_to_int ptr_to_ptr reshape return yield"

// TestInterpretedIsComplete: each operation of a body is in the tables, or has no elements.
func TestInterpretedIsComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range cases() {
		listed[c.in.Mnemonic] = true
	}
	for _, c := range moving {
		listed[c.name] = true
	}
	none := strings.Fields(noElements)
	for _, in := range tileir.Infos() {
		if in.InBody && listed[in.Mnemonic] == slices.Contains(none, in.Mnemonic) {
			t.Errorf("%s must be in the tables of docs/interpreted.md, or among noElements", in.Mnemonic)
		}
	}
}

// mover builds a module of one of them.
type mover struct {
	*tileir.Builder
	elem    tileir.Elem
	pointer *tileir.Value
}

// start is where the first tile lies.
func (m *mover) start(rank int) []*tileir.Value {
	zero := m.Constant(&tileir.Constant{Type: tileir.Tile(tileir.I32), Data: make([]byte, 4)})
	return slices.Repeat([]*tileir.Value{zero}, rank)
}

func (m *mover) view(shape ...int) *tileir.Value {
	t := &tileir.TensorViewType{Elem: m.elem, Shape: make([]int64, len(shape)), Strides: make([]int64, len(shape))}
	dims, stride := make([]int, len(shape)), int64(1)
	for i, n := range slices.Backward(shape) {
		t.Shape[i], t.Strides[i], dims[i] = int64(n), stride, i
		stride *= int64(n)
	}
	return m.MakePartitionView(m.MakeTensorView(m.pointer, nil, nil, t), &tileir.PartitionViewType{Tile: shape, Tensor: t, DimMap: dims, Padding: tileir.NoPadding})
}

func (m *mover) load(shape ...int) *tileir.Value {
	v, _ := m.LoadViewTko(m.view(shape...), m.start(len(shape)), tileir.MemoryWeak)
	return v
}

// work is a select.
func (m *mover) work(v *tileir.Value) *tileir.Value {
	mask := &tileir.Constant{Type: tileir.Tile(tileir.I1, v.Type.(*tileir.TileType).Shape...), Data: []byte{1}}
	return m.Select(m.Constant(mask), v, v)
}

// use does that and stores the result.
func (m *mover) use(v *tileir.Value) {
	shape := v.Type.(*tileir.TileType).Shape
	m.StoreViewTko(m.work(v), m.view(shape...), m.start(len(shape)), tileir.MemoryWeak)
}

// pointers are those to the first elements.
func (m *mover) pointers() *tileir.Value {
	return m.Offset(m.Broadcast(m.Reshape(m.pointer, 1), 64), m.Iota(tileir.Tile(tileir.I32, 64)))
}

func (m *mover) gather() *tileir.Value {
	v, _ := m.LoadPtrTko(m.pointers(), tileir.MemoryWeak)
	return v
}

// judgeMoving explains them for all element types that memory has and that the operation takes.
func judgeMoving(t *testing.T, target host.Target) (rows []*judged) {
	for _, c := range moving {
		if len(rows) == 0 || rows[len(rows)-1].name != c.name {
			rows = append(rows, newJudged(c.name))
		}
		for _, e := range tileir.Elems() {
			if _, per := stored(e); per > 1 {
				continue
			}
			m := &mover{Builder: tileir.NewBuilder(), elem: e}
			m.Entry("k", []tileir.Type{tileir.PointerTile(e)}, func(params []*tileir.Value) {
				m.pointer = params[0]
				c.make(m)
				m.Return()
			})
			module, err := m.Build(tileir.Newest)
			if err != nil {
				continue // not of this type
			}
			x, err := cpu.Explain(t.Context(), module, "k", target)
			if err != nil {
				t.Fatalf("%s of %v: %v", c.name, e, err)
			}
			why, native := wayOf(t, x, tileir.Lookup(c.name))
			rows[len(rows)-1].note(e.String(), c.note, why, native)
		}
		if len(rows[len(rows)-1].types) == 0 {
			t.Errorf("%s is valid with no element type", c.name)
		}
	}
	return rows
}
