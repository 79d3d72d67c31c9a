package pattern

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/models/tokenizer/internal/chars"
)

// class parses [ ], with ranges, classes in classes and intersections by &&.
func (p *parser) class() []chars.Range {
	at := p.at
	p.at++
	if p.depth++; p.depth > maxDepth {
		p.fail(at, "classes are nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	not := p.accept("^")
	if p.peek("]") {
		p.fail(at, "a class that is empty or starts with ] is not supported")
	}
	var result, set []chars.Range
	met := false
	for !p.accept("]") {
		if p.accept("&&") {
			result, set, met = meet(result, set, met), nil, true
			continue
		}
		set = append(set, p.member()...)
	}
	result = p.foldCase(chars.Union(meet(result, set, met)))
	if not {
		return chars.Not(result)
	}
	return result
}

// meet gives what is in both sets, or the second where there is no first.
func meet(a, b []chars.Range, both bool) []chars.Range {
	if !both {
		return b
	}
	return chars.Not(append(chars.Not(a), chars.Not(b)...))
}

// member parses one member of a class: a range, a character, a kind of characters or a class.
func (p *parser) member() []chars.Range {
	at := p.at
	switch {
	case p.peek("[:"):
		if set := p.posix(); set != nil {
			return set
		}
		return p.class()
	case p.peek("["):
		return p.class()
	}
	first := p.single()
	if len(first) != 1 || first[0].Lo != first[0].Hi || !p.peek("-") || p.peek("-]") {
		return first
	}
	p.at++
	if p.peek("[") || p.peek("&&") {
		p.fail(at, "a range without an end")
	}
	last := p.single()
	if len(last) != 1 || last[0].Lo != last[0].Hi || last[0].Lo < first[0].Lo {
		p.fail(at, "a range must go from a character to a later one")
	}
	return []chars.Range{{Lo: first[0].Lo, Hi: last[0].Lo}}
}

func (p *parser) single() []chars.Range {
	if p.peek(`\`) {
		return p.escape(true)
	}
	return one(p.next())
}

// posix parses [:name:] and [:^name:], or gives nil.
func (p *parser) posix() []chars.Range {
	rest := p.expr[p.at+2:]
	end := strings.Index(rest, ":]")
	if end < 0 || end > 20 {
		return nil
	}
	name, not := strings.CutPrefix(rest[:end], "^")
	set := chars.Ranges("posix/" + name)
	if name == "xdigit" {
		set = []chars.Range{{Lo: '0', Hi: '9'}, {Lo: 'A', Hi: 'F'}, {Lo: 'a', Hi: 'f'}}
	}
	if set == nil {
		return nil
	}
	p.at += 2 + end + 2
	if not {
		return chars.Not(set)
	}
	return set
}

// categories are Unicode's general categories, by the letters of groups.
var categories = map[string]string{
	"L": "Lu Ll Lt Lm Lo", "LC": "Lu Ll Lt", "M": "Mn Mc Me", "N": "Nd Nl No", "P": "Pc Pd Ps Pe Pi Pf Po",
	"S": "Sm Sc Sk So", "Z": "Zs Zl Zp",
	"Letter": "Lu Ll Lt Lm Lo", "Mark": "Mn Mc Me", "Number": "Nd Nl No", "Punctuation": "Pc Pd Ps Pe Pi Pf Po",
	"Symbol": "Sm Sc Sk So", "Separator": "Zs Zl Zp",
}

// property gives the characters of a category, a script or a class of POSIX, or nil.
func property(name string) []chars.Range {
	var out []chars.Range
	if list, ok := categories[name]; ok {
		for _, c := range strings.Fields(list) {
			out = append(out, chars.Ranges("category/"+c)...)
		}
		return chars.Union(out)
	}
	for _, kind := range []string{"category/", "script/", "posix/"} {
		for _, n := range []string{name, strings.ToLower(name)} {
			if r := chars.Ranges(kind + n); r != nil {
				return r
			}
		}
	}
	if name == "Any" {
		return chars.Not(nil)
	}
	return out
}

// property parses {Name} or {^Name} after \p or \P.
func (p *parser) property(at int, not bool) []chars.Range {
	end := strings.IndexByte(p.expr[p.at:], '}')
	if !p.accept("{") || end < 0 {
		p.fail(at, `\p needs a name, as in \p{L}`)
	}
	name := p.expr[p.at : p.at+end-1]
	p.at += end
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		name, not = rest, !not
	}
	set := property(name)
	if set == nil {
		p.fail(at, `\p{%s} is not supported: no category, script or class of POSIX has this name`, name)
	}
	if not {
		return chars.Not(slices.Clone(set))
	}
	return set
}
