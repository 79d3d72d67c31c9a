package cpu_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// copyCase is a kernel that loads a tile of a tensor, permutes it or not, and stores it in another one.
type copyCase struct {
	shape    []int64 // of the first tensor
	strides  []int64
	tile     []int
	dims     []int // of the view that is loaded; nil for the tensor's order
	perm     []int // nil for none
	twice    bool  // permutes once more, in the other direction
	out      []int // dimensions of the second tensor, from the one with the greatest stride on; nil for its own order
	used     bool  // what is loaded is stored, too, before it is permuted
	at, into int32 // the index in all dimensions
}

var copyCases = map[string]copyCase{
	"rows":           {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{32, 64}},
	"edge":           {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{16, 64}, at: 1},
	"narrow":         {shape: []int64{200, 4}, strides: []int64{5, 1}, tile: []int{128, 4}},
	"narrow edge":    {shape: []int64{200, 7}, strides: []int64{9, 1}, tile: []int{128, 4}, at: 1},
	"backward":       {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{32, 64}, into: -1},
	"turned":         {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{32, 64}, perm: []int{1, 0}},
	"turned edge":    {shape: []int64{40, 70}, strides: []int64{71, 1}, tile: []int{16, 64}, perm: []int{1, 0}, at: 1},
	"turned view":    {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{64, 32}, dims: []int{1, 0}},
	"turned twice":   {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{64, 32}, dims: []int{1, 0}, perm: []int{1, 0}},
	"there and back": {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{32, 64}, perm: []int{1, 0}, twice: true},
	"into columns":   {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{32, 64}, out: []int{1, 0}},
	"apart":          {shape: []int64{40, 70}, strides: []int64{140, 2}, tile: []int{32, 64}},
	"apart turned":   {shape: []int64{40, 70}, strides: []int64{140, 2}, tile: []int{32, 64}, perm: []int{1, 0}},
	"squares":        {shape: []int64{45, 51}, strides: []int64{64, 1}, tile: []int{64, 64}, perm: []int{1, 0}},
	"from squares":   {shape: []int64{45, 51}, strides: []int64{64, 1}, tile: []int{64, 64}, out: []int{1, 0}},
	"far squares":    {shape: []int64{45, 51}, strides: []int64{1, 2048}, tile: []int{64, 64}},
	"far apart":      {shape: []int64{64, 70}, strides: []int64{1, 2048}, tile: []int{64, 64}},
	"far apart edge": {shape: []int64{45, 70}, strides: []int64{1, 2048}, tile: []int{32, 64}, at: 1},
	"three":          {shape: []int64{9, 20, 33}, strides: []int64{700, 34, 1}, tile: []int{4, 16, 32}, perm: []int{1, 2, 0}},
	"three edge":     {shape: []int64{9, 20, 33}, strides: []int64{700, 34, 1}, tile: []int{4, 16, 32}, perm: []int{2, 0, 1}, at: 1},
	"middle":         {shape: []int64{9, 20, 33}, strides: []int64{700, 34, 1}, tile: []int{4, 16, 32}, perm: []int{1, 0, 2}},
	"used":           {shape: []int64{40, 70}, strides: []int64{80, 1}, tile: []int{32, 64}, perm: []int{1, 0}, used: true},
}

// TestNativeCopies compares copies by machine code with the interpreter: what memory holds, and faults.
func TestNativeCopies(t *testing.T) {
	for name, c := range copyCases {
		for _, e := range []tileir.Elem{tileir.I8, tileir.F16, tileir.F32, tileir.I64, tileir.I1, tileir.F8E8M0FNU} {
			t.Run(fmt.Sprint(name, e), func(t *testing.T) {
				want, wantErr := c.run(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), e)
				for _, l := range cpu.NativeLevels() {
					d := newDevice(t, cpu.Options{Workers: 1})
					cpu.SetLevel(d, l)
					got, err := c.run(t, d, e)
					if fmt.Sprint(err) != fmt.Sprint(wantErr) {
						t.Errorf("%s: %v, want %v", l, err, wantErr)
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%s: memory differs", l)
					}
				}
			})
		}
	}
}

// run gives what memory holds after the kernel.
func (c *copyCase) run(t *testing.T, d *cpu.Device, e tileir.Elem) ([]byte, error) {
	k := newKernel(t, tileir.PointerTile(e), tileir.PointerTile(e), tileir.PointerTile(e))
	index := func(i int32) vals { return slices.Repeat(vals{k.i32(i)}, len(c.tile)) }
	n := 1
	for i, m := range c.shape {
		n += int(m-1) * int(c.strides[i])
	}
	v := k.load(k.partition(k.entry.Params[0], c.tile, c.dims, tileir.PadZero, c.shape, c.strides), index(c.at)...)
	if c.used {
		k.store(v, k.view(k.entry.Params[2], c.tile, c.large(c.tile)...), index(0)...)
	}
	for range map[bool]int{true: 2, false: 1}[c.twice] {
		v = k.permuted(v, c.perm)
	}
	tile := v.Type.(*tileir.TileType).Shape
	shape, dims := c.large(tile), c.out
	k.store(v, k.partition(k.entry.Params[1], tile, dims, tileir.PadZero, shape, rowStrides(shape)), index(c.into)...)
	k.ret()
	room := e.Bytes() * len(shape) * int(shape[0]) * int(rowStrides(shape)[0]) * 2
	x, y, z := upload(t, d, randomInput(e, n, 1).data), upload(t, d, make([]byte, room)), upload(t, d, make([]byte, room))
	err := launch(t, d, k.compile(d), [3]uint32{1, 1, 1}, x.Address(), y.Address(), z.Address())
	return bytes.Join([][]byte{y.Host(), z.Host()}, nil), err
}

// permuted permutes unless the permutation is nil.
func (k *kernel) permuted(v *tileir.Value, perm []int) *tileir.Value {
	if perm == nil {
		return v
	}
	t := v.Type.(*tileir.TileType)
	shape := make([]int, len(perm))
	for i, p := range perm {
		shape[i] = t.Shape[p]
	}
	return k.one("permute", vals{v}, attrs{"permutation": tileir.Ints(perm)}, tileir.Tile(t.Elem, shape...))
}

// large is the shape of a tensor that is a little larger than a tile, in any order of its dimensions.
func (c *copyCase) large(tile []int) []int64 {
	return slices.Repeat([]int64{int64(slices.Max(tile)) + 3}, len(tile))
}

func rowStrides(shape []int64) []int64 {
	s, n := make([]int64, len(shape)), int64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		s[i], n = n, n*shape[i]
	}
	return s
}
