package pattern

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// Steps gives how many steps searches in a text of n bytes may take in all. Each of them takes some nanoseconds. A pattern
// such as \s+$ takes n² steps for n spaces, as it does in Oniguruma, which this must allow for runs of thousands.
func Steps(n int) int { return 100_000_000 + 1000*n }

// backtrack is where the matcher goes on when it fails.
type backtrack struct {
	pc, pos int
	least   int // a repetition gives characters back down to here; -1 for others
	slot    int // the slot to set to pos; -1 for others
}

type matcher struct {
	p     *Pattern
	s     string
	steps int
	stack []backtrack
	slots []int
}

// tooMany is what ends a search that takes too long.
type tooMany struct{}

// Each calls f with every match in s, from left to right. An empty match right after another one is no match. It takes its
// steps from those that are left, and fails when there are too few.
func (p *Pattern) Each(s string, left *int, f func(start, end int)) (err error) {
	if p.isText && p.literal != "" {
		for at := 0; ; {
			i := strings.Index(s[at:], p.literal)
			if i < 0 {
				return nil
			}
			f(at+i, at+i+len(p.literal))
			at += i + len(p.literal)
		}
	}
	m := &matcher{p: p, s: s, steps: *left, slots: make([]int, p.slots)}
	defer func() {
		*left = m.steps
		switch r := recover().(type) {
		case nil:
		case tooMany:
			err = fmt.Errorf("pattern %q takes too many steps for a text of %d bytes", p.expr, len(s))
		default:
			panic(r)
		}
	}()
	for at, last := 0, -1; at <= len(s); {
		start, end := m.search(at)
		if start < 0 {
			return nil
		}
		if start == end && end == last {
			_, size := utf8.DecodeRuneInString(s[at:])
			at += max(size, 1)
			continue
		}
		f(start, end)
		at, last = end, end
	}
	return nil
}

// search finds the first match at or after a place.
func (m *matcher) search(at int) (start, end int) {
	if m.p.isText { // the empty text
		return at, at
	}
	for first := m.p.first; ; {
		r, size := utf8.DecodeRuneInString(m.s[at:])
		if first == nil || size > 0 && first.Has(r) {
			if end := m.run(0, at, -1); end >= 0 {
				return at, end
			}
		}
		if size == 0 {
			return -1, -1
		}
		m.count(1)
		at += size
	}
}

func (m *matcher) count(n int) {
	if m.steps -= n; m.steps < 0 {
		panic(tooMany{})
	}
}

// run executes the program at pc up to its match and gives the place where that ends, or -1. With until, the match must
// end there.
func (m *matcher) run(pc, pos, until int) int {
	bottom := len(m.stack)
	end := m.execute(pc, pos, until, bottom)
	m.stack = m.stack[:bottom]
	return end
}

func (m *matcher) execute(pc, pos, until, bottom int) int {
	for {
		m.count(1)
		i := &m.p.program[pc]
		ok := true
		switch i.op {
		case opRune, opSet:
			r, size := utf8.DecodeRuneInString(m.s[pos:])
			ok = size > 0 && (i.op == opRune && r == i.r || i.op == opSet && i.set.Has(r))
			pos, pc = pos+size, pc+1
		case opRepeat:
			pos, ok = m.repeat(i, pc, pos)
			pc++
		case opSplit:
			pc = m.split(i, pos)
		case opJump:
			pc = i.x
		case opAssert:
			ok = m.holds(i.assert, pos)
			pc++
		case opLook:
			ok = m.look(i, pc+1, pos) != i.not
			pc = i.x
		case opAtomic:
			pos = m.run(pc+1, pos, -1)
			ok, pc = pos >= 0, i.x
		case opMark:
			m.stack = append(m.stack, backtrack{pos: m.slots[i.x], slot: i.x, least: -1})
			m.slots[i.x] = pos
			pc++
		case opMoved:
			ok = m.slots[i.x] != pos
			if !ok { // a turn without text: the loop ends here, and what follows goes on
				ok, pc = true, pc+1
			}
			pc++
		case opMatch:
			if until < 0 || pos == until {
				return pos
			}
			ok = false
		}
		if !ok {
			if pc, pos = m.back(bottom); pc < 0 {
				return -1
			}
		}
	}
}

// back takes up the last choice above the bottom of the stack. pc is -1 when there is none.
func (m *matcher) back(bottom int) (pc, pos int) {
	for len(m.stack) > bottom {
		m.count(1)
		top := &m.stack[len(m.stack)-1]
		switch {
		case top.slot >= 0:
			m.slots[top.slot] = top.pos
		case top.least < 0:
			pc, pos = top.pc, top.pos
			m.stack = m.stack[:len(m.stack)-1]
			return pc, pos
		case top.pos > top.least:
			_, size := utf8.DecodeLastRuneInString(m.s[:top.pos])
			top.pos -= size
			return top.pc, top.pos
		}
		m.stack = m.stack[:len(m.stack)-1]
	}
	return -1, -1
}

// split chooses the first branch that can start here and keeps the second for later.
func (m *matcher) split(i *instruction, pos int) int {
	if i.set != nil || i.other != nil {
		r, size := utf8.DecodeRuneInString(m.s[pos:])
		if i.set != nil && !(size > 0 && i.set.Has(r)) {
			return i.y
		}
		if i.other != nil && !(size > 0 && i.other.Has(r)) {
			return i.x
		}
	}
	m.stack = append(m.stack, backtrack{pc: i.y, pos: pos, least: -1, slot: -1})
	return i.x
}

// repeat takes characters of a set.
func (m *matcher) repeat(i *instruction, pc, pos int) (int, bool) {
	n, most := 0, i.y
	if i.mode == lazy {
		most = i.x
	}
	least := pos
	for most < 0 || n < most {
		r, size := utf8.DecodeRuneInString(m.s[pos:])
		if size == 0 || !i.set.Has(r) {
			break
		}
		pos += size
		if n++; n <= i.x {
			least = pos
		}
	}
	m.count(n)
	switch {
	case n < i.x:
		return pos, false
	case i.mode == greedy && pos > least:
		m.stack = append(m.stack, backtrack{pc: pc + 1, pos: pos, least: least, slot: -1})
	case i.mode == lazy:
		return m.lazily(i, pc, pos), true
	}
	return pos, true
}

// lazily keeps, for later, that a lazy repetition takes characters one by one: each is a choice of its own, so that all of
// them are put on the stack from the last to the first.
func (m *matcher) lazily(i *instruction, pc, pos int) int {
	bottom, at := len(m.stack), pos
	for n := i.x; i.y < 0 || n < i.y; n++ {
		r, size := utf8.DecodeRuneInString(m.s[at:])
		if size == 0 || !i.set.Has(r) {
			break
		}
		at += size
		m.stack = append(m.stack, backtrack{pc: pc + 1, pos: at, least: -1, slot: -1})
	}
	m.count(len(m.stack) - bottom)
	for a, b := bottom, len(m.stack)-1; a < b; a, b = a+1, b-1 {
		m.stack[a], m.stack[b] = m.stack[b], m.stack[a]
	}
	return pos
}

// look reports whether the program at pc matches ahead of pos or ends there.
func (m *matcher) look(i *instruction, pc, pos int) bool {
	if !i.back {
		return m.run(pc, pos, -1) >= 0
	}
	for start := pos; ; {
		if m.run(pc, start, pos) >= 0 {
			return true
		}
		_, size := utf8.DecodeLastRuneInString(m.s[:start])
		if size == 0 {
			return false
		}
		start -= size
	}
}

// word holds the characters of \w.
var word = chars.Named("perl/w")

// holds reports whether pos is a place of a kind.
func (m *matcher) holds(assert byte, pos int) bool {
	before, after := m.s[:pos], m.s[pos:]
	switch assert {
	case 'A':
		return pos == 0
	case 'z':
		return after == ""
	case 'Z':
		return after == "" || after == "\n"
	case '^':
		return pos == 0 || before[pos-1] == '\n' && after != ""
	case '$':
		return after == "" || after[0] == '\n'
	}
	a, sizeA := utf8.DecodeLastRuneInString(before)
	b, sizeB := utf8.DecodeRuneInString(after)
	border := (sizeA > 0 && word.Has(a)) != (sizeB > 0 && word.Has(b))
	return border == (assert == 'b')
}
