package opt

import (
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// rule makes an instruction simpler where one of its operands is a certain number.
type rule struct {
	op    string // without its type
	at    int    // the operand that is the number
	n     int64
	to    string // the operation that is left, "mov" for a copy
	keeps []int  // of which operands; none for the number 0
}

// rules hold for integers of every width, whose arithmetic wraps.
var rules = []rule{
	{"add", 1, 0, "mov", []int{0}}, {"add", 0, 0, "mov", []int{1}}, {"sub", 1, 0, "mov", []int{0}},
	{"mul.lo", 1, 1, "mov", []int{0}}, {"mul.lo", 0, 1, "mov", []int{1}}, {"mul.lo", 1, 0, "mov", nil}, {"mul.lo", 0, 0, "mov", nil},
	{"div", 1, 1, "mov", []int{0}}, {"rem", 1, 1, "mov", nil},
	{"mad.lo", 2, 0, "mul.lo", []int{0, 1}}, {"mad.lo", 1, 1, "add", []int{0, 2}}, {"mad.lo", 0, 1, "add", []int{1, 2}},
	{"mad.lo", 1, 0, "mov", []int{2}}, {"mad.lo", 0, 0, "mov", []int{2}},
	{"and", 1, 0, "mov", nil}, {"and", 0, 0, "mov", nil}, {"and", 1, -1, "mov", []int{0}}, {"and", 0, -1, "mov", []int{1}},
	{"or", 1, 0, "mov", []int{0}}, {"or", 0, 0, "mov", []int{1}}, {"xor", 1, 0, "mov", []int{0}}, {"xor", 0, 0, "mov", []int{1}},
	{"shl", 1, 0, "mov", []int{0}}, {"shr", 1, 0, "mov", []int{0}}, {"shl", 0, 0, "mov", nil}, {"shr", 0, 0, "mov", nil},
}

// rulesOf are the rules by operation.
var rulesOf = func() map[string][]rule {
	m := map[string][]rule{}
	for _, r := range rules {
		m[r.op] = append(m[r.op], r)
	}
	return m
}()

// number is the type of an integer.
type number struct {
	bits   int
	signed bool
}

// integer gives the type that an opcode ends in, if it is one of integers of 16 to 64 bits.
func integer(typ string) (number, bool) {
	switch typ {
	case "s16", "u16", "b16", "s32", "u32", "b32", "s64", "u64", "b64":
		return number{simt.TypeBits(typ), typ[0] == 's'}, true
	}
	return number{}, false
}

// cut gives the value of the lowest bits as a number of the type.
func (t number) cut(n int64) int64 {
	if t.signed {
		return n << (64 - t.bits) >> (64 - t.bits)
	}
	return int64(uint64(n) << (64 - t.bits) >> (64 - t.bits))
}

// fold makes an instruction of integers simpler, if it can.
func fold(in *simt.Instr) bool {
	dot := strings.LastIndexByte(in.Op, '.')
	if dot < 0 || len(in.Dst) != 1 || in.Dst[0].Kind != simt.Register {
		return false
	}
	op, typ := in.Op[:dot], in.Op[dot+1:]
	t, ok := integer(typ)
	if !ok {
		return false
	}
	if in.Count > 0 { // a shift by a negative count is reported when it runs: it stays, as long as there may be one
		bits := 32
		if op == "min" {
			bits = 64
		}
		if c := in.Src[in.Count-1]; c.Kind != simt.Imm || (number{bits, true}).cut(int64(c.Bits)) < 0 {
			return false
		}
		in.Count = 0
	}
	if evaluate(in, op, t) || convert(in, op, t) || widen(in, op, typ) {
		return true
	}
	for _, r := range rulesOf[op] {
		at := t
		if r.at == 1 && (op == "shl" || op == "shr") { // the type of the amount
			at = number{32, false}
		}
		if c := in.Src[r.at]; c.Kind != simt.Imm || at.cut(int64(c.Bits)) != at.cut(r.n) {
			continue
		}
		var src []simt.Operand
		for _, i := range r.keeps {
			src = append(src, in.Src[i])
		}
		in.Op, in.Src = r.to+"."+typ, src
		if src == nil {
			in.Src = []simt.Operand{simt.I(0)}
		}
		return true
	}
	return false
}

// widen makes products of 16 or 32 bits with twice the width simpler, whose result has another type than the factors.
func widen(in *simt.Instr, op, typ string) bool {
	if op != "mul.wide" && op != "mad.wide" {
		return false
	}
	t, _ := integer(typ)
	wide := typ[:1] + map[int]string{16: "32", 32: "64"}[t.bits]
	a, b := in.Src[0], in.Src[1]
	if a.Kind != simt.Imm || b.Kind != simt.Imm {
		if op == "mad.wide" && in.Src[2].Kind == simt.Imm && in.Src[2].Bits == 0 {
			in.Op, in.Src = "mul.wide."+typ, in.Src[:2]
			return true
		}
		return false
	}
	product := simt.I(t.cut(int64(a.Bits)) * t.cut(int64(b.Bits)))
	if op == "mul.wide" {
		in.Op, in.Src = "mov."+wide, []simt.Operand{product}
	} else {
		in.Op, in.Src = "add."+wide, []simt.Operand{in.Src[2], product}
	}
	return true
}

// convert makes a conversion to the same width a copy.
func convert(in *simt.Instr, op string, from number) bool {
	to, ok := strings.CutPrefix(op, "cvt.")
	t, is := integer(to)
	if !ok || !is || t.bits != from.bits {
		return false
	}
	in.Op = "mov." + to
	return true
}

// evaluate computes an instruction of numbers alone.
func evaluate(in *simt.Instr, op string, t number) bool {
	var n [2]int64
	if len(in.Src) == 0 || len(in.Src) > 2 || op == "mov" {
		return false
	}
	for i, s := range in.Src {
		if s.Kind != simt.Imm {
			return false
		}
		n[i] = t.cut(int64(s.Bits))
	}
	if op == "shl" || op == "shr" {
		n[1] = number{32, false}.cut(int64(in.Src[1].Bits))
	}
	if compare, ok := strings.CutPrefix(op, "setp."); ok {
		holds, ok := comparisons[compare]
		if ok {
			in.Op, in.Src = "mov.pred", []simt.Operand{simt.I(0)}
			if holds(order(n[0], n[1], t)) {
				in.Src[0].Bits = 1
			}
		}
		return ok
	}
	compute, ok := operations[op]
	if !ok || (op == "div" || op == "rem") && n[1] == 0 {
		return false
	}
	in.Src = []simt.Operand{simt.I(t.cut(compute(n[0], n[1], t)))}
	in.Op = "mov." + in.Op[strings.LastIndexByte(in.Op, '.')+1:]
	return true
}

// comparisons say what must hold of the order of two numbers: less, equal or greater.
var comparisons = map[string]func(int) bool{
	"eq": func(c int) bool { return c == 0 }, "ne": func(c int) bool { return c != 0 },
	"lt": func(c int) bool { return c < 0 }, "le": func(c int) bool { return c <= 0 },
	"gt": func(c int) bool { return c > 0 }, "ge": func(c int) bool { return c >= 0 },
	"lo": func(c int) bool { return c < 0 }, "ls": func(c int) bool { return c <= 0 },
	"hi": func(c int) bool { return c > 0 }, "hs": func(c int) bool { return c >= 0 },
}

// order compares two numbers of a type.
func order(a, b int64, t number) int {
	switch {
	case a == b:
		return 0
	case t.signed && a < b, !t.signed && uint64(a) < uint64(b):
		return -1
	}
	return 1
}

// operations compute with numbers of a type, which are given as int64; what they give is cut to the type.
var operations = map[string]func(a, b int64, t number) int64{
	"add": func(a, b int64, _ number) int64 { return a + b }, "sub": func(a, b int64, _ number) int64 { return a - b },
	"mul.lo": func(a, b int64, _ number) int64 { return a * b }, "neg": func(a, _ int64, _ number) int64 { return -a },
	"and": func(a, b int64, _ number) int64 { return a & b }, "or": func(a, b int64, _ number) int64 { return a | b },
	"xor": func(a, b int64, _ number) int64 { return a ^ b }, "not": func(a, _ int64, _ number) int64 { return ^a },
	"min": func(a, b int64, t number) int64 {
		if order(a, b, t) < 0 {
			return a
		}
		return b
	},
	"max": func(a, b int64, t number) int64 {
		if order(a, b, t) > 0 {
			return a
		}
		return b
	},
	"div": func(a, b int64, t number) int64 {
		if t.signed {
			return a / b
		}
		return int64(uint64(a) / uint64(b))
	},
	"rem": func(a, b int64, t number) int64 {
		if t.signed {
			return a % b
		}
		return int64(uint64(a) % uint64(b))
	},
	"shl": func(a, b int64, _ number) int64 { return a << uint64(b) },
	"shr": func(a, b int64, t number) int64 {
		if t.signed {
			return a >> uint64(b)
		}
		return int64(uint64(a) >> uint64(b))
	},
}
