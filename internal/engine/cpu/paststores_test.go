package cpu_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// streamCase is a kernel that doubles a tensor into another one, or into itself.
type streamCase struct {
	rows, cols   int   // of a tile
	gap          int64 // elements between the rows of the tensors
	from, offset int32 // the elements before the first one, of the tensor that is read and of the other
	inPlace      bool
}

var streamCases = map[string]streamCase{
	"rows":           {rows: 8, cols: 64},
	"one row":        {rows: 1, cols: 512},
	"gaps":           {rows: 8, cols: 64, gap: 64},
	"unaligned":      {rows: 8, cols: 64, offset: 1},
	"unaligned rows": {rows: 8, cols: 64, gap: 1},
	"unaligned from": {rows: 8, cols: 64, from: 1},
	"narrow":         {rows: 64, cols: 4},
	"in place":       {rows: 8, cols: 64, inPlace: true},
}

// build makes the kernel for tensors of so many tiles; a block does one of them.
func (c streamCase) build(t testing.TB, e tileir.Elem, tiles int64) *kernel {
	k := newKernel(t, tileir.PointerTile(e), tileir.PointerTile(e))
	view := func(param int, offset int32) *tileir.Value {
		base := k.one("offset", vals{k.entry.Params[param], k.i32(offset)}, nil, tileir.PointerTile(e))
		return k.partition(base, []int{c.rows, c.cols}, nil, tileir.PadZero, []int64{tiles * int64(c.rows), int64(c.cols)}, []int64{int64(c.cols) + c.gap, 1})
	}
	x, y := view(0, c.from), view(1, c.offset)
	i := k.ids()[0]
	v := k.load(x, i, k.i32(0))
	k.store(k.one("addi", vals{v, v}, attrs{"overflow": tileir.OverflowNone}, v.Type), y, i, k.i32(0))
	k.ret()
	return k
}

func (c streamCase) run(t *testing.T, d *cpu.Device, e tileir.Elem) []byte {
	const tiles = 32
	size := (int64(tiles*c.rows)*(int64(c.cols)+c.gap) + 1) * int64(e.Bytes())
	x, y := make([]byte, size), make([]byte, size)
	for i := range x {
		x[i], y[i] = byte(i*7), byte(i)
	}
	a, b := upload(t, d, x), upload(t, d, y)
	if c.inPlace {
		b = a
	}
	if err := launch(t, d, c.build(t, e, tiles).compile(d), [3]uint32{tiles, 1, 1}, a.Address(), b.Address()); err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(b.Host())
}

// TestStreams compares stores past the caches with the interpreter, for tensors that are aligned and others.
func TestStreams(t *testing.T) {
	for name, c := range streamCases {
		for _, e := range []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64} {
			t.Run(fmt.Sprint(name, e), func(t *testing.T) {
				want := c.run(t, newDevice(t, cpu.Options{Interpret: true, Workers: 1}), e)
				for _, l := range cpu.NativeLevels() {
					for _, workers := range []int{1, 3} {
						d := newDevice(t, cpu.Options{Workers: workers, Stream: 1})
						cpu.SetLevel(d, l)
						if !bytes.Equal(c.run(t, d, e), want) {
							t.Errorf("%s, %d workers: memory differs", l, workers)
						}
					}
				}
			})
		}
	}
}

// TestStreamsBySize: there is code for stores past the caches where tensors are large, and none where they are known to be small.
func TestStreamsBySize(t *testing.T) {
	past := map[string]string{"avx2": "vmovnt", "avx512": "vmovnt", "neon": "stnp"}
	for level, op := range past {
		for tiles, want := range map[int64]bool{16: false, 1 << 20: true} {
			target, err := host.Named(level)
			if err != nil {
				t.Fatal(err)
			}
			k := streamCases["rows"].build(t, tileir.I32, tiles)
			x, err := cpu.Explain(t.Context(), k.module, "k", target)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(codeOf(x), op); got != want {
				t.Errorf("%s, %d tiles: %s is there: %v, want %v", level, tiles, op, got, want)
			}
		}
	}
}

// codeOf is the text of all code.
func codeOf(x *cpu.Explanation) string {
	var b strings.Builder
	for _, l := range x.Code {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}
