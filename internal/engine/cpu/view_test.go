package cpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// viewCase is a view of a small tensor, with the first element and tile of an access in tile coordinates.
type viewCase struct {
	name            string
	shape, strides  []int64
	tile, dims      []int
	step            []int // how far apart tiles start; nil for the tile's own extents
	at              []int64
	pad             tileir.Padding
	bufferLen, base int
}

var viewCases = []viewCase{
	{name: "inside", shape: []int64{16}, strides: []int64{1}, tile: []int{8}, at: []int64{1}, bufferLen: 16},
	{name: "edge", shape: []int64{13}, strides: []int64{1}, tile: []int{8}, at: []int64{1}, bufferLen: 13},
	{name: "outside", shape: []int64{13}, strides: []int64{1}, tile: []int{8}, at: []int64{2}, bufferLen: 13},
	{name: "before", shape: []int64{13}, strides: []int64{1}, tile: []int{8}, at: []int64{-1}, bufferLen: 13},
	{name: "far", shape: []int64{13}, strides: []int64{1}, tile: []int{8}, at: []int64{1 << 30}, bufferLen: 13},
	{name: "rows", shape: []int64{7, 9}, strides: []int64{9, 1}, tile: []int{4, 4}, at: []int64{1, 2}, bufferLen: 63},
	{name: "wide rows", shape: []int64{8, 8}, strides: []int64{20, 1}, tile: []int{4, 8}, at: []int64{1, 0}, bufferLen: 160},
	{name: "columns", shape: []int64{7, 9}, strides: []int64{1, 7}, tile: []int{4, 4}, at: []int64{1, 1}, bufferLen: 63},
	{name: "turned", shape: []int64{7, 9}, strides: []int64{9, 1}, tile: []int{4, 2}, dims: []int{1, 0}, at: []int64{2, 3}, bufferLen: 63},
	{name: "turned inside", shape: []int64{32, 64}, strides: []int64{64, 1}, tile: []int{32, 32}, dims: []int{1, 0}, at: []int64{1, 0}, bufferLen: 2048},
	{name: "repeated", shape: []int64{4, 8}, strides: []int64{0, 1}, tile: []int{4, 8}, at: []int64{0, 0}, bufferLen: 8},
	{name: "three", shape: []int64{3, 5, 6}, strides: []int64{30, 6, 1}, tile: []int{2, 4, 4}, dims: []int{2, 0, 1}, at: []int64{1, 0, 1}, bufferLen: 90},
	{name: "strided", shape: []int64{20}, strides: []int64{1}, tile: []int{8}, step: []int{3}, at: []int64{5}, bufferLen: 20},
	{name: "gaps", shape: []int64{20, 10}, strides: []int64{10, 1}, tile: []int{4, 4}, step: []int{7, 5}, at: []int64{2, 1}, bufferLen: 200},
	{name: "base", shape: []int64{5}, strides: []int64{2}, tile: []int{4}, at: []int64{1}, bufferLen: 20, base: 4},
}

// where gives the buffer's element for an element of the tile, or -1 outside the tensor.
func (c *viewCase) where(at []int) int {
	p := int64(c.base)
	for i := range c.tile {
		dim, step := i, c.tile[i]
		if c.dims != nil {
			dim = c.dims[i]
		}
		if c.step != nil {
			step = c.step[i]
		}
		k := c.at[i]*int64(step) + int64(at[i])
		if k < 0 || k >= c.shape[dim] {
			return -1
		}
		p += k * c.strides[dim]
	}
	return int(p)
}

// view builds the case's view over a pointer.
func (c *viewCase) view(k *kernel, base *tileir.Value, dynamic bool) *tileir.Value {
	if c.base != 0 {
		base = k.one("offset", vals{base, k.i32(int32(c.base))}, nil, base.Type)
	}
	shape, strides := slices.Clone(c.shape), slices.Clone(c.strides)
	var shapes, strideVals vals
	if dynamic {
		s := tileir.Tile(tileir.I64)
		for i := range shape {
			shapes = append(shapes, constant(k, s, shape[i]))
			strideVals = append(strideVals, constant(k, s, strides[i]))
			shape[i], strides[i] = tileir.Dynamic, tileir.Dynamic
		}
	}
	tv := &tileir.TensorViewType{Elem: base.Type.(*tileir.TileType).Elem, Shape: shape, Strides: strides}
	t := k.opGroups("make_tensor_view", []vals{{base}, shapes, strideVals}, nil, nil, tv)[0]
	dims := c.dims
	if dims == nil {
		for i := range c.tile {
			dims = append(dims, i)
		}
	}
	if c.step != nil {
		return k.one("make_strided_view", vals{t}, nil, &tileir.StridedViewType{Tile: c.tile, Traversal: c.step, Tensor: tv, DimMap: dims, Padding: c.pad})
	}
	return k.one("make_partition_view", vals{t}, nil, &tileir.PartitionViewType{Tile: c.tile, Tensor: tv, DimMap: dims, Padding: c.pad})
}

func (c *viewCase) index(k *kernel) vals {
	var out vals
	for _, i := range c.at {
		out = append(out, constant(k, tileir.Tile(tileir.I64), i))
	}
	return out
}

func TestViewLoadStore(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range viewCases {
		for _, e := range sizes {
			for _, dynamic := range []bool{false, true} {
				if !dynamic && slices.Contains(c.strides, 0) {
					continue // a stride of zero is possible only where it is not in the type
				}
				t.Run(fmt.Sprintf("%s/%s/dynamic=%v", c.name, e, dynamic), func(t *testing.T) {
					n := product(c.tile)
					src := upload(t, d, counting(e, c.bufferLen))
					flat := upload(t, d, make([]byte, n*e.Bytes()))
					back := upload(t, d, slices.Repeat([]byte{0xee}, c.bufferLen*e.Bytes()))
					p := tileir.PointerTile(e)
					k := newKernel(t, p, p, p)
					v := k.load(c.view(k, k.entry.Params[0], dynamic), c.index(k)...)
					f := k.one("reshape", vals{v}, nil, tileir.Tile(e, n))
					k.store(f, k.view(k.entry.Params[1], []int{n}, int64(n)), k.i32(0))
					k.store(v, c.view(k, k.entry.Params[2], dynamic), c.index(k)...)
					k.ret()
					if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), flat.Address(), back.Address()); err != nil {
						t.Fatal(err)
					}
					w := e.Bytes()
					want := slices.Repeat([]byte{0xee}, c.bufferLen*w)
					for i := range n {
						elem := make([]byte, w)
						if p := c.where(index(c.tile, i)); p >= 0 {
							elem = src.Host()[p*w:][:w]
							copy(want[p*w:], elem)
						}
						if g := flat.Host()[i*w:][:w]; !slices.Equal(g, elem) {
							t.Fatalf("loaded element %v is %v, want %v", index(c.tile, i), g, elem)
						}
					}
					if !slices.Equal(back.Host(), want) {
						t.Fatalf("stored %v, want %v", back.Host(), want)
					}
				})
			}
		}
	}
}

func TestPadding(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	names := map[tileir.Padding]string{tileir.PadZero: "0", tileir.PadNegZero: "-0", tileir.PadNaN: "NaN", tileir.PadPosInf: "+Inf", tileir.PadNegInf: "-Inf", tileir.NoPadding: "0"}
	for _, f := range formats {
		for pad, want := range names {
			src := upload(t, d, f.encode([]float64{1, 2, 3}))
			out := upload(t, d, f.encode(make([]float64, 4)))
			p := tileir.PointerTile(f.elem)
			k := newKernel(t, p, p)
			v := k.load(k.partition(k.entry.Params[0], []int{4}, nil, pad, []int64{3}, []int64{1}), k.i32(0))
			k.store(v, k.view(k.entry.Params[1], []int{4}, 4), k.i32(0))
			k.ret()
			if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), out.Address()); err != nil {
				t.Fatal(err)
			}
			if got := f.decode(out.Host()); fmt.Sprint(got[3]) != want || got[2] != 3 {
				t.Errorf("%s %s: %v, want %s at the end", f.elem, pad, got, want)
			}
		}
	}
}

func TestGatherScatter(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	const rows, cols = 8, 10
	shape, strides := []int64{rows, cols}, []int64{cols, 1}
	src := upload(t, d, counting(tileir.I32, rows*cols))
	for sparse := range 2 {
		picks := []int32{5, 2, -1, 5, 7, 99, 0, 1}[:4]
		tile := []int{4, 4}
		p := tileir.PointerTile(tileir.I32)
		k := newKernel(t, p, p, p)
		gs := func(base *tileir.Value) *tileir.Value {
			tv := &tileir.TensorViewType{Elem: tileir.I32, Shape: shape, Strides: strides}
			v := k.one("make_tensor_view", vals{base}, nil, tv)
			return k.one("make_gather_scatter_view", vals{v}, nil, &tileir.GatherScatterViewType{Tile: tile, Tensor: tv, SparseDim: sparse, Padding: tileir.PadZero})
		}
		idx := vals{constant(k, tileir.Tile(tileir.I32, 4), picks...), k.i32(3)}
		if sparse == 1 {
			idx[0], idx[1] = idx[1], idx[0]
		}
		v := k.load(gs(k.entry.Params[0]), idx...)
		k.store(v, k.view(k.entry.Params[1], tile, 4, 4), k.i32(0), k.i32(0))
		k.store(v, gs(k.entry.Params[2]), idx...)
		k.ret()
		out, back := upload(t, d, make([]int32, 16)), upload(t, d, make([]int32, rows*cols))
		if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, src.Address(), out.Address(), back.Address()); err != nil {
			t.Fatal(err)
		}
		wantBack := make([]int32, rows*cols)
		for i, g := range elems[int32](out) {
			r, c := int(picks[i/4]), 3+i%4
			if sparse == 1 {
				r, c = 3+i/4, int(picks[i%4])
			}
			want := int32(0)
			if r >= 0 && r < rows && c >= 0 && c < cols {
				want = int32(r*cols + c)
				wantBack[want] = want
			}
			if g != want {
				t.Errorf("sparse %d: element %d is %d, want %d", sparse, i, g, want)
			}
		}
		if !slices.Equal(elems[int32](back), wantBack) {
			t.Errorf("sparse %d: scattered %v, want %v", sparse, elems[int32](back), wantBack)
		}
	}
}

func TestViewShapes(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	p := tileir.PointerTile(tileir.I32)
	k := newKernel(t, p)
	s := tileir.Tile(tileir.I32)
	tv := &tileir.TensorViewType{Elem: tileir.I32, Shape: []int64{tileir.Dynamic, 9}, Strides: []int64{tileir.Dynamic, 1}}
	v := k.opGroups("make_tensor_view", []vals{{k.entry.Params[0]}, {k.i32(17)}, {k.i32(9)}}, nil, nil, tv)[0]
	part := k.one("make_partition_view", vals{v}, nil, &tileir.PartitionViewType{Tile: []int{4, 8}, Tensor: tv, DimMap: []int{1, 0}})
	strided := k.one("make_strided_view", vals{v}, nil, &tileir.StridedViewType{Tile: []int{4, 8}, Traversal: []int{2, 16}, Tensor: tv, DimMap: []int{0, 1}})
	var all vals
	all = append(all, k.op("get_tensor_shape", vals{v}, nil, s, s)...)
	all = append(all, k.op("get_index_space_shape", vals{part}, nil, s, s)...)
	all = append(all, k.op("get_index_space_shape", vals{strided}, nil, s, s)...)
	for i, x := range all {
		at := k.one("offset", vals{k.entry.Params[0], k.i32(int32(i))}, nil, p)
		k.opGroups("store_ptr_tko", []vals{{at}, {x}}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil, tileir.Token)
	}
	k.ret()
	out := upload(t, d, make([]int32, 6))
	if err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, out.Address()); err != nil {
		t.Fatal(err)
	}
	if want := []int32{17, 9, 3, 3, 9, 1}; !slices.Equal(elems[int32](out), want) {
		t.Errorf("shapes are %v, want %v", elems[int32](out), want)
	}
}

// TestAccessFaults accesses memory outside allocations in all ways.
func TestAccessFaults(t *testing.T) {
	d := newDevice(t, cpu.Options{CheckAssumes: true})
	p := tileir.PointerTile(tileir.F32)
	weak := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	freed := upload(t, d, make([]float32, 4))
	freedAddress := freed.Address()
	if err := freed.Free(); err != nil {
		t.Fatal(err)
	}
	if err := freed.Free(); err == nil || !strings.Contains(err.Error(), "freed before") {
		t.Errorf("second Free: %v", err)
	}
	buf := upload(t, d, make([]float32, 16))
	address := buf.Address()
	load := func(shape, stride int64, tile int, at int32) func(k *kernel) {
		return func(k *kernel) {
			k.load(k.partition(k.entry.Params[0], []int{tile}, nil, tileir.PadZero, []int64{shape}, []int64{stride}), k.i32(at))
		}
	}
	pointer := func(offset int32) func(k *kernel) {
		return func(k *kernel) {
			at := k.one("offset", vals{k.entry.Params[0], k.i32(offset)}, nil, p)
			k.op("load_ptr_tko", vals{at}, weak, tileir.Tile(tileir.F32), tileir.Token)
		}
	}
	for _, c := range []struct {
		name    string
		address uint64
		build   func(k *kernel)
		want    string
	}{
		{"view too long", address, load(17, 1, 8, 2), "load_view_tko of f32 outside memory: elements 16 to 16 from the view's base are offset 16 of 16 elements"},
		{"view far", address, load(1<<40, 1<<30, 8, 1<<30), "outside memory: an element index of about"},
		{"view null", 0, load(16, 1, 8, 0), "a null pointer"},
		{"view freed", freedAddress, load(4, 1, 4, 0), "in no allocation; it may have been freed"},
		{"view misaligned", address + 2, load(4, 1, 4, 0), "not aligned to 4 bytes"},
		{"pointer behind", address, pointer(16), "element 0: load_ptr_tko of f32 outside memory: offset 16 of 16 elements"},
		{"pointer before", address, pointer(-1), "offset -1 of 16 elements"},
		{"pointer misaligned", address + 1, pointer(0), "not aligned to 4 bytes"},
		{"pointer null", 0, pointer(1), "a null pointer"},
		{"store", address, func(k *kernel) {
			at := k.one("offset", vals{k.entry.Params[0], k.i32(99)}, nil, p)
			k.op("store_ptr_tko", vals{at, constant(k, tileir.Tile(tileir.F32), float32(1))}, weak, tileir.Token)
		}, "store_ptr_tko of f32 outside memory: offset 99 of "},
		{"atomic", address, func(k *kernel) {
			at := k.one("offset", vals{k.entry.Params[0], k.i32(16)}, nil, p)
			k.op("atomic_rmw_tko", vals{at, constant(k, tileir.Tile(tileir.F32), float32(1))},
				attrs{"memory_ordering_semantics": tileir.MemoryRelaxed, "memory_scope": tileir.ScopeDevice, "mode": tileir.AtomicAddF}, tileir.Tile(tileir.F32), tileir.Token)
		}, "atomic_rmw_tko of f32 outside memory"},
		{"inbounds", address, func(k *kernel) {
			v := k.view(k.entry.Params[0], []int{8}, 12)
			k.opGroups("load_view_tko", []vals{{v}, {k.i32(1)}}, attrs{"memory_ordering_semantics": tileir.MemoryWeak, "inbounds": tileir.Bools{true}}, nil, tileir.Tile(tileir.F32, 8), tileir.Token)
		}, "promised to be in bounds: index 1 of dimension 0 is elements 8 to 15 of 12"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newKernel(t, p)
			c.build(k)
			line := k.line
			k.ret()
			err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, c.address)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v\nwant %q", err, c.want)
			}
			if !strings.HasPrefix(err.Error(), fmt.Sprintf("k.ir:%d:1: kernel k, block (0, 0, 0): ", line)) {
				t.Errorf("place is wrong: %v, want line %d", err, line)
			}
		})
	}
}
