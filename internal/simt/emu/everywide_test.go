package emu_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// judgeWide has each thread exchange the 16 bytes of a cell of its own, and all threads those of one cell. cas finds what it
// compares with in every fourth thread's cell; in those of the others one half or both differ. Of the threads at the common cell
// an order must explain what they find: each puts its number there, by cas only on top of the first value.
func judgeWide(op string, p spot, races bool) error {
	const threads = 40
	compares := strings.HasSuffix(op, ".cas.b128")
	b := bench{spot: p, threads: threads, chunk: 32, races: races}
	size := b.stride()
	mem, in := make([]byte, (p.blocks-1)*size+b.size()), make([]byte, p.blocks*threads*64)
	own := func(g int) int { return (g/threads+1)%p.blocks*size + 16*(g%threads) }
	common := func(block int) int { return (block+1)%p.blocks*size + 16*threads }
	for g := range p.blocks * threads {
		copy(mem[own(g):], longs([]uint64{uint64(g) * 0x0101010101, ^uint64(g)}))
		want := []uint64{uint64(g)*0x0101010101 + uint64(g%4&1), ^uint64(g) - uint64(g%4>>1)<<40}
		copy(in[64*g:], longs(append(want, uint64(g)<<32|7, uint64(g)+1<<50, uint64(16*(g%threads)), 16*threads)))
	}
	first := []uint64{0xfedcba9876543210, 0x0123456789abcdef}
	for block := range p.blocks {
		copy(mem[common(block):], longs(first))
	}
	text := "mad.wide.u32 %x0, %g, 64, %in; mad.wide.u32 %x2, %g, 32, %out; ld.global.v2.u64 {%d0, %d1}, [%x0]; ld.global.v2.u64 {%d2, %d3}, [%x0+16];\n" +
		"ld.global.v2.u64 {%x3, %x4}, [%x0+32]; add.u64 %x3, %x3, %base; add.u64 %x4, %x4, %base;\n"
	for k, at := range []string{"%x3", "%x4"} {
		if k == 1 {
			text += fmt.Sprintf("mov.u64 %%d0, %d; mov.u64 %%d1, %d;\n", first[0], first[1])
		}
		text += "{ .reg .b128 %wide<3>; "
		if compares {
			text += fmt.Sprintf("mov.b128 %%wide1, {%%d0, %%d1}; mov.b128 %%wide2, {%%d2, %%d3}; %s %%wide0, [%s], %%wide1, %%wide2; ", op, at)
		} else {
			text += fmt.Sprintf("mov.b128 %%wide1, {%%d2, %%d3}; %s %%wide0, [%s], %%wide1; ", op, at)
		}
		text += fmt.Sprintf("mov.b128 {%%d4, %%d5}, %%wide0; } st.global.v2.u64 [%%x2+%d], {%%d4, %%d5};\n", 16*k)
	}
	if err := b.load(text, nil); err != nil {
		return err
	}
	got, out := slices.Clone(mem), make([]byte, p.blocks*threads*32)
	if err := b.run(got, in, out); err != nil {
		return err
	}
	pair := func(b []byte) [2]uint64 { return [2]uint64{long(b, 0), long(b, 1)} }
	found := make([]map[[2]uint64]int, p.blocks) // at the common cells, how often
	for g := range p.blocks * threads {
		value := pair(in[64*g+16:])
		if old := pair(mem[own(g):]); pair(out[32*g:]) != old {
			return fmt.Errorf("thread %d finds %#x, want %#x", g, pair(out[32*g:]), old)
		}
		if !compares || g%4 == 0 {
			copy(mem[own(g):], longs(value[:]))
		}
		block := g / threads
		if found[block] == nil {
			found[block] = map[[2]uint64]int{}
		}
		found[block][pair(out[32*g+16:])]++
	}
	for block, all := range found {
		last := pair(got[common(block):])
		all[last]++ // nobody finds the last value, or by cas everybody but one does
		if all[[2]uint64(first)] != 1 || len(all) != map[bool]int{true: 2, false: threads + 1}[compares] || compares && all[last] != threads {
			return fmt.Errorf("at the common cell of block %d, which ends as %#x, threads find %#x", block, last, all)
		}
		copy(mem[common(block):], got[common(block):][:16])
	}
	if !bytes.Equal(got, mem) {
		return fmt.Errorf("other bytes change, or not all that should")
	}
	return nil
}
