package simt

import (
	"fmt"
	"strconv"
	"strings"
)

// parseSig reads "results = sources" of the table. The table is ours: a mistake in it is a bug.
func parseSig(text string, vars map[byte]string, since Since) Sig {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c >= 'A' && c <= 'Z' {
			b.WriteString(vars[c])
		} else {
			b.WriteByte(c)
		}
	}
	dst, src, both := strings.Cut(b.String(), "=")
	if !both {
		dst, src = "", dst
	}
	return Sig{parseSlots(dst, true), parseSlots(src, false), since}
}

// optional gives a list with every operand that begins with "?", and without it.
func optional(sig string) []string {
	before, rest, ok := strings.Cut(sig, "?")
	if !ok {
		return []string{sig}
	}
	end := 0
	for end < len(rest) && rest[end] != ' ' && rest[end] != ':' {
		end++
	}
	var all []string
	for _, after := range optional(rest[end:]) {
		all = append(all, strings.TrimSuffix(before, ":")+after, before+rest[:end]+after)
	}
	return all
}

// parseSlots reads operands; "a:b" are two of which the second is joined to the first.
func parseSlots(text string, dst bool) []Slot {
	var slots []Slot
	for word := range strings.FieldsSeq(text) {
		for join := false; word != ""; join = true {
			end := len(word)
			for i := 1; i < len(word); i++ { // not the "::" of a state space
				if word[i] == ':' && word[i-1] != ':' && (i+1 == len(word) || word[i+1] != ':') {
					end = i
					break
				}
			}
			s := parseSlot(word[:end], dst)
			s.Join, s.Bare = join, end < len(word) || isHandleSpace(s.Space)
			slots = append(slots, s)
			word = strings.TrimPrefix(word[end:], ":")
		}
	}
	return slots
}

func parseSlot(word string, dst bool) Slot {
	var s Slot
	allow := func(k OperandKind) { s.Kinds |= 1 << k }
	word, s.InOut = strings.CutSuffix(word, "+")
	inside := func(closing string) string { return strings.TrimSuffix(word[1:], closing) }
	switch word[0] {
	case '[':
		allow(Address)
		s.Space = strings.TrimPrefix(inside("]"), ".")
		return s
	case '{':
		allow(Vector)
		if strings.Contains(word, "&") {
			for e := range strings.SplitSeq(inside("}"), "&") {
				s.Elems = append(s.Elems, parseSlot(e, dst))
			}
			s.Len, s.Type = len(s.Elems), s.Elems[0].Type
			return s
		}
		allow(Register)
		elems, sinks := strings.CutPrefix(inside("}"), "_")
		if sinks {
			allow(Sink)
		}
		elems, numbers := strings.CutPrefix(elems, "#")
		if typ, _, _ := strings.Cut(elems, "*"); numbers && hasImmediates(typ) {
			allow(Imm)
		}
		typ, length, ok := strings.Cut(elems, "*")
		if !ok {
			length, typ, _ = strings.Cut(elems, ".")
		}
		s.Type = typ
		s.Len = count(length)
	case '#':
		allow(Imm)
		typ, list, limited := strings.Cut(inside(")"), "(")
		s.Type = typ
		if limited {
			s.Imm = parseRanges(list)
		}
	case '%':
		allow(Register)
		s.Type = word[1:]
	case '!':
		allow(Register)
		s.Type, s.Not = word[1:], true
	case '_':
		allow(Sink)
		if s.Type = word[1:]; s.Type != "" {
			allow(Register)
		}
	default:
		name, list, called := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		switch name {
		case "label":
			allow(Target)
			return s
		case "special", "symbol":
			allow(map[string]OperandKind{"special": Special, "symbol": Symbol}[name])
			s.Type = list
		default:
			allow(Register)
			if s.Type = name; !dst && name != "pred" && hasImmediates(name) {
				allow(Imm)
			}
			if called {
				s.Imm = parseRanges(list)
			}
		}
	}
	if s.Type != "" && typeBits[s.Type] == 0 {
		panic(fmt.Sprintf("BUG: forms.txt: %q is not a type, in %q", s.Type, word))
	}
	return s
}

// count reads "32", "32/4" or "32*4".
func count(s string) int {
	if a, b, ok := strings.Cut(s, "/"); ok {
		return int(number(a) / number(b))
	}
	n := int64(1)
	for factor := range strings.SplitSeq(s, "*") {
		n *= number(factor)
	}
	return int(n)
}

// parseRanges reads "4,8,16", "0..7" and "24..256/8".
func parseRanges(list string) []Range {
	var ranges []Range
	for word := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(word, "..")
		if !isRange {
			high = low
		}
		high, step, stepped := strings.Cut(high, "/")
		if !stepped {
			step = "1"
		}
		ranges = append(ranges, Range{number(low), number(high), number(step)})
	}
	return ranges
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("BUG: forms.txt: %q is not a number", s))
	}
	return n
}
