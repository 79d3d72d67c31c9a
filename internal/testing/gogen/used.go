package gogen

import (
	"strings"
)

// unused mentions the variables of a scope that nothing reads, as Go wants.
func (g *generator) unused(from int) {
	text := g.b.String()
	for _, v := range g.scope[from:] {
		if !strings.ContainsAny(v.name, ".[") && !reads(text, v.name) {
			g.line("_ = %s", v.name)
		}
	}
}

// reads reports whether a name stands elsewhere than where it is declared or set.
func reads(text, name string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, set := range []string{"var ", "for ", ""} {
			if rest, ok := strings.CutPrefix(line, set+name+" "); ok {
				line = rest
			}
		}
		if line == name+"++" || line == name+"--" {
			continue
		}
		left, right, declares := strings.Cut(line, " := ")
		if declares && !strings.HasPrefix(line, "for ") && !strings.HasPrefix(line, "switch ") && !strings.ContainsAny(left, "({") {
			line = right
		} else if declares && strings.HasPrefix(line, "for ") && strings.Contains(line, " := range ") {
			line = right
		}
		if left, right, ok := strings.Cut(line, " = "); ok && !strings.ContainsAny(left, "[(.{") {
			line = right
		}
		for at := 0; ; {
			i := strings.Index(line[at:], name)
			if i < 0 {
				break
			}
			at += i + len(name)
			if !word(line, at-len(name)-1) && !word(line, at) {
				return true
			}
		}
	}
	return false
}

// word reports whether the byte at i belongs to a name.
func word(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z')
}

func (g *generator) markUsed(name string) {
	for _, v := range g.scope {
		if v.name == name {
			v.used = true
		}
	}
}
