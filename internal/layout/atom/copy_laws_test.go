package atom_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
)

// copies are tiled copies by name.
func copies(t *testing.T) map[string]atom.TiledCopy {
	t.Helper()
	r := map[string]atom.TiledCopy{}
	mma := must(atom.NewTiledMma(must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)), lay("(2,2,1):(1,2,0)"), layout.TileOf(32, 32, 16)))
	group := must(atom.NewTiledMma(must(atom.Wgmma(atom.WarpGroupMma{N: 64, A: atom.F16, B: atom.F16, C: atom.F32})), lay("(2,1,1):(1,0,0)"), nil))
	for _, name := range atom.CopyNames() {
		e := atom.F16
		if name == "universal.8" || name[:11] == "ldmatrix.m1" {
			e = atom.S8
		}
		a := must(atom.NewCopy(name, e))
		for i, tv := range [][2]string{{"(16,8):(8,1)", "(2,16):(16,1)"}, {"(8,16):(1,8)", "(16,1):(1,16)"}, {"(4,32):(32,1)", "(4,4):(4,1)"}} {
			r[fmt.Sprint(name, " ", i)] = must(atom.NewTiledCopyTV(a, lay(tv[0]), lay(tv[1])))
		}
		if e == atom.S8 {
			continue
		}
		for o := atom.A; o <= atom.C; o++ {
			r[fmt.Sprint(name, " ", o)] = must(atom.NewTiledCopyMma(a, mma, o))
		}
		r[name+" of wgmma"] = must(atom.NewTiledCopyMma(a, group, atom.C))
		r[name+" of an atom"] = must(atom.NewTiledCopyAtomC(a, group))
	}
	return r
}

// The threads of a TiledCopy have each place of a tensor equally often, on the registers' side as often as the TV layout
// has it: once, unless threads share values of an operand.
func TestPartitionsOfCopy(t *testing.T) {
	for name, c := range copies(t) {
		var shape []int
		tile := 1
		for _, e := range c.Tiler {
			reach, _ := must(e.Layout.Cosize()).Static()
			shape = append(shape, 2<<bits.Len(uint(reach-1)))
			tile *= size(e.Layout)
		}
		tensor := must(layout.Compact(layout.Of(append(shape, 2)...)))
		for _, side := range []atom.Side{atom.Src, atom.Dst} {
			hits := make([]int, size(tensor))
			frg := must(c.ThrFrg(side, tensor))
			at := static(layout.Join(frg.Modes()[0], layout.Join(frg.Modes()[1:]...)))
			for thread := range c.Size() {
				for i := range size(frg) / c.Size() {
					hits[at(thread, i)]++
				}
			}
			for _, thread := range []int{0, 1, c.Size()*5/8 + 3, c.Size() - 1} {
				part, off := partition(t, c.Partition, side, thread, tensor)
				inPart := flat(part)
				for i := range size(part) {
					if got := off + inPart(i); got != at(thread, i) {
						t.Fatalf("%s: value %d of thread %d of %v is at %d, want %d", name, i, thread, side, got, at(thread, i))
					}
				}
			}
			once := hits[0]
			if once == 0 || slices.ContainsFunc(hits, func(n int) bool { return n != once }) {
				t.Fatalf("%s: %v does not reach all places equally often: %v", name, side, hits)
			}
			registers := c.Atom.Src.Equal(c.Atom.Ref) == (side == atom.Src)
			if registers && once*tile != size(c.TV) {
				t.Fatalf("%s: %v reaches each place %d times, the TV layout has %v for %d places", name, side, once, c.TV.Size(), tile)
			}
		}
	}
}

// A value arrives where it was fetched: what thread and value of the source have is moved, by the atom, to the thread and
// value of the destination at the same place of the tensor.
func TestCopiesMove(t *testing.T) {
	for name, c := range copies(t) {
		src, dst := static(must(c.Layout(atom.Src))), static(must(c.Layout(atom.Dst)))
		fromMemory, toRegisters := static(c.Atom.Src), static(c.Atom.Dst)
		threads := size(must(c.Atom.Ref.Mode(0)))
		where := map[int]int{} // place in what an atom moves, to the place in the tile, by the first atom of the tile
		for thread := range threads {
			for v := range size(must(c.Atom.Src.Mode(1))) {
				where[fromMemory(thread, v)] = src(thread, v)
			}
		}
		for thread := range threads {
			for v := range size(must(c.Atom.Dst.Mode(1))) {
				if got := dst(thread, v); got != where[toRegisters(thread, v)] {
					t.Fatalf("%s: value %d of thread %d lies at %d, it was fetched from %d", name, v, thread, got, where[toRegisters(thread, v)])
				}
			}
		}
	}
}

// Registers of an operand that are retiled for a copy are, one by one, what the copy's partition of the operand is.
func TestRetile(t *testing.T) {
	m := must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32))
	tried := 0
	for name, tiled := range tilings(m) {
		tm := must(tiled())
		for _, a := range []string{"universal.16", "universal.32", "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x2", "stmatrix.x4.trans"} {
			c := must(atom.NewCopy(a, atom.F16))
			side := atom.Dst
			if a[0] == 's' {
				side = atom.Src
			}
			for o := atom.A; o <= atom.C; o++ {
				tc, err := atom.NewTiledCopyMma(c, tm, o)
				if err != nil {
					continue // too few values
				}
				tried++
				row, column, _ := axes(o)
				tile := ints(tm.Tile().String())
				tensor := must(layout.Compact(layout.Of(2*tile[row], 3*tile[column])))
				byMma, offMma := partition(t, tm.Partition, o, 7, tensor)
				byCopy, offCopy := partition(t, tc.Partition, side, 7, tensor)
				retiled, err := tc.Retile(byMma)
				if err != nil {
					t.Fatalf("%s, %s: %v", name, a, err)
				}
				if retiled.String() != byCopy.String() && !sameFunction(retiled, byCopy) || offMma != offCopy {
					t.Fatalf("%s, %s: %v retiled is %d and %v, the copy has %d and %v", name, a, byMma, offMma, retiled, offCopy, byCopy)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d copies were possible", tried)
	}
}

// Of accumulators that are retiled for the smallest copy, the first atom takes the registers of the places that it copies
// to, and each register is taken once.
func TestRetileAtom(t *testing.T) {
	tm := must(atom.NewTiledMma(must(atom.Wgmma(atom.WarpGroupMma{N: 64, A: atom.F16, B: atom.F16, C: atom.F32})), lay("(1,1,1):(0,0,0)"), nil))
	tensor := must(layout.Compact(layout.Of(128, 128)))
	for _, name := range []string{"stmatrix.x4", "stmatrix.x2", "stmatrix.x1", "stmatrix.x4.trans", "universal.32"} {
		c := must(atom.NewTiledCopyAtomC(must(atom.NewCopy(name, atom.F16)), tm))
		accumulators, start := partition(t, tm.Partition, atom.C, 77, tensor)
		toCopy, startCopy := partition(t, c.Partition, atom.Src, 77, tensor)
		registers := must(c.Retile(must(tm.Fragment(atom.C, accumulators))))
		place, register, copied := flat(accumulators), flat(registers), flat(toCopy)
		for i := range size(must(c.Atom.Src.Mode(1))) {
			if got, want := start+place(register(i)), startCopy+copied(i); got != want {
				t.Errorf("%s: value %d is the register of %d, the copy moves it to %d", name, i, got, want)
			}
		}
		taken := make([]int, size(accumulators))
		for i := range size(registers) {
			taken[register(i)]++
		}
		if slices.ContainsFunc(taken, func(n int) bool { return n != 1 }) {
			t.Errorf("%s: registers are taken %v times", name, taken)
		}
	}
}

// sameFunction compares mode by mode.
func sameFunction(a, b layout.Layout) bool {
	if a.Rank() != b.Rank() {
		return false
	}
	for i, m := range a.Modes() {
		n := b.Modes()[i]
		if size(m) != size(n) {
			return false
		}
		f, g := flat(m), flat(n)
		for k := range size(m) {
			if f(k) != g(k) {
				return false
			}
		}
	}
	return true
}

// A partition of a swizzled layout is the swizzle of what a partition of its coordinates names.
func TestSwizzledPartitions(t *testing.T) {
	smem := must(layout.ParseComposed("S<3,3,3> o 0 o (64,64):(64,1)"))
	crd := must(layout.Identity(layout.Of(64, 64)))
	mma := must(atom.NewTiledMma(must(atom.MmaSync(16, 8, 16, atom.F16, atom.F16, atom.F32)), lay("(2,2,1):(1,2,0)"), layout.TileOf(32, 32, 16)))
	copies := must(atom.NewTiledCopyMma(must(atom.NewCopy("ldmatrix.x4", atom.F16)), mma, atom.A))
	for thread := range 128 {
		part, off, err := mma.PartitionComposed(atom.C, layout.N(thread), smem)
		if err != nil {
			t.Fatal(err)
		}
		where, start, err := mma.Partition(atom.C, layout.N(thread), crd)
		checkSwizzled(t, smem, part, off, where, start, err)
		part, off, err = copies.PartitionComposed(atom.Src, layout.N(thread), smem)
		if err != nil {
			t.Fatal(err)
		}
		where, start, err = copies.Partition(atom.Src, layout.N(thread), crd)
		checkSwizzled(t, smem, part, off, where, start, err)
	}
}

func checkSwizzled(t *testing.T, c, part layout.Composed, off layout.Int, crds layout.Layout, start layout.Tuple, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for i := range size(crds) {
		at := layout.Leaf(layout.N(i))
		crd := layout.AddOffsets(must(crds.Index(at)), start)
		want := must(c.Index(crd))
		if got := off.Add(must(part.Index(at))); !got.Equal(want) {
			t.Fatalf("value %d, at %v, has the offset %v, want %v", i, crd, got, want)
		}
	}
}
