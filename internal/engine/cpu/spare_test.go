package cpu

import "testing"

// TestSpareClass checks that the sizes of a class are not smaller than what is asked for, nor much larger, and that classes differ
// where sizes do.
func TestSpareClass(t *testing.T) {
	sizes := map[int]int64{}
	for n := int64(leastSpare); n <= mostSpare; n += 1 + n/37 {
		class, size := spareClass(n)
		if size < n || size > n+n/7 {
			t.Errorf("%d bytes: the size is %d", n, size)
		}
		if again, same := spareClass(size); again != class || same != size {
			t.Errorf("%d bytes: class %d of %d bytes, which is of class %d of %d bytes", n, class, size, again, same)
		}
		if other, ok := sizes[class]; ok && other != size {
			t.Errorf("class %d has %d and %d bytes", class, other, size)
		}
		sizes[class] = size
	}
}

// TestSpareMemory checks that memory which another buffer has had is zero.
func TestSpareMemory(t *testing.T) {
	d := New(Options{})
	defer d.Close()
	for i := range 50 {
		b, err := d.Alloc(int64(5000 + i%3))
		if err != nil {
			t.Fatal(err)
		}
		for at, x := range b.Host() {
			if x != 0 {
				t.Fatalf("byte %d is %d", at, x)
			}
			b.Host()[at] = 0xff
		}
		if err := b.Free(); err != nil {
			t.Fatal(err)
		}
	}
}
