package opdef

import (
	"regexp"
	"slices"
	"strings"
)

// text writes the text form of an operation, and what it calls results and block arguments.
func (g *generator) text(o *op) {
	g.checkFormat(o)
	if o.Format != "" {
		g.p("Format: %q,\n", o.Format)
	}
	if o.ResultName != "" {
		g.p("ResultName: %q,\n", o.ResultName)
	}
	if o.ArgNames != "" {
		g.p("ArgNames: %q,\n", o.ArgNames)
	}
}

// mark is a part of a format that is no plain text; package text describes them.
var mark = regexp.MustCompile(`([$#@~?])(\w*)(?::(\w+)~)?`)

// checkFormat finds operations of bodies without a format, and what a format names that the operation does not have.
// The names after an exclamation mark belong to the printer.
func (g *generator) checkFormat(o *op) {
	switch {
	case o.inBody() != (o.Format != ""):
		g.fail("%s: an operation has a format if and only if it stands in bodies", o.Mnemonic)
	case strings.Count(o.Format, "{") != strings.Count(o.Format, "?") || strings.Count(o.Format, "}") != strings.Count(o.Format, "?"):
		g.fail("%s: the format needs braces after each question mark, and nowhere else", o.Mnemonic)
	}
	for _, m := range mark.FindAllStringSubmatch(o.Format, -1) {
		kind, name, value := m[1], m[2], m[3]
		if !o.names(kind, name) {
			g.fail("%s: the format names %s, which the operation does not have", o.Mnemonic, kind+name)
		} else if kind == "~" {
			g.enumText(o.attr(name).Enum, value)
		}
	}
}

// names reports whether an operation has what a mark of a format can name.
func (o *op) names(kind, name string) bool {
	named := func(it item) bool { return it.Name == name }
	operand, result := slices.ContainsFunc(o.Operands, named), slices.ContainsFunc(o.Results, named)
	switch kind {
	case "$":
		return operand
	case "#":
		return operand || result
	case "?":
		return operand || result || o.attr(name) != nil
	}
	return o.attr(name) != nil
}

// attr is the named attribute, nil where there is none.
func (o *op) attr(name string) *attr {
	for i := range o.Attributes {
		if o.Attributes[i].Name == name {
			return &o.Attributes[i]
		}
	}
	return nil
}

func (g *generator) enumText(enum, text string) {
	for _, v := range g.spec.Enums[enum].Values {
		if v.Text == text {
			return
		}
	}
	g.fail("enum %s has no text %q", enum, text)
}
