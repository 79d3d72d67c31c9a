package ptx

import (
	"strconv"

	"github.com/cutile-go/cutile/internal/simt"
)

// entityKind says what a name stands for.
type entityKind uint8

const (
	aRegister entityKind = iota
	aVector
	aMemory
)

// entity is what a name stands for: a register, a vector of registers, or memory.
type entity struct {
	kind  entityKind
	regs  []simt.Reg
	space string // of memory: "param", "shared", "local", "global", "const"
	base  string // of memory: the name in the module: "smem", "local", a parameter or a variable
	off   int64  // from the base
	typ   string // of memory: of an element
	size  int64  // of memory: in bytes
}

// regRange is what ".reg .b32 %r<10>" declares.
type regRange struct {
	first  simt.Reg
	count  int
	length int // of a vector; 1 for registers
}

// scope is what stands between two braces.
type scope struct {
	names  map[string]entity
	ranges map[string]regRange
	labels map[string]int
}

func newScope() *scope {
	return &scope{map[string]entity{}, map[string]regRange{}, map[string]int{}}
}

// declare gives a name its meaning in the present scope.
func (r *reader) declare(t token, e entity) {
	s := r.scopes[len(r.scopes)-1]
	_, isRange := s.ranges[t.text]
	if _, twice := s.names[t.text]; twice || isRange {
		r.fail(t, "%s is declared a second time", t.text)
	}
	s.names[t.text] = e
}

// lookup finds what a name stands for.
func (r *reader) lookup(name string) (entity, bool) {
	digits := len(name)
	for digits > 0 && isDigit(name[digits-1]) {
		digits--
	}
	for i := len(r.scopes) - 1; i >= 0; i-- {
		s := r.scopes[i]
		if e, ok := s.names[name]; ok {
			return e, true
		}
		for cut := digits; cut < len(name); cut++ { // "%r1" may have a range of its own, %r1<5>
			g, ok := s.ranges[name[:cut]]
			if n, err := strconv.Atoi(name[cut:]); ok && err == nil && n < g.count && strconv.Itoa(n) == name[cut:] {
				return g.entity(n), true
			}
		}
	}
	return r.outside(name)
}

// entity is one of a range.
func (g regRange) entity(n int) entity {
	e := entity{kind: aRegister}
	if g.length > 1 {
		e.kind = aVector
	}
	for i := range g.length {
		e.regs = append(e.regs, g.first+simt.Reg(n*g.length+i))
	}
	return e
}

// findLabel finds the number of a label that is in scope.
func (r *reader) findLabel(name string) (int, bool) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if n, ok := r.scopes[i].labels[name]; ok {
			return n, true
		}
	}
	return 0, false
}

// canonicalLabel gives the number of a label as Write names it.
func canonicalLabel(name string) (int, bool) {
	if len(name) < 3 || name[:2] != "$L" {
		return 0, false
	}
	n, err := strconv.Atoi(name[2:])
	return n, err == nil && n >= 0 && n < maxLabels && strconv.Itoa(n) == name[2:]
}

// placeLabels finds the labels of the scope that begins here, which jumps before them may name. The labels of a kernel
// that Write made keep their numbers.
func (r *reader) placeLabels(keep bool) {
	s := r.scopes[len(r.scopes)-1]
	var others []string // which get their numbers behind those that keep theirs
	for i, depth := r.next, 0; i < len(r.tokens)-1 && depth >= 0; i++ {
		switch t := r.tokens[i]; {
		case t.text == "{":
			depth++
		case t.text == "}":
			depth--
		case depth == 0 && r.tokens[i+1].text == ":" && isName(t.text):
			if _, twice := s.labels[t.text]; twice {
				r.fail(t, "%s is placed a second time", t.text)
			}
			n, ok := canonicalLabel(t.text)
			if s.labels[t.text] = n; ok && keep {
				r.f.Labels = max(r.f.Labels, n+1)
			} else {
				others = append(others, t.text)
			}
		}
	}
	for _, name := range others {
		s.labels[name] = r.newLabel()
	}
}

// newLabel makes a label that no other has. How many there are in all is looked at when the body ends: a text has room for a
// few million at most.
func (r *reader) newLabel() int {
	r.f.Labels++
	return r.f.Labels - 1
}

// newReg makes a register.
func (r *reader) newReg(c simt.Class) simt.Reg {
	if r.regs++; r.regs > maxRegs {
		r.fail(r.peek(), "the kernels have more than %d registers", maxRegs)
	}
	r.f.Regs = append(r.f.Regs, c)
	return simt.Reg(len(r.f.Regs) - 1)
}
