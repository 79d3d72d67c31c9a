package atom

import (
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
)

// TiledMma is an atom repeated over threads and values.
type TiledMma struct {
	atom    Mma
	threads layout.Layout // (V,M,N,K): the atom's threads, and the atoms along each axis
	perm    layout.ByMode // of M, N and K
	atoms   [3]int        // along M, N and K
	tile    [3]int
}

// NewTiledMma repeats an atom. The layout of atoms has up to three modes, M, N and K, and maps to the order of the
// groups of threads. The permutation has up to three entries: a size is what all threads work on together along the axis,
// a layout says in which order as well, the whole mode leaves it to the atoms.
func NewTiledMma(atom Mma, atoms layout.Layout, permutation layout.ByMode) (TiledMma, error) {
	operands := []any{atom.Name, atoms, permutation}
	fail := func(format string, args ...any) (TiledMma, error) {
		return TiledMma{}, refusef("make_tiled_mma", operands, format, args...)
	}
	if atoms.Rank() > 3 || len(permutation) > 3 {
		return fail("expected at most three axes: M, N and K")
	}
	if err := bijective(atoms); err != nil {
		return fail("the layout of atoms: %w", err)
	}
	atoms = layout.Join(atoms.Modes()...)
	for atoms.Rank() < 3 {
		atoms = layout.Append(atoms, lay("1:0"))
	}
	t := TiledMma{atom: atom, perm: make(layout.ByMode, 3)}
	threads, err := layout.TiledProduct(atom.Threads, atoms)
	if err != nil {
		return fail("%w", err)
	}
	t.threads = threads
	for i, m := range atoms.Modes() {
		if t.atoms[i], err = count(m.Size()); err != nil {
			return fail("the layout of atoms: %w", err)
		}
		t.tile[i] = atom.Shape[i] * t.atoms[i]
		t.perm[i].Whole = true
	}
	for i, e := range permutation {
		if err := t.permute(i, e); err != nil {
			return fail("the permutation of %c: %w", "MNK"[i], err)
		}
	}
	return t, nil
}

// permute sets the permutation of an axis.
func (t *TiledMma) permute(axis int, e layout.Entry) error {
	if e.Whole {
		return nil
	}
	if err := bijective(e.Layout); err != nil {
		return err
	}
	size, err := count(e.Layout.Size())
	if err != nil {
		return err
	}
	if n := t.tile[axis]; size%n != 0 && n%size != 0 {
		return fmt.Errorf("its size is %d, which is not a multiple of the %d that the atoms have", size, n)
	}
	t.perm[axis] = e
	t.tile[axis] = max(t.tile[axis], size)
	return nil
}

// Atom gives the instruction.
func (t TiledMma) Atom() Mma { return t.atom }

// Threads is the layout of threads (V,M,N,K).
func (t TiledMma) Threads() layout.Layout { return t.threads }

// Size is the number of threads.
func (t TiledMma) Size() int {
	n, _ := t.threads.Size().Static()
	return n
}

// Tile is what all threads work on together, (M,N,K).
func (t TiledMma) Tile() layout.Tuple { return layout.Of(t.tile[:]...) }

// tileOf is an operand's part of Tile.
func (t TiledMma) tileOf(o Operand) layout.Tuple {
	a := o.axes()
	return layout.Of(t.tile[a[0]], t.tile[a[1]])
}

// String is what CuTe prints.
func (t TiledMma) String() string {
	return fmt.Sprintf("Tiled MMA\n  Thr Layout VMNK: %v\n  Permutation MNK: %s\n%v", t.threads, tilerText(t.perm), t.atom)
}

// tilerText is a tiler as CuTe prints it in an operation.
func tilerText(b layout.ByMode) string {
	var parts []string
	for _, e := range b {
		if e.Whole {
			parts = append(parts, "_")
		} else {
			parts = append(parts, e.Layout.String())
		}
	}
	return "(" + strings.Join(parts, ",") + ")"
}

// ThrFrg takes a layout of an operand apart: ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN,...))) for C, with the axes of the
// operand for A and B. Modes behind the two that the tile spans join the rest. An axis that is shorter than the tile is
// taken as if it went on; a longer one must be a multiple of the tile.
func (t TiledMma) ThrFrg(o Operand, l layout.Layout) (layout.Layout, error) {
	r, err := t.thrfrg(o, l)
	if err != nil {
		return layout.Layout{}, refuse("thrfrg_"+o.String(), err, l, t.Tile())
	}
	return r, nil
}

func (t TiledMma) thrfrg(o Operand, l layout.Layout) (layout.Layout, error) {
	if l.Rank() < 2 {
		return layout.Layout{}, errors.New("an operand has at least two modes")
	}
	a := o.axes()
	for i, axis := range a {
		n, known := l.Modes()[i].Size().Static()
		if tile := t.tile[axis]; known && n > tile && n%tile != 0 {
			return layout.Layout{}, fmt.Errorf("%c is %d, which is not a multiple of the tile's %d", "MNK"[axis], n, tile)
		}
	}
	ordered, err := layout.LogicalDivide(l, layout.ByMode{t.perm[a[0]], t.perm[a[1]]})
	if err != nil {
		return layout.Layout{}, err
	}
	byAtom, err := layout.ZippedDivide(ordered, layout.TileOf(t.atom.Shape[a[0]], t.atom.Shape[a[1]]))
	if err != nil {
		return layout.Layout{}, err
	}
	tile, rest := byAtom.Modes()[0], byAtom.Modes()[1]
	tv, err := layout.Compose(tile, t.atom.TV[o])
	if err != nil {
		return layout.Layout{}, err
	}
	dealt, err := layout.ZippedDivide(rest, layout.TileOf(t.atoms[a[0]], t.atoms[a[1]]))
	if err != nil {
		return layout.Layout{}, err
	}
	thr, frg := tv.Modes()[0], tv.Modes()[1]
	return layout.Join(layout.Join(thr, dealt.Modes()[0]), layout.Join(frg, dealt.Modes()[1])), nil
}
