package cpu_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// fromText makes a kernel of the only entry of a text.
func fromText(t *testing.T, d *cpu.Device, text string) engine.Kernel {
	t.Helper()
	m, err := irtext.Parse(text, irtext.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Verify(tileir.V13_4); err != nil {
		t.Fatal(err)
	}
	k, err := d.Compile(t.Context(), m, m.Entries[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// atomicText updates x[0..3] where i < 2 and puts the old values at out, with "all" for a mask that holds everywhere.
const atomicText = `entry @k(%x: tile<ptr<ELEM>>, %out: tile<ptr<ELEM>>) {
  %t = make_token : token
  %i = iota : tile<4xi32>
  %n = constant <i32: BOUND> : tile<4xi32>
  %mask = cmpi less_than %i, %n, signed : tile<4xi32> -> tile<4xi1>
  %p1 = reshape %x : tile<ptr<ELEM>> -> tile<1xptr<ELEM>>
  %p = broadcast %p1 : tile<1xptr<ELEM>> -> tile<4xptr<ELEM>>
  %ptrs = offset %p, %i : tile<4xptr<ELEM>>, tile<4xi32> -> tile<4xptr<ELEM>>
  %cmp = constant <ELEM: -1> : tile<4xELEM>
  %val = constant <ELEM: 7> : tile<4xELEM>
  %old, %t2 = OP
  %q1 = reshape %out : tile<ptr<ELEM>> -> tile<1xptr<ELEM>>
  %q = broadcast %q1 : tile<1xptr<ELEM>> -> tile<4xptr<ELEM>>
  %qtrs = offset %q, %i : tile<4xptr<ELEM>>, tile<4xi32> -> tile<4xptr<ELEM>>
  %t3 = store_ptr_tko weak %qtrs, %old token = %t2 : tile<4xptr<ELEM>>, tile<4xELEM> -> token
  return
}`

// TestMaskedAtomics holds lanes back: their memory stays, the old value of a compare-and-swap is what it would have been
// compared with, and that of another update, which Tile IR leaves open, is zero.
func TestMaskedAtomics(t *testing.T) {
	cas := "atomic_cas_tko relaxed device %ptrs, %cmp, %val, %mask token = %t : tile<4xptr<ELEM>>, tile<4xELEM>, tile<4xi1> -> tile<4xELEM>, token"
	rmw := "atomic_rmw_tko relaxed device %ptrs, xchg, %val, %mask token = %t : tile<4xptr<ELEM>>, tile<4xELEM>, tile<4xi1> -> tile<4xELEM>, token"
	for _, elem := range []string{"i32", "i64"} {
		for bound := range 5 {
			for _, c := range []struct {
				op, memory, old string
				held            int64
			}{{cas, "7 5 7 5", "-1 5 -1 5", -1}, {rmw, "7 7 7 7", "-1 5 -1 5", 0}} {
				d := newDevice(t, cpu.Options{})
				text := strings.NewReplacer("OP", c.op, "BOUND", fmt.Sprint(bound)).Replace(atomicText)
				k := fromText(t, d, strings.ReplaceAll(text, "ELEM", elem))
				before, memory, old := []int64{-1, 5, -1, 5}, []int64{}, []int64{}
				fmt.Sscan(c.memory, scan4(&memory)...)
				fmt.Sscan(c.old, scan4(&old)...)
				for i := bound; i < 4; i++ {
					memory[i], old[i] = before[i], c.held
				}
				x, out := uploadInts(t, d, elem, before), uploadInts(t, d, elem, []int64{99, 99, 99, 99})
				if err := launch(t, d, k, [3]uint32{1, 1, 1}, x.Address(), out.Address()); err != nil {
					t.Fatal(err)
				}
				if got := readInts(elem, out); !slices.Equal(got, old) {
					t.Errorf("%s, %d lanes, %.10s: old values are %v, want %v", elem, bound, c.op, got, old)
				}
				if got := readInts(elem, x); !slices.Equal(got, memory) {
					t.Errorf("%s, %d lanes, %.10s: memory is %v, want %v", elem, bound, c.op, got, memory)
				}
			}
		}
	}
}

func scan4(s *[]int64) []any {
	*s = make([]int64, 4)
	return []any{&(*s)[0], &(*s)[1], &(*s)[2], &(*s)[3]}
}

func uploadInts(t *testing.T, d *cpu.Device, elem string, v []int64) engine.Buffer {
	if elem == "i64" {
		return upload(t, d, v)
	}
	var narrow []int32
	for _, x := range v {
		narrow = append(narrow, int32(x))
	}
	return upload(t, d, narrow)
}

func readInts(elem string, b engine.Buffer) (v []int64) {
	if elem == "i64" {
		return elems[int64](b)
	}
	for _, x := range elems[int32](b) {
		v = append(v, int64(x))
	}
	return v
}
