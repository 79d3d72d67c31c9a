package words

import (
	"strings"

	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// These are the values of the types MmaAtom, TiledMma and ThrMma of package cute.
type (
	mmaAtom  struct{ atom.Mma }
	tiledMma struct{ atom.TiledMma }
	thrMma   = part[*tiledMma]
)

// Describe implements [emit.Described].
func (t *mmaAtom) Describe() string { return "the instruction " + t.Name }

// Describe implements [emit.Described].
func (t *tiledMma) Describe() string { return "a TiledMma of " + t.Atom().Name }

// mmaWords lists the words for matrix multiplications.
var mmaWords = map[string]intrinsic{
	"mmafma": func(c *call) []emit.Value {
		a, err := atom.UniversalFMA(c.atomElem(0))
		c.Refused(err)
		return give(&mmaAtom{a})
	},
	"mmasync": func(c *call) []emit.Value {
		const size = "the shape of an instruction"
		a, err := atom.MmaSync(c.static(0, size), c.static(1, size), c.static(2, size), c.atomElem(0), c.atomElem(1), c.atomElem(2))
		c.Refused(err)
		return give(&mmaAtom{a})
	},
	"tiledmma": func(c *call) []emit.Value {
		// The layout tells how the instruction is repeated among the threads, and the permutation
		// which elements these take.
		t, err := atom.NewTiledMma(arg[*mmaAtom](c, 0).Mma, c.layout(1).Layout, c.permutation(2))
		c.Refused(err)
		return give(&tiledMma{t})
	},
	"thrmma":  func(c *call) []emit.Value { return give(&thrMma{arg[*tiledMma](c, 0), c.int(1)}) },
	"mmatile": func(c *call) []emit.Value { return give(emit.Shape{Tuple: arg[*tiledMma](c, 0).Tile()}) },
	"partitionmma": func(c *call) []emit.Value {
		// The part of a thread follows from the layout of threads and values of the operand.
		t, o := arg[*thrMma](c, 0), c.operandOf(2)
		return give(c.partitioned(1, func(l layout.Layout) (layout.Layout, layout.Tuple, error) { return t.of.Partition(o, t.thread, l) },
			func(l layout.Composed) (layout.Composed, layout.Int, error) {
				return t.of.PartitionComposed(o, t.thread, l)
			}))
	},
	"partitionshape": func(c *call) []emit.Value {
		s, err := arg[*tiledMma](c, 0).PartitionShape(c.operandOf(2), c.tuple(1))
		c.Refused(err)
		return give(emit.Shape{Tuple: s})
	},
	"fragment": func(c *call) []emit.Value {
		// Registers belong to threads. Registers belong to threads of kernels.
		c.Must(!c.B.Host, c.pos, "a host function has no registers for tensors: make them in a kernel")
		l, err := arg[*tiledMma](c, 0).Fragment(c.operandOf(2), c.layoutOf(1).Layout)
		c.Refused(err)
		return give(c.NewRmem(c.elemArg(0), c.typeArg(0), l))
	},
	"gemm": (*call).gemm,
}

// permutation gives the optional tiler of M, N and K.
func (c *call) permutation(i int) layout.ByMode {
	if v, ok := c.args[i].(*emit.Slice); ok {
		return c.byMode(v)
	}
	return nil
}

// operandOf gives the operand A, B or C that an argument names.
func (c *call) operandOf(i int) atom.Operand { return atom.Operand(c.static(i, "an operand")) }

// gemm multiplies fragments: it repeats the instruction along the modes M, N and K of the
// fragments. Along K each repetition adds to the result of the one before.
func (c *call) gemm() []emit.Value {
	a := arg[*tiledMma](c, 0).Atom()
	c.Must(!a.Tensor, c.pos, "%s accumulates in tensor memory: call TensorGemm", a.Name)
	var t [4]*emit.Tensor // D, A, B, C
	var size [4][3]int
	for i := range t {
		t[i] = c.tensor(i + 1)
		o := [4]atom.Operand{atom.C, atom.A, atom.B, atom.C}[i]
		size[i] = c.fragmentSize(t[i], a, o)
	}
	// The repetitions along the modes must agree: A has M and K, B has N and K, and C and D have M
	// and N.
	ms, ns, ks := size[1][1], size[2][1], size[1][2]
	c.Must(ks == size[2][2] && size[0] == size[3] && size[3][1] == ms && size[3][2] == ns, c.pos,
		"these fragments cannot be multiplied: A %s, B %s, C %s, D %s", t[1].Layout.Shape(), t[2].Layout.Shape(), t[3].Layout.Shape(), t[0].Layout.Shape())
	// The kind of the instruction is the first part of its name.
	one := c.mmaSync
	switch op, _, _ := strings.Cut(a.PTX, "."); op {
	case "fma":
		one = c.mmaFMA
	case "wgmma":
		one = c.mmaWarpGroup
	}
	for k := range ks {
		// The first product is added to C, the next ones to the result so far.
		from := t[3]
		if k > 0 {
			from = t[0]
		}
		for m := range ms {
			for n := range ns {
				// The elements of one instruction are contiguous in a fragment, and the repetitions
				// follow mode by mode.
				at := size[0][0] * (m + ms*n)
				one(a, [4]fragmentAt{{t[0], at, size[0][0]}, {t[1], size[1][0] * (m + ms*k), size[1][0]}, {t[2], size[2][0] * (n + ns*k), size[2][0]}, {from, at, size[0][0]}})
			}
		}
	}
	return nil
}

// fragmentAt is the part of a fragment that one instruction takes: n elements from the index at on.
type fragmentAt struct {
	*emit.Tensor
	at, n int
}

// fragmentSize gives the elements of a fragment that one instruction takes, and how often the
// instruction is repeated along the next mode and along all others. It checks that the fragment was
// made for the instruction.
func (c *call) fragmentSize(t *emit.Tensor, a atom.Mma, o atom.Operand) [3]int {
	if a.Shared[o] {
		c.Must(t.Space == emit.Shared, c.pos, "%s reads %v from shared memory, not from %s", a.Name, o, t.Describe())
	} else {
		c.Must(t.Space == emit.Rmem, c.pos, "%s takes %v in registers, not %s: copy it to a fragment first", a.Name, o, t.Describe())
	}
	// The instruction reads bits: another type of the same width would be taken for its own.
	c.Must(atomElem(t.Elem) == a.Elem[o], c.pos, "%s takes %v of elements %v, not %s", a.Name, o, a.Elem[o], t.Elem.Name)
	modes := t.Layout.Modes()
	c.Must(len(modes) >= 2, c.pos, "%v of shape %s is not a fragment, whose modes are values and repetitions", o, t.Layout.Shape())
	var s [3]int
	s[0], _ = modes[0].Size().Static()
	s[1], _ = modes[1].Size().Static()
	s[2] = c.staticSize(t.Layout) / (s[0] * s[1])
	n, _ := a.TV[o].Modes()[1].Size().Static()
	c.Must(s[0] == n, c.pos, "%s takes %d elements of %v from a thread, but mode 0 of %s has %d: partition it for this TiledMma", a.Name, n, o, t.Layout.Shape(), s[0])
	return s
}

// mmaSync writes an instruction that the threads of a warp execute together. An operand whose
// elements do not fill registers in order is copied to registers of its own first, and the result
// is copied back.
func (c *call) mmaSync(a atom.Mma, f [4]fragmentAt) {
	var ops [4]simt.Operand
	var done func()
	// D comes last, so that done writes the copy of D back.
	for i := 3; i >= 0; i-- {
		t, at, write := c.packed(f[i].Tensor, f[i].at, f[i].n, i > 0)
		ops[i], done = simt.V(c.registers(t, at, f[i].n)...), write
	}
	c.B.Emit(a.PTX, []simt.Operand{ops[0]}, ops[1:]...)
	done()
}

// mmaFMA writes an instruction that each thread executes on its own.
func (c *call) mmaFMA(a atom.Mma, f [4]fragmentAt) {
	// All operands of such an instruction have one element type.
	e := f[0].Elem
	var ops [4]simt.Operand
	for i := 1; i < 4; i++ {
		ops[i] = c.InReg(c.LoadReg(f[i].Tensor, place(f[i].at)), e)
	}
	c.StoreReg(f[0].Tensor, place(f[0].at), c.Emit(e, a.PTX, ops[1:]...))
}
