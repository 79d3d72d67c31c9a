package eval

import (
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
)

// Values of the types MmaAtom, TiledMma and ThrMma of package cute.
type (
	mmaAtom  struct{ atom.Mma }
	tiledMma struct{ atom.TiledMma }
	thrMma   struct {
		*tiledMma
		thread layout.Int
	}
)

func (t *thrMma) mapLeaves(em *emitter, f func(value) value) value {
	return &thrMma{t.tiledMma, em.intLeaf(f)(t.thread)}
}

func (t *thrMma) sameForm(_ *emitter, b value) bool {
	u, ok := b.(*thrMma)
	return ok && t.tiledMma == u.tiledMma
}

func (t *mmaAtom) describe() string  { return "the instruction " + t.Name }
func (t *tiledMma) describe() string { return "a TiledMma of " + t.Atom().Name }
func (t *thrMma) describe() string   { return "a thread's part of a TiledMma of " + t.Atom().Name }

// mmaWords are the words for multiplications.
var mmaWords = map[string]intrinsic{
	"mmafma": func(c *ctx) []value {
		a, err := atom.UniversalFMA(c.atomElem(0))
		c.refused(err)
		return give(&mmaAtom{a})
	},
	"mmasync": func(c *ctx) []value {
		const size = "the shape of an instruction"
		a, err := atom.MmaSync(c.static(0, size), c.static(1, size), c.static(2, size), c.atomElem(0), c.atomElem(1), c.atomElem(2))
		c.refused(err)
		return give(&mmaAtom{a})
	},
	"tiledmma": func(c *ctx) []value {
		t, err := atom.NewTiledMma(arg[*mmaAtom](c, 0).Mma, c.layout(1).Layout, c.permutation(2))
		c.refused(err)
		return give(&tiledMma{t})
	},
	"thrmma":  func(c *ctx) []value { return give(&thrMma{arg[*tiledMma](c, 0), c.int(1)}) },
	"mmatile": func(c *ctx) []value { return give(shape{arg[*tiledMma](c, 0).Tile()}) },
	"partitionmma": func(c *ctx) []value {
		t, o := arg[*thrMma](c, 0), c.operandOf(2)
		return give(c.partitioned(1, func(l layout.Layout) (layout.Layout, layout.Tuple, error) { return t.Partition(o, t.thread, l) },
			func(l layout.Composed) (layout.Composed, layout.Int, error) {
				return t.PartitionComposed(o, t.thread, l)
			}))
	},
	"partitionshape": func(c *ctx) []value {
		s, err := arg[*tiledMma](c, 0).PartitionShape(c.operandOf(2), c.tuple(1))
		c.refused(err)
		return give(shape{s})
	},
	"fragment": func(c *ctx) []value {
		c.Must(!c.b.Host, c.pos, "a host function has no registers for tensors: do it in a kernel")
		l, err := arg[*tiledMma](c, 0).Fragment(c.operandOf(2), c.layoutOf(1).Layout)
		c.refused(err)
		return give(c.newRmem(c.elemArg(0), c.typeArg(0), l))
	},
	"gemm": (*ctx).gemm,
}

// permutation is an optional tiler of M, N and K.
func (c *ctx) permutation(i int) layout.ByMode {
	if v, ok := c.args[i].(*sliceVal); ok {
		return c.byMode(v)
	}
	return nil
}

// operandOf is an argument that says A, B or C.
func (c *ctx) operandOf(i int) atom.Operand { return atom.Operand(c.static(i, "an operand")) }

// gemm multiplies fragments.
func (c *ctx) gemm() []value {
	a := arg[*tiledMma](c, 0).Atom()
	var t [4]*tensor // D, A, B, C
	var size [4][3]int
	for i := range t {
		t[i] = c.tensor(i + 1)
		o := [4]atom.Operand{atom.C, atom.A, atom.B, atom.C}[i]
		size[i] = c.fragmentSize(t[i], a, o)
	}
	ms, ns, ks := size[1][1], size[2][1], size[1][2]
	c.Must(ks == size[2][2] && size[0] == size[3] && size[3][1] == ms && size[3][2] == ns, c.pos,
		"these fragments do not multiply: A %s, B %s, C %s, D %s", t[1].lay.Shape(), t[2].lay.Shape(), t[3].lay.Shape(), t[0].lay.Shape())
	one := c.mmaSync
	switch op, _, _ := strings.Cut(a.PTX, "."); op {
	case "fma":
		one = c.mmaFMA
	case "wgmma":
		one = c.mmaWarpGroup
	}
	for k := range ks {
		from := t[3]
		if k > 0 {
			from = t[0]
		}
		for m := range ms {
			for n := range ns {
				at := size[0][0] * (m + ms*n)
				one(a, [4]fragmentAt{{t[0], at, size[0][0]}, {t[1], size[1][0] * (m + ms*k), size[1][0]}, {t[2], size[2][0] * (n + ns*k), size[2][0]}, {from, at, size[0][0]}})
			}
		}
	}
	return nil
}

// fragmentAt is n elements of a fragment, for one instruction.
type fragmentAt struct {
	*tensor
	at, n int
}

// fragmentSize is the elements of an instruction, and how often it is repeated along the next mode and all others.
func (c *ctx) fragmentSize(t *tensor, a atom.Mma, o atom.Operand) [3]int {
	if a.Shared[o] {
		c.Must(t.space == shared, c.pos, "%s reads %v from shared memory, not from %s", a.Name, o, t.describe())
	} else {
		c.Must(t.space == rmem, c.pos, "%s takes %v in registers, not %s: copy it to a fragment first", a.Name, o, t.describe())
	}
	c.Must(atomElem(t.elem) == a.Elem[o], c.pos, "%s takes %v of elements %v, not %s", a.Name, o, a.Elem[o], t.elem.Name)
	modes := t.lay.Modes()
	c.Must(len(modes) >= 2, c.pos, "%v of shape %s is no fragment: its modes are values and repetitions", o, t.lay.Shape())
	var s [3]int
	s[0], _ = modes[0].Size().Static()
	s[1], _ = modes[1].Size().Static()
	s[2] = c.staticSize(t.lay) / (s[0] * s[1])
	n, _ := a.TV[o].Modes()[1].Size().Static()
	c.Must(s[0] == n, c.pos, "%s takes %d elements of %v from a thread, but mode 0 of %s has %d: partition it for this TiledMma", a.Name, n, o, t.lay.Shape(), s[0])
	return s
}

// mmaSync is an instruction of a warp.
func (c *ctx) mmaSync(a atom.Mma, f [4]fragmentAt) {
	var ops [4]simt.Operand
	var done func()
	for i := 3; i >= 0; i-- {
		t, at, write := c.packed(f[i].tensor, f[i].at, f[i].n, i > 0)
		ops[i], done = simt.V(c.registers(t, at, f[i].n)...), write
	}
	c.b.Emit(a.PTX, []simt.Operand{ops[0]}, ops[1:]...)
	done()
}

// mmaFMA is an instruction of a thread.
func (c *ctx) mmaFMA(a atom.Mma, f [4]fragmentAt) {
	e := f[0].elem
	var ops [4]simt.Operand
	for i := 1; i < 4; i++ {
		ops[i] = c.inReg(c.loadReg(f[i].tensor, place(f[i].at)), e)
	}
	c.storeReg(f[0].tensor, place(f[0].at), c.emit(e, a.PTX, ops[1:]...))
}
