package serve

import (
	"cmp"
	"encoding/binary"
	"slices"
	"sort"

	"github.com/cutile-go/cutile/internal/engine"
)

// region is memory of the peer that a kernel may reach: size bytes from an address on, which lie in the shared file.
type region struct {
	address, size, offset, flags uint64
	buffer                       engine.Buffer
	then                         []byte // what a region with translated addresses held
}

// before is what the region held when the kernel was started.
func (r *region) before(shared []byte) []byte {
	if r.then != nil {
		return r.then
	}
	return shared[r.offset : r.offset+r.size]
}

// memory is what a kernel may reach.
type memory struct {
	regions []*region
	sorted  []*region // those with bytes, by address
}

// byField gives the regions that are not empty, ordered by a field.
func byField(regions []*region, field func(*region) uint64) []*region {
	sorted := slices.Clone(regions)
	sorted = slices.DeleteFunc(sorted, func(r *region) bool { return r.size == 0 })
	slices.SortFunc(sorted, func(a, b *region) int { return cmp.Compare(field(a), field(b)) })
	return sorted
}

// checkRegions refuses regions outside of the file, and those that share memory, of which one would win.
func (s *session) checkRegions(regions []*region) error {
	total := uint64(0)
	for i, r := range regions {
		switch {
		case r.offset > uint64(len(s.shared)) || r.size > uint64(len(s.shared))-r.offset:
			return badRequest("region %d is bytes %d to %d of a shared file of %d bytes", i, r.offset, r.offset+r.size, len(s.shared))
		case r.size > ^uint64(0)-r.address:
			return badRequest("region %d at %#x has %d bytes, which is too many", i, r.address, r.size)
		case r.flags&^(HoldsAddresses|ConstantRegion) != 0:
			return badRequest("unknown flags %#x of region %d", r.flags, i)
		}
		if total += r.size; total > uint64(s.limits.Memory) {
			return badRequest("the regions have more than %d bytes", s.limits.Memory)
		}
	}
	sorted := byField(regions, func(r *region) uint64 { return r.address })
	for i := range max(0, len(sorted)-1) {
		if a, b := sorted[i], sorted[i+1]; a.address+a.size > b.address {
			return badRequest("the regions of %d bytes at %#x and of %d bytes at %#x overlap", a.size, a.address, b.size, b.address)
		}
	}
	sorted = byField(regions, func(r *region) uint64 { return r.offset })
	for i := range max(0, len(sorted)-1) {
		if a, b := sorted[i], sorted[i+1]; a.offset+a.size > b.offset {
			return badRequest("two regions overlap in the shared file, at byte %d", b.offset)
		}
	}
	return nil
}

// copyIn makes buffers of the regions, with addresses that are aligned as those of the peer.
func (s *session) copyIn(device Device, regions []*region) (memory, error) {
	m := memory{regions: regions, sorted: byField(regions, func(r *region) uint64 { return r.address })}
	for _, r := range regions {
		b, err := device.AllocAt(int64(r.size), uint8(r.address))
		if err != nil {
			return m, badRequest("%v", err)
		}
		r.buffer = b
		copy(b.Host(), s.shared[r.offset:r.offset+r.size])
	}
	for _, r := range regions {
		if r.flags&HoldsAddresses != 0 {
			m.translateWords(r)
		}
	}
	return m, nil
}

func (m memory) free() {
	for _, r := range m.regions {
		if r.buffer != nil {
			r.buffer.Free()
		}
	}
}

// translate turns an address of the peer into one of the device. The end of a region belongs to it where no other begins
// there: an array without elements has an address, too.
func (m memory) translate(a uint64) (uint64, bool) {
	if a == 0 {
		return 0, true
	}
	i := sort.Search(len(m.sorted), func(i int) bool { return m.sorted[i].address > a })
	if i > 0 {
		if r := m.sorted[i-1]; a-r.address <= r.size {
			return r.buffer.Address() + a - r.address, true
		}
	}
	for _, r := range m.regions {
		if r.size == 0 && r.address == a {
			return r.buffer.Address(), true
		}
	}
	return a, false
}

// translateWords turns the words of a region that are addresses into those of the device; the others stay.
func (m memory) translateWords(r *region) {
	h := r.buffer.Host()
	for i := 0; i+8 <= len(h); i += 8 {
		if a, ok := m.translate(binary.LittleEndian.Uint64(h[i:])); ok {
			binary.LittleEndian.PutUint64(h[i:], a)
		}
	}
	r.then = append([]byte{}, h...)
}
