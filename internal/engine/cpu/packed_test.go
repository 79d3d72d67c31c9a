package cpu

import "testing"

// TestFix checks that buffers that do not change count towards the limit of packed factors until they are freed, and no others.
func TestFix(t *testing.T) {
	d := New(Options{})
	defer d.Close()
	b, err := d.Alloc(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	fixed := b.(*Buffer)
	fixed.Fix()
	fixed.Fix()
	if got := d.packed.Load(); got != 2<<20 || fixed.packed.Load() == nil {
		t.Errorf("%d bytes count for one fixed buffer, expected %d", got, 2<<20)
	}
	d.packed.Add(packedBytes)
	other, err := d.Alloc(100)
	if err != nil {
		t.Fatal(err)
	}
	other.(*Buffer).Fix()
	if other.(*Buffer).packed.Load() != nil {
		t.Error("a buffer is fixed beyond the limit")
	}
	d.packed.Add(-packedBytes)
	if err := other.Free(); err != nil {
		t.Fatal(err)
	}
	if err := fixed.Free(); err != nil {
		t.Fatal(err)
	}
	if got := d.packed.Load(); got != 0 {
		t.Errorf("%d bytes count when all is freed", got)
	}
}
