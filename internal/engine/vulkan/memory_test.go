package vulkan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
)

// TestSmallBuffers: thousands of buffers take a few allocations of the driver, share no byte, and are zeroed when they are used
// again.
func TestSmallBuffers(t *testing.T) {
	everywhere(t, func(t *testing.T, m machine) {
		s := newStream(t, m)
		sizes := []int{1, 63, 64, 65, 1000, 4096, 16384}
		for round := range 3 {
			var list []engine.Buffer
			for i := range 5000 {
				n := 4 * sizes[i%3]
				if i%100 == 0 {
					n = 4 * sizes[i/100%len(sizes)]
				}
				b, err := m.Alloc(int64(n))
				check(t, err)
				if b.Address()%256 != 0 {
					t.Fatalf("address %#x", b.Address())
				}
				list = append(list, b)
			}
			if n := m.lib.Live()["VkDeviceMemory"]; n > 100 {
				t.Errorf("%d allocations", n)
			}
			sorted := slices.Clone(list)
			slices.SortFunc(sorted, func(a, b engine.Buffer) int { return int(int64(a.Address()) - int64(b.Address())) })
			for i := 1; i < len(sorted); i++ {
				if a := sorted[i-1]; a.Address()+uint64(a.Size()) > sorted[i].Address() {
					t.Fatalf("two buffers share bytes")
				}
			}
			for i := 0; i < len(list); i += 97 {
				n := int(list[i].Size() / 4)
				if got := read(t, s, list[i], n); !slices.Equal(got, make([]uint32, n)) {
					t.Fatalf("round %d: a new buffer is not zeroed", round)
				}
				check(t, s.Write(list[i], 0, toBytes(slices.Repeat([]uint32{uint32(i + 1)}, n))))
			}
			for i := 0; i < len(list); i += 97 {
				n := int(list[i].Size() / 4)
				if got := read(t, s, list[i], n); !slices.Equal(got, slices.Repeat([]uint32{uint32(i + 1)}, n)) {
					t.Fatalf("buffer %d holds %s", i, fmt.Sprint(got[:1]))
				}
			}
			for _, b := range list {
				check(t, b.Free())
			}
		}
		if n := m.lib.Live()["VkDeviceMemory"]; n > 20 {
			t.Errorf("%d allocations are left", n)
		}
	})
}
