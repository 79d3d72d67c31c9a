// Package isel has what back ends share when they choose instructions for functions of package vec: which virtual
// registers of package mach stand for a register of a function, the regions that are open, and the last uses of values.
//
// A back end embeds a [Selector] in one of its own, and has rules that write instructions with it.
package isel

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// Function says where a function lies in the code, and how many words of 64 bits its frame has.
type Function struct {
	Name         string
	Offset, Size int
	Words        int
}

// Unsupported is the error for an instruction that a level has no code for.
type Unsupported struct {
	Level string
	Instr string
}

// Error says what is missing.
func (e *Unsupported) Error() string { return fmt.Sprintf("%s has no code for %s", e.Level, e.Instr) }

// Shape says how registers of a class lie in the machine's.
type Shape struct {
	File mach.File
	N    int   // of the machine's registers
	View uint8 // how they are seen
}

// Target is what a selector has to know of its level.
type Target struct {
	Name   string             // for errors
	Shapes [vec.V64 + 1]Shape // by class
}

// Parts are the virtual registers of one register of a function: one for each register of the machine that it takes.
type Parts []mach.Reg

// Selector chooses instructions for a function.
type Selector struct {
	F      *vec.Func
	Code   *mach.Code
	target *Target
	regs   []Parts
	defs   []int // how often each register is assigned
	def    []int // the last assignment
	last   []int // the last instruction that needs a register
	open   []Region
	opened int // regions so far
	kept   map[any]kept
	at     int // the instruction
	fault  error

	Suspends bool // the function may suspend itself
}

// Region is a region that is not closed yet.
type Region struct {
	In    *vec.Instr // that opened it
	Begin int64      // label of a loop's first instruction
	Next  int64      // label of what decides whether a loop has another turn; -1 if nothing jumps there
	End   int64      // label behind it, or of the other side of a branch
	id    int        // of its own, not 0, which is that of the function
}

// kept is a value that is there while a region is open.
type kept struct {
	reg    mach.Reg
	region int
}

// New makes a selector, which writes to code in place of what is there.
func New(t *Target, f *vec.Func, code *mach.Code) Selector {
	code.Reset()
	n := len(f.Regs)
	s := Selector{F: f, Code: code, target: t, regs: make([]Parts, n), kept: map[any]kept{}}
	s.defs, s.def = make([]int, n), make([]int, n)
	for i := range f.Body {
		if d := f.Body[i].Dst; d != 0 {
			s.defs[d]++
			s.def[d] = i
		}
		s.Suspends = s.Suspends || f.Body[i].Op.Suspends()
	}
	s.last = f.LastUses()
	code.Cold = f.Cold()
	return s
}

// Run calls choose for every instruction of the function, until one is not supported.
func (s *Selector) Run(choose func(in *vec.Instr)) error {
	for i := range s.F.Body {
		s.at = i
		if choose(&s.F.Body[i]); s.fault != nil {
			return s.fault
		}
	}
	return nil
}

// Lacks notes that there is no code for an instruction.
func (s *Selector) Lacks(in *vec.Instr) {
	if s.fault == nil {
		s.fault = &Unsupported{s.target.Name, s.F.Text(in)}
	}
}

// Shape says how a class of registers lies in the machine's.
func (s *Selector) Shape(c vec.Class) Shape { return s.target.Shapes[c] }

// Parts gives the registers of an operand.
func (s *Selector) Parts(r vec.Reg) Parts { return s.regs[r] }

// One gives the first register of an operand, which is the only one of a scalar.
func (s *Selector) One(r vec.Reg) mach.Reg { return s.regs[r][0] }

// Dst gives the registers of the result, new ones at the first assignment.
func (s *Selector) Dst(in *vec.Instr) Parts {
	if s.regs[in.Dst] == nil {
		sh := s.Shape(s.F.Class(in.Dst))
		s.regs[in.Dst] = s.Fresh(sh.File, sh.N)
	}
	return s.regs[in.Dst]
}

// Uniform gives the registers of a result whose parts repeat from the one with number n on: n is 1 where all lanes are
// alike. It reports how many parts the caller must fill: n of them if nothing else is ever assigned to the result, so that
// the others can share their registers.
func (s *Selector) Uniform(in *vec.Instr, n int) (d Parts, fill int) {
	if s.defs[in.Dst] != 1 {
		d = s.Dst(in)
		return d, len(d)
	}
	sh := s.Shape(s.F.Class(in.Dst))
	d = s.Fresh(sh.File, n)
	for i := n; i < sh.N; i++ {
		d = append(d, d[i-n])
	}
	s.regs[in.Dst] = d
	return d, n
}

// Fresh makes n registers of a file.
func (s *Selector) Fresh(f mach.File, n int) Parts {
	p := make(Parts, n)
	for i := range p {
		p[i] = s.Code.New(f)
	}
	return p
}

// Only gives the instruction that makes an operand, if there is one alone.
func (s *Selector) Only(r vec.Reg) (in *vec.Instr, ok bool) {
	return &s.F.Body[s.def[r]], s.defs[r] == 1
}

// Constant gives the bits of the lanes of an operand that is always the same constant.
func (s *Selector) Constant(r vec.Reg) (bits int64, ok bool) {
	in, ok := s.Only(r)
	return in.Imm, ok && in.Op == vec.Const
}

// Dies reports whether an operand is not needed after the current instruction.
func (s *Selector) Dies(r vec.Reg) bool { return s.last[r] <= s.at }

// Vector makes a vector register for a value on its way.
func (s *Selector) Vector() mach.Reg { return s.Code.New(mach.Vector) }

// Integer makes a general register for a value on its way.
func (s *Selector) Integer() mach.Reg { return s.Code.New(mach.Int) }

// Add writes an instruction.
func (s *Selector) Add(op int32, args ...mach.Arg) *mach.Instr {
	return s.Code.Add(op, int32(s.at), args...)
}

// Open begins a region with labels of its own.
func (s *Selector) Open(in *vec.Instr) *Region {
	s.opened++
	s.open = append(s.open, Region{In: in, Begin: s.Code.Label(), Next: -1, End: s.Code.Label(), id: s.opened})
	return s.innermost()
}

func (s *Selector) innermost() *Region { return &s.open[len(s.open)-1] }

// Other goes to the other side of the innermost branch. It gives the label where that begins, and a new one behind it.
func (s *Selector) Other() (begin, end int64) {
	r := s.innermost()
	s.opened++
	begin, r.End, r.id = r.End, s.Code.Label(), s.opened
	return begin, r.End
}

// Loop is the loop that so many others around the current instruction lie in.
func (s *Selector) Loop(others int64) *Region {
	for i := len(s.open) - 1; ; i-- {
		switch r := &s.open[i]; {
		case !r.In.Op.Loops():
		case others == 0:
			return r
		default:
			others--
		}
	}
}

// Close ends the innermost region.
func (s *Selector) Close() Region {
	r := *s.innermost()
	s.open = s.open[:len(s.open)-1]
	return r
}

// Once gives a value that depends on registers of the function alone and has a key: made before, if it is there on every way to
// the current instruction and the registers are assigned once, and else made now. It must be called where every way through the
// code of the current instruction comes by.
func (s *Selector) Once(key any, of []vec.Reg, make func() mach.Reg) mach.Reg {
	for _, r := range of {
		if s.defs[r] > 1 {
			return make()
		}
	}
	if k, ok := s.kept[key]; ok && s.isOpen(k.region) {
		return k.reg
	}
	r, region := make(), 0
	if len(s.open) > 0 {
		region = s.innermost().id
	}
	s.kept[key] = kept{r, region}
	return r
}

func (s *Selector) isOpen(region int) bool {
	return region == 0 || slices.ContainsFunc(s.open, func(r Region) bool { return r.id == region })
}
