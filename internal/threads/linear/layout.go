package linear

import (
	"fmt"
	"math/bits"
	"slices"
)

// Layout says which element of a tile each register of each thread holds: the bits of the three numbers are those of one map,
// whose images are row-major numbers of elements.
type Layout struct{ Reg, Lane, Warp Map }

// Block is the size of a block of threads: the numbers of bits of lanes and warps.
type Block struct{ Lanes, Warps int }

// Threads is the number of threads.
func (b Block) Threads() int { return 1 << (b.Lanes + b.Warps) }

// Uniform is the layout of a single element, which each thread holds.
func (b Block) Uniform() *Layout {
	return &Layout{Lane: make(Map, b.Lanes), Warp: make(Map, b.Warps)}
}

// Regs is the number of registers of a thread.
func (l *Layout) Regs() int { return 1 << len(l.Reg) }

// Thread is the map of the bits of a thread's number, the lane in the lower ones.
func (l *Layout) Thread() Map { return slices.Concat(l.Lane, l.Warp) }

// All is the map of register, lane and warp, from the lowest bit on.
func (l *Layout) All() Map { return slices.Concat(l.Reg, l.Lane, l.Warp) }

// Element is the row-major number of the element in a register of a thread.
func (l *Layout) Element(reg, thread int) int {
	return l.Reg.Apply(reg) ^ l.Thread().Apply(thread)
}

// Equal reports whether two layouts are the same.
func (l *Layout) Equal(m *Layout) bool {
	return l == m || slices.Equal(l.Reg, m.Reg) && l.SameThreads(m)
}

// SameThreads reports whether threads and elements belong together as in another layout, so that only registers change places.
func (l *Layout) SameThreads(m *Layout) bool {
	return slices.Equal(l.Lane, m.Lane) && slices.Equal(l.Warp, m.Warp)
}

// Mapped applies a linear function to each basis.
func (l *Layout) Mapped(f func(int) int) *Layout {
	return &Layout{l.Reg.Mapped(f), l.Lane.Mapped(f), l.Warp.Mapped(f)}
}

// Compact drops bases of registers that the ones before them make up: each thread then has no copies.
func (l *Layout) Compact() *Layout {
	m := &Layout{Lane: l.Lane, Warp: l.Warp}
	for _, b := range l.Reg {
		if !m.Reg.Has(b) {
			m.Reg = append(m.Reg, b)
		}
	}
	return m
}

// Covers reports whether the layout holds each of n elements.
func (l *Layout) Covers(n int) bool {
	m := l.All()
	return 1<<m.Rank() == n && m.Span() == n-1
}

// Permutes reports whether each basis is 0 or a bit of its own, as in all layouts but swizzled ones.
func (l *Layout) Permutes() bool {
	m := l.All()
	for _, b := range m {
		if bits.OnesCount(uint(b)) > 1 {
			return false
		}
	}
	return m.Disjoint()
}

// Duplicates is the mask of the bits of a thread's number that do not matter: threads that differ only in them hold the same.
func (l *Layout) Duplicates() int { return l.Thread().Zeros() }

// Run is the number of elements, at least 1 and at most the given number, that registers 0, 1, 2 … hold in a row of
// neighbours, unit apart in row-major order.
func (l *Layout) Run(unit, most int) int {
	n := 1
	for i := 0; n < most && i < len(l.Reg) && l.Reg[i] == n*unit; i++ {
		n *= 2
	}
	return n
}

// Along is the layout with its registers in another order: neighbours that are unit apart come first.
func (l *Layout) Along(unit int) *Layout {
	m := &Layout{Lane: l.Lane, Warp: l.Warp}
	for slices.Contains(l.Reg, unit<<len(m.Reg)) {
		m.Reg = append(m.Reg, unit<<len(m.Reg))
	}
	first := len(m.Reg)
	for _, b := range l.Reg {
		if !slices.Contains(m.Reg[:first], b) {
			m.Reg = append(m.Reg, b)
		}
	}
	return m
}

// String gives the bases, such as "reg 1 2, lane 4 8 16 32 64, warp 0 128".
func (l *Layout) String() string {
	text := ""
	for i, m := range []Map{l.Reg, l.Lane, l.Warp} {
		if i > 0 {
			text += ", "
		}
		text += [...]string{"reg", "lane", "warp"}[i]
		for _, b := range m {
			text += fmt.Sprintf(" %d", b)
		}
	}
	return text
}
