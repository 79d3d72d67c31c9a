package cpu_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestLaunchChecked: a device that checks reports two blocks that store to one element, one that does not runs them, whatever
// it is told about the tensors.
func TestLaunchChecked(t *testing.T) {
	for _, check := range []bool{false, true} {
		d := newDevice(t, cpu.Options{CheckAssumes: check})
		if d.Promises() != check {
			t.Errorf("a device that checks %t gains from promises %t", check, d.Promises())
		}
		k := newKernel(t, tileir.PointerTile(tileir.I32))
		k.store(constant(k, tileir.Tile(tileir.I32, 4), int32(7)), k.view(k.entry.Params[0], []int{4}, 4), k.i32(0))
		k.ret()
		kern, buf := k.compile(d), upload(t, d, make([]int32, 4))
		s := newStream(t, d)
		w := &engine.Watch{Tensors: []engine.Tensor{{Name: "x", Size: 4, Shape: []int{4}, Strides: []int{1}, Writes: true}}}
		if err := s.(engine.Checking).LaunchChecked(kern, [3]uint32{2, 1, 1}, []uint64{buf.Address()}, w); err != nil {
			t.Fatal(err)
		}
		err := s.Wait(t.Context())
		if !check && (err != nil || elems[int32](buf)[3] != 7) || check && (err == nil || !strings.Contains(err.Error(), "data race at element (0) of x: this store_view_tko and the store_view_tko of block (")) {
			t.Errorf("checks %t: %v, %v", check, err, elems[int32](buf))
		}
	}
}

// TestRoom: no memory is asked for that no machine has.
func TestRoom(t *testing.T) {
	for bytes, want := range map[int64]string{0: "", 1 << 20: "", 64<<20 - 1: "", 64 << 20: "", 1<<46 + 1: "no machine has 70368744177665 bytes", -1: "no machine has 18446744073709551615 bytes"} {
		if err := cpu.Room(bytes); (err != nil) != (want != "") || err != nil && err.Error() != want {
			t.Errorf("%d: %v, want %q", bytes, err, want)
		}
	}
}
