package pattern

import (
	"fmt"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// op says what an instruction does.
type op uint8

const (
	opRune   op = iota // the character r
	opSet              // a character of set
	opRepeat           // characters of set: x to y of them, by mode
	opSplit            // goes on at x, and at y when that fails; guards say what each can start with
	opJump             // goes on at x
	opAssert           // a place in the text
	opLook             // the program from here to x matches, ahead or behind; then goes on at x
	opAtomic           // the program from here to x matches, once; then goes on at x
	opMark             // remembers the place, in slot x
	opMoved            // goes on only when the place is not that in slot x
	opMatch            // the end of a program
)

type instruction struct {
	op        op
	mode      mode
	not, back bool
	assert    byte
	r         rune
	set       *chars.Set
	x, y      int
	other     *chars.Set // opSplit: what y can start with; set is for x
}

// A Pattern is a compiled regular expression. Any number of goroutines may use it.
type Pattern struct {
	expr    string
	program []instruction
	slots   int
	first   *chars.Set // what a match can start with; nil when it can be empty
	literal string     // the text that is all of the pattern
	isText  bool
}

// Compile parses a regular expression.
func Compile(expr string) (*Pattern, error) {
	tree, err := parse(expr)
	if err != nil {
		return nil, err
	}
	c := &compiler{}
	if !c.emit(tree) || !c.add(instruction{op: opMatch}) {
		return nil, fmt.Errorf("pattern %q is too large: more than %d steps", expr, maxProgram)
	}
	p := &Pattern{expr: expr, program: c.program, slots: c.slots}
	if set, empty := first(tree); !empty {
		p.first = chars.NewSet(set)
	}
	return p, nil
}

// Literal makes a pattern that matches a text.
func Literal(text string) *Pattern { return &Pattern{expr: text, literal: text, isText: true} }

type compiler struct {
	program []instruction
	slots   int
}

// add appends an instruction. It is false when there are too many.
func (c *compiler) add(i instruction) bool {
	c.program = append(c.program, i)
	return len(c.program) <= maxProgram
}

func (c *compiler) emit(n *node) bool {
	switch n.kind {
	case nSet:
		if len(n.set) == 1 && n.set[0].Lo == n.set[0].Hi {
			return c.add(instruction{op: opRune, r: n.set[0].Lo})
		}
		return c.add(instruction{op: opSet, set: chars.NewSet(n.set)})
	case nCat:
		for _, sub := range n.subs {
			if !c.emit(sub) {
				return false
			}
		}
		return true
	case nAlt:
		return c.alternatives(n.subs)
	case nRepeat:
		return c.repeat(n)
	case nAssert:
		return c.add(instruction{op: opAssert, assert: n.assert})
	case nLook:
		return c.inner(instruction{op: opLook, not: n.not, back: n.back}, n.subs[0])
	}
	return c.inner(instruction{op: opAtomic}, n.subs[0])
}

// inner emits an instruction whose program ends by a match of its own.
func (c *compiler) inner(i instruction, n *node) bool {
	at := len(c.program)
	ok := c.add(i) && c.emit(n) && c.add(instruction{op: opMatch})
	c.program[at].x = len(c.program)
	return ok
}

func (c *compiler) alternatives(subs []*node) bool {
	if len(subs) == 1 {
		return c.emit(subs[0])
	}
	split := len(c.program)
	if !c.add(instruction{op: opSplit, x: split + 1, set: guard(subs[0]), other: guard(subs[1:]...)}) || !c.emit(subs[0]) {
		return false
	}
	jump := len(c.program)
	if !c.add(instruction{op: opJump}) {
		return false
	}
	c.program[split].y = len(c.program)
	ok := c.alternatives(subs[1:])
	c.program[jump].x = len(c.program)
	return ok
}

// repeat emits the least repetitions one after the other, and then those that may follow.
func (c *compiler) repeat(n *node) bool {
	sub := n.subs[0]
	if sub.kind == nSet {
		return c.add(instruction{op: opRepeat, mode: n.mode, set: chars.NewSet(sub.set), x: n.min, y: n.max})
	}
	if n.mode == possessive {
		once := *n
		once.mode = greedy
		return c.inner(instruction{op: opAtomic}, &once)
	}
	for range n.min {
		if !c.emit(sub) {
			return false
		}
	}
	if n.max < 0 {
		return c.loop(n, sub)
	}
	var splits []int
	for range n.max - n.min {
		splits = append(splits, len(c.program))
		if !c.add(instruction{op: opSplit}) || !c.emit(sub) {
			return false
		}
	}
	for _, at := range splits {
		c.program[at] = either(n.mode, at+1, len(c.program), sub)
	}
	return true
}

// loop emits any number of sub. A turn that takes no text ends it.
func (c *compiler) loop(n, sub *node) bool {
	_, empty := first(sub)
	at, slot := len(c.program), c.slots
	if !c.add(instruction{op: opSplit}) {
		return false
	}
	if empty {
		c.slots++
		c.add(instruction{op: opMark, x: slot})
	}
	if !c.emit(sub) {
		return false
	}
	if empty {
		c.add(instruction{op: opMoved, x: slot})
	}
	ok := c.add(instruction{op: opJump, x: at})
	c.program[at] = either(n.mode, at+1, len(c.program), sub)
	return ok
}

// either chooses between one more turn and going on.
func either(m mode, turn, on int, sub *node) instruction {
	if m == lazy {
		return instruction{op: opSplit, x: on, y: turn, other: guard(sub)}
	}
	return instruction{op: opSplit, x: turn, y: on, set: guard(sub)}
}

// guard gives what one of the nodes can start with, or nil when it can be empty.
func guard(nodes ...*node) *chars.Set {
	set, empty := first(&node{kind: nAlt, subs: nodes})
	if empty {
		return nil
	}
	return chars.NewSet(set)
}

// first gives the characters that a match of n can start with, and whether it can be empty.
func first(n *node) (set []chars.Range, empty bool) {
	switch n.kind {
	case nSet:
		return n.set, false
	case nCat:
		for _, sub := range n.subs {
			s, e := first(sub)
			set = append(set, s...)
			if !e {
				return chars.Union(set), false
			}
		}
		return set, true
	case nAlt:
		for _, sub := range n.subs {
			s, e := first(sub)
			set, empty = append(set, s...), empty || e
		}
		return chars.Union(set), empty
	case nRepeat:
		s, e := first(n.subs[0])
		return s, e || n.min == 0
	case nAtomic:
		return first(n.subs[0])
	}
	return nil, true
}
