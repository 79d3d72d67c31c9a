package ir

import "github.com/cutile-go/cutile/internal/threads/linear"

// Footprint says which bytes of a buffer the threads of a block touch by some accesses that belong together, such as those that write one
// tile.
type Footprint struct {
	// Map takes the bits of a thread's number, and behind them those of the number of an access, to the offset of the first byte.
	Map     linear.Map
	First   int // the exclusive or with each offset is what counts
	Threads int // how many bits of a thread's number there are
	Only    int // only threads take part in whose numbers these bits are 0
	Bytes   int // that an access touches, a power of two that divides its offset
}

// reach says which threads meet.
type reach uint8

const (
	nobody    reach = iota // but a thread with itself
	warpMates              // threads of one warp
	anybody
)

// meets finds which threads touch bytes of one footprint that others touch of another one. It looks at all pairs of a thread and access of
// the one with those of the other that lie at the same place: they are what both maps side by side take to the
// distance of the footprints.
func (f *Footprint) meets(g *Footprint, lanes int) (most reach) {
	low := max(f.Bytes, g.Bytes) - 1
	var places, threads linear.Map
	for _, side := range []*Footprint{f, g} {
		for i, b := range side.Map {
			switch {
			case i >= side.Threads:
				places, threads = append(places, b&^low), append(threads, 0)
			case side.Only>>i&1 == 0:
				places, threads = append(places, b&^low), append(threads, 1<<i)
			}
		}
	}
	one, ok := places.Preimage((f.First ^ g.First) &^ low)
	if !ok {
		return nobody
	}
	for _, pair := range append(places.Kernel(), one) {
		switch apart := threads.Apply(pair); { // the exclusive or of the two threads' numbers
		case apart>>lanes != 0:
			return anybody
		case apart != 0:
			most = warpMates
		}
	}
	return most
}
