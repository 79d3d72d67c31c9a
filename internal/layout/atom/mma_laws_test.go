package atom_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
)

// tilings repeats an atom in several ways; the second one reorders M and N by a layout.
func tilings(m atom.Mma) map[string]func() (atom.TiledMma, error) {
	size := func(axis, times int) int { return m.Shape[axis] * times }
	twice := func(axis int) layout.Entry { // the two atoms of a group of threads lie side by side
		return layout.Entry{Layout: lay(fmt.Sprintf("(%d,2,2):(1,%d,%[1]d)", m.Shape[axis], 2*m.Shape[axis]))}
	}
	return map[string]func() (atom.TiledMma, error){
		"one":     func() (atom.TiledMma, error) { return atom.NewTiledMma(m, lay("(1,1,1):(0,0,0)"), nil) },
		"rows":    func() (atom.TiledMma, error) { return atom.NewTiledMma(m, lay("(4,1,1):(1,0,0)"), nil) },
		"plain":   func() (atom.TiledMma, error) { return atom.NewTiledMma(m, lay("(2,2):(2,1)"), nil) },
		"along K": func() (atom.TiledMma, error) { return atom.NewTiledMma(m, lay("(1,2,2):(0,1,2)"), nil) },
		"values": func() (atom.TiledMma, error) {
			return atom.NewTiledMma(m, lay("(2,2,1):(1,2,0)"), layout.TileOf(size(0, 4), size(1, 2), size(2, 2)))
		},
		"reordered": func() (atom.TiledMma, error) {
			return atom.NewTiledMma(m, lay("(2,2,1):(1,2,0)"), layout.ByMode{twice(0), twice(1)})
		},
		"part": func() (atom.TiledMma, error) {
			return atom.NewTiledMma(m, lay("(2,4,1):(4,1,0)"), layout.TileOf(size(0, 1), size(1, 8)))
		},
	}
}

// some are a few instructions of each kind.
func some() (ms []atom.Mma) {
	for m := range atom.Mmas() {
		group := m.Shape[0] == 64
		if !group || (m.Shape[1] == 8 || m.Shape[1] == 24) && m.Elem[0] == m.Elem[1] && m.Elem[0] != m.Elem[2] {
			ms = append(ms, m)
		}
	}
	return ms
}

// axes gives the places of an operand's two axes in (M,N,K), and the axis that it lacks.
func axes(o atom.Operand) (row, column, lacks int) {
	return [...]int{0, 1, 0}[o], [...]int{2, 2, 1}[o], [...]int{1, 0, 2}[o]
}

// The threads of a TiledMma have each place of an operand's tile once, but for what they share: the places of an operand
// in shared memory are every thread's of the atom, and threads that differ along the axis that the operand lacks have
// the same ones.
func TestTilesAreCovered(t *testing.T) {
	for _, m := range some() {
		for name, tiled := range tilings(m) {
			tm, err := tiled()
			if err != nil {
				t.Fatalf("%s, %s: %v", m.Name, name, err)
			}
			for o := atom.A; o <= atom.C; o++ {
				row, column, lacks := axes(o)
				tile := ints(tm.Tile().String())
				threads := must(tm.Threads().Mode(1 + lacks))
				times, step := size(threads), 1
				if m.Shared[o] {
					step = 128
				}
				tv := must(tm.TV(o))
				hits := make([]int, tile[row]*tile[column])
				at := static(tv)
				for thread := 0; thread < tm.Size(); thread += step {
					for v := range size(must(tv.Mode(1))) {
						hits[at(thread, v)]++
					}
				}
				if slices.ContainsFunc(hits, func(n int) bool { return n != times }) {
					t.Fatalf("%s, %s: the tile of %v is reached %v times, want %d: %v", m.Name, name, o, hits, times, tv)
				}
			}
		}
	}
}

// few is an instruction for each arrangement of fragments.
func few() []atom.Mma {
	return []atom.Mma{
		must(atom.UniversalFMA(atom.F32)),
		must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)),
		must(atom.MmaSync(16, 8, 32, atom.S8, atom.U8, atom.S32)),
		must(atom.MmaSync(8, 8, 4, atom.F64, atom.F64, atom.F64)),
		must(atom.Wgmma(atom.WarpGroupMma{N: 8, A: atom.TF32, B: atom.TF32, C: atom.F32, ARegs: true})),
	}
}

// What a thread has of a tile is what the TV layout says.
func TestPartitionIsTV(t *testing.T) {
	for _, m := range few() {
		for name, tiled := range tilings(m) {
			tm := must(tiled())
			for o := atom.A; o <= atom.C; o++ {
				row, column, _ := axes(o)
				tile := ints(tm.Tile().String())
				at := static(must(tm.TV(o)))
				tensor := must(layout.Compact(layout.Of(tile[row], tile[column])))
				for thread := 0; thread < tm.Size(); thread += max(1, tm.Size()/29) {
					part, off := partition(t, tm.Partition, o, thread, tensor)
					inPart := flat(part)
					for i := range size(part) {
						if got := off + inPart(i); got != at(thread, i) {
							t.Fatalf("%s, %s: value %d of thread %d of %v is at %d, the TV layout says %d", m.Name, name, i, thread, o, got, at(thread, i))
						}
					}
				}
			}
		}
	}
}

// What all threads have of a tensor of several tiles covers it once for each place along the axis that it lacks.
func TestPartitionsOfMma(t *testing.T) {
	for _, m := range few() {
		for _, name := range []string{"along K", "reordered"} {
			tm := must(tilings(m)[name]())
			for o := atom.A; o <= atom.C; o++ {
				if m.Shared[o] {
					continue
				}
				row, column, lacks := axes(o)
				tile := ints(tm.Tile().String())
				tensor := must(layout.Compact(layout.Of(2*tile[row], 3*tile[column], 2)))
				hits := make([]int, size(tensor))
				shape := must(tm.PartitionShape(o, tensor.Shape()))
				for thread := range tm.Size() {
					part, off := partition(t, tm.Partition, o, thread, tensor)
					if !part.Shape().Equal(shape) {
						t.Fatalf("%s: a thread has %v of %v, want the shape %v", m.Name, part, o, shape)
					}
					inPart := flat(part)
					for i := range size(part) {
						hits[off+inPart(i)]++
					}
				}
				want := size(must(tm.Threads().Mode(1 + lacks)))
				if slices.ContainsFunc(hits, func(n int) bool { return n != want }) {
					t.Fatalf("%s, %s: the places of %v are reached %v times, want %d", m.Name, name, o, hits, want)
				}
			}
		}
	}
}

// The first coordinate of a partition has all axes of the tensor, also those along which the partition does not go.
func TestFirstCoordinate(t *testing.T) {
	m := must(atom.NewTiledMma(must(atom.UniversalFMA(atom.F32)), lay("(16,8):(8,1)"), nil))
	part, first, err := m.Partition(atom.A, layout.N(11), must(layout.Identity(layout.Of(64, 1))))
	if err != nil || part.String() != "(1,4,1):(0,16@0,0)" || first.String() != "(1,0)" {
		t.Errorf("thread 11 has %v at %v, %v", part, first, err)
	}
}

// partition calls a Partition of a static layout and gives the offset as a number.
func partition[O any](
	t *testing.T, f func(O, layout.Int, layout.Layout) (layout.Layout, layout.Tuple, error), o O, thread int, l layout.Layout,
) (layout.Layout, int) {
	t.Helper()
	part, off, err := f(o, layout.N(thread), l)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := off.IsLeaf()
	at, _ := n.Static()
	return part, at
}

// flat is the function of a layout from an integer coordinate.
func flat(l layout.Layout) func(...int) int { return static(layout.Join(l)) }
