package cost_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// TestTraffic: what blocks load again counts once, what they leave out does not count, and without a limit everything counts.
func TestTraffic(t *testing.T) {
	vadd := func(n int64) []int64 { return append(append(array(n), array(n)...), array(n)...) }
	for _, c := range []struct {
		name           string
		grid           [3]uint32
		loaded, stored int64
	}{
		{"all once", [3]uint32{5, 1, 1}, 40000, 20000}, {"twice", [3]uint32{5, 2, 1}, 40000, 20000}, {"a part", [3]uint32{1, 1, 1}, 8192, 4096}, {"nothing", [3]uint32{0, 1, 1}, 0, 0},
	} {
		e := kernel(t, "vadd")
		r, err := cost.Count(e, vadd(5000), c.grid)
		if err != nil {
			t.Fatal(err)
		}
		if loaded, stored := r.Traffic(e, []int64{20000, 0, 0, 20000, 0, 0, 20000, 0, 0}); loaded != c.loaded || stored != c.stored {
			t.Errorf("%s: %d and %d bytes, want %d and %d", c.name, loaded, stored, c.loaded, c.stored)
		}
	}
	global, err := irtext.Parse(`global @g <f32: [1.0, 2.0]> : tile<2xf32>
entry @k(%x: tile<ptr<f32>>) {
  %t = make_token : token
  %p = get_global @g : tile<ptr<f32>>
  %v, %tv = load_ptr_tko weak %p token = %t : tile<ptr<f32>> -> tile<f32>, token
  %ts = store_ptr_tko weak %x, %v token = %t : tile<ptr<f32>>, tile<f32> -> token
  return
}
`, irtext.ParseOptions{})
	if err == nil {
		err = global.Verify(tileir.Newest)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := cost.Count(global.Entries[0], []int64{0}, [3]uint32{10, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	if loaded, stored := r.Traffic(global.Entries[0], []int64{4}); loaded != 40 || stored != 40 {
		t.Errorf("with a global: %d and %d bytes, want 40 and 40, as it is not known how many of them are its own", loaded, stored)
	}
}

// TestOps lists the operations by kind and type.
func TestOps(t *testing.T) {
	e := kernel(t, "softmax")
	r, err := cost.Count(e, append(array(7, 1000), array(7, 1000)...), [3]uint32{7, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	list := r.Ops()
	if len(list) != 2 || list[0] != (cost.Ops{Kind: "arithmetic", Type: "f32", N: 7 * (1023 + 1024 + 1023 + 1024)}) || list[1] != (cost.Ops{Kind: "special", Type: "f32", N: 7 * 1024}) {
		t.Errorf("%+v", list)
	}
}
