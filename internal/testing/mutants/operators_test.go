package mutants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// operator changes the n-th place that it fits in a kernel, and says what it did: "" where there is no such place.
type operator struct {
	name   string
	change func(f *simt.Func, n int) string
}

// each makes an operator of a change to one instruction, which says whether it fits.
func each(name string, change func(in *simt.Instr) bool) operator {
	return operator{name, func(f *simt.Func, n int) string {
		for i := range f.Body {
			in := &f.Body[i]
			was := clone(in)
			if !change(in) {
				*in = was // it may have changed a part before it gave up
				continue
			}
			if n == 0 {
				return fmt.Sprintf("%s at %d: %s", name, i, was.Op)
			}
			*in = was
			n--
		}
		return ""
	}}
}

func clone(in *simt.Instr) simt.Instr {
	c := *in
	c.Dst, c.Src = slices.Clone(in.Dst), slices.Clone(in.Src)
	return c
}

// nothing is an instruction that does nothing.
func drop(in *simt.Instr) {
	*in = simt.Instr{Op: "membar.cta", Guard: simt.NoReg, Pos: in.Pos}
}

func prefixed(in *simt.Instr, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(in.Op, p) })
}

// swap replaces the start of an opcode.
func swap(name, from, to string) operator {
	return each(name, func(in *simt.Instr) bool {
		rest, ok := strings.CutPrefix(in.Op, from)
		if ok {
			in.Op = to + rest
			_, ok = simt.FormOf(in.Op)
		}
		return ok
	})
}

// operators are the ways to break a kernel.
var operators = []operator{
	each("a dropped barrier", func(in *simt.Instr) bool {
		ok := prefixed(in, "bar.sync", "barrier.sync")
		if ok {
			drop(in)
		}
		return ok
	}),
	each("a lost predicate", func(in *simt.Instr) bool {
		ok := in.Guard != simt.NoReg && in.Op == "bra"
		if ok {
			drop(in)
		}
		return ok
	}),
	each("a turned predicate", func(in *simt.Instr) bool {
		ok := in.Guard != simt.NoReg
		in.Unless = in.Unless != ok
		return ok
	}),
	each("a wrong stride", func(in *simt.Instr) bool {
		ok := prefixed(in, "mad.wide", "mad.lo") && len(in.Src) == 3 && in.Src[1].Kind == simt.Imm
		if ok {
			in.Src[1].Bits += 4
		}
		return ok
	}),
	each("a wrong offset", func(in *simt.Instr) bool {
		for i := range in.Src {
			if in.Src[i].Kind == simt.Address && !prefixed(in, "ld.param") && prefixed(in, "ld.", "st.", "cp.", "ldmatrix") {
				in.Src[i].Bits += 4
				return true
			}
		}
		return false
	}),
	each("a dropped store", func(in *simt.Instr) bool {
		ok := prefixed(in, "st.")
		if ok {
			drop(in)
		}
		return ok
	}),
	swap("a difference for a sum", "add.rn.f32", "sub.rn.f32"),
	swap("a sum for a product", "mul.rn.f32", "add.rn.f32"),
	swap("a minimum for a maximum", "max.", "min."),
	swap("a wrong comparison", "setp.lt.", "setp.gt."),
	swap("an unequal for an equal", "setp.ge.", "setp.lt."),
	swap("a wrong special function", "ex2.", "lg2."),
	swap("a wrong root", "rsqrt.", "sqrt."),
	each("a wrong lane", func(in *simt.Instr) bool {
		ok := prefixed(in, "shfl.sync.") && len(in.Src) > 1 && in.Src[1].Kind == simt.Imm
		if ok {
			in.Src[1].Bits ^= 3
		}
		return ok
	}),
	each("operands exchanged", func(in *simt.Instr) bool {
		ok := prefixed(in, "sub.", "div.", "shr.") && len(in.Src) == 2 && in.Src[0].Kind == simt.Register && in.Src[1].Kind == simt.Register
		if ok {
			in.Src[0], in.Src[1] = in.Src[1], in.Src[0]
		}
		return ok
	}),
	each("a dropped wait", func(in *simt.Instr) bool {
		ok := prefixed(in, "cp.async.wait_group")
		if ok {
			drop(in)
		}
		return ok
	}),
	each("another special register", func(in *simt.Instr) bool {
		for i := range in.Src {
			if in.Src[i].Name == "%tid.x" || in.Src[i].Name == "%ctaid.x" {
				in.Src[i].Name = strings.Replace(in.Src[i].Name, ".x", ".y", 1)
				return true
			}
		}
		return false
	}),
	each("a multiplication left out", func(in *simt.Instr) bool {
		ok := prefixed(in, "mma.sync", "fma.rn.f32")
		if ok {
			drop(in)
		}
		return ok
	}),
}
