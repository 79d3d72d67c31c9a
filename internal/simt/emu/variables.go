package emu

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// variables are the variables of a module, one after another in memory of their own, which lives as long as the program.
type variables struct {
	at   map[string]uint64 // addresses, by name
	maps []*mapping        // by address

	handles []string // textures, samplers and surfaces
}

// variablesBase is the address of the first variable. It has 32 bits, for texts of PTX that have no wider addresses.
const variablesBase = 1 << 30

// placeVariables gives variables their addresses and first values. Each is followed by a gap, so that an access that runs
// over its end is found.
func placeVariables(m *simt.Module) (*variables, error) {
	const gap = 1024
	v := &variables{at: map[string]uint64{}}
	next := uint64(variablesBase)
	for _, x := range m.Vars {
		v.at[x.Name] = next
		if x.Bytes < len(x.Init) || x.Bytes < 1 || next+uint64(x.Bytes) > 1<<32 {
			return nil, fmt.Errorf("variable %s has %d bytes: too many, or fewer than its values", x.Name, x.Bytes)
		}
		next += (uint64(x.Bytes)/gap + 2) * gap
	}
	for _, h := range m.Handles {
		v.handles = append(v.handles, h.Name)
	}
	for _, x := range m.Vars {
		p := &mapping{addr: v.at[x.Name], data: make([]byte, x.Bytes), name: "variable " + x.Name, readOnly: x.Space == "const", constant: x.Space == "const"}
		copy(p.data, x.Init)
		for _, r := range x.Refs {
			to, ok := v.at[r.Name]
			if !ok || r.Offset < 0 || r.Offset+8 > x.Bytes {
				return nil, fmt.Errorf("variable %s has the address of %s, which is not a variable", x.Name, r.Name)
			}
			binary.LittleEndian.PutUint64(p.data[r.Offset:], to+uint64(r.Add))
		}
		v.maps = append(v.maps, p)
	}
	return v, nil
}

// beside gives a memory that has the variables beside the buffers of another one.
func (v *variables) beside(m *Memory) (*Memory, error) {
	if len(v.maps) == 0 {
		return m, nil
	}
	first, end := v.maps[0].addr, v.maps[len(v.maps)-1].addr+uint64(len(v.maps[len(v.maps)-1].data))
	for _, p := range m.maps {
		if p.addr < end && p.addr+uint64(len(p.data)) > first {
			return nil, fmt.Errorf("%s lies at 0x%x, where the module's variables are", p.name, p.addr)
		}
	}
	all := &Memory{maps: slices.Concat(m.maps, v.maps)}
	slices.SortFunc(all.maps, func(a, b *mapping) int {
		if a.addr < b.addr {
			return -1
		}
		return 1
	})
	return all, nil
}
