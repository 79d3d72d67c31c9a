package cubin

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// triple reads three extents.
func triple(value []byte) (d [3]int, err error) {
	if len(value) < 12 {
		return d, fmt.Errorf("extents of %d bytes, want 12", len(value))
	}
	for i := range d {
		d[i] = int(binary.LittleEndian.Uint32(value[4*i:]))
	}
	return d, nil
}

// demand notes what an attribute demands of launches.
func demand(k *simt.Signature, number byte, d [3]int) {
	switch number {
	case attrRequired:
		k.Block = d
	case attrCluster:
		k.Cluster = d
	case attrMaxThreads:
		k.MaxThreads = d[0] * d[1] * d[2]
	}
}

// readParam reads an attribute for a parameter: an index, its ordinal and offset, and its size, beside which other facts stand.
func readParam(value []byte, wide bool) (p param, err error) {
	if len(value) < 12 {
		return p, fmt.Errorf("a parameter of %d bytes, want 12", len(value))
	}
	p.ordinal = int(binary.LittleEndian.Uint16(value[4:]))
	p.offset = int(binary.LittleEndian.Uint16(value[6:]))
	last := binary.LittleEndian.Uint32(value[8:])
	if p.size = int(last >> 18); wide {
		p.size = int(last & 0xffff)
	}
	return p, nil
}

// place puts the parameters in order. They must lie one after the other, up to the end that the kernel says: else the attributes have been read
// in a wrong way, and arguments could not be checked.
func place(k *simt.Signature, params []param, total int) error {
	slices.SortFunc(params, func(a, b param) int { return a.ordinal - b.ordinal })
	end := 0
	for i, p := range params {
		if p.ordinal != i || p.size == 0 || p.offset < end || p.offset-end >= 256 {
			return fmt.Errorf("parameter %d has %d bytes at %d, after one that ends at %d", p.ordinal, p.size, p.offset, end)
		}
		end = p.offset + p.size
		k.Params = append(k.Params, simt.Bare(p.size))
	}
	if end > total || total-end >= 256 {
		return fmt.Errorf("its parameters end at %d, but have %d bytes", end, total)
	}
	return nil
}
