package emu

import (
	"cmp"
	"slices"
	"sync"
)

// Memory is the global memory that a program may touch: buffers at addresses. It must not change while a kernel runs.
type Memory struct {
	maps []*mapping // by address
}

// mapping is one buffer of a [Memory].
type mapping struct {
	addr     uint64
	data     []byte
	name     string
	readOnly bool
	constant bool // is a variable of the module in constant memory
}

// Map makes data the memory at an address. The name is for messages. Buffers must not overlap.
func (m *Memory) Map(addr uint64, data []byte, name string, readOnly bool) {
	if len(data) == 0 {
		return
	}
	i, _ := slices.BinarySearchFunc(m.maps, addr, func(p *mapping, a uint64) int { return cmp.Compare(p.addr, a) })
	m.maps = slices.Insert(m.maps, i, &mapping{addr: addr, data: data, name: name, readOnly: readOnly})
}

// find gives the buffer that n bytes at an address lie in: nil for none.
func (m *Memory) find(addr uint64, n int) *mapping {
	i, found := slices.BinarySearchFunc(m.maps, addr, func(p *mapping, a uint64) int { return cmp.Compare(p.addr, a) })
	if !found {
		i--
	}
	if i >= 0 && m.maps[i].holds(addr, n) {
		return m.maps[i]
	}
	return nil
}

func (p *mapping) holds(addr uint64, n int) bool {
	off := addr - p.addr
	return off < uint64(len(p.data)) && uint64(n) <= uint64(len(p.data))-off
}

// nearest gives the buffer that lies next to an address: nil if there is none.
func (m *Memory) nearest(addr uint64) (best *mapping) {
	distance := func(p *mapping) uint64 {
		if addr < p.addr {
			return p.addr - addr
		}
		return addr - min(addr, p.addr+uint64(len(p.data)))
	}
	for _, p := range m.maps {
		if best == nil || distance(p) < distance(best) {
			best = p
		}
	}
	return best
}

// locks make read-modify-write operations on global memory atomic between workers.
var locks [64]sync.Mutex

// lockOf gives the lock of an address.
func lockOf(addr uint64) *sync.Mutex { return &locks[addr>>4%uint64(len(locks))] }
