package dialecttest

import (
	"fmt"
	"regexp"
	"strings"
)

// What LLVM's FileCheck does, as far as the suite needs it: comments of a file say what the printed module must have, in
// order. {{...}} is a regular expression, [[name:...]] one whose match has a name, and [[name]] that match again.

// directive is one comment of FileCheck.
type directive struct {
	kind string // "", NEXT, SAME, NOT, DAG, LABEL
	text string
	line int
}

var (
	directiveText = regexp.MustCompile(`^\s*//\s*CHECK(?:-(NEXT|SAME|NOT|DAG|LABEL))?:\s*(.*?)\s*$`)
	markers       = regexp.MustCompile(`\{\{(.*?)\}\}|\[\[#?([\w]+)(?::(.*?))?\]\]`)
	blanks        = regexp.MustCompile(`[ \t]+`)
)

func directives(p *part) []directive {
	var out []directive
	for i, line := range strings.Split(p.text, "\n") {
		if m := directiveText.FindStringSubmatch(line); m != nil {
			out = append(out, directive{m[1], m[2], p.line + i})
		}
	}
	return out
}

// fileCheck holds a text against the directives.
type fileCheck struct {
	text string
	pos  int
	vars map[string]string
	nots []directive // that wait for where the next match is
}

// check says what the text lacks, "" for nothing.
func check(text string, ds []directive) string {
	c := &fileCheck{text: blanks.ReplaceAllString(text, " "), vars: map[string]string{}}
	for _, d := range ds {
		if what := c.directive(d); what != "" {
			return fmt.Sprintf("line %d: %s: %s", d.line, d.text, what)
		}
	}
	return c.absent(len(c.text))
}

func (c *fileCheck) directive(d directive) string {
	re, names, err := c.pattern(d.text)
	if err != nil {
		return err.Error()
	}
	if d.kind == "NOT" {
		c.nots = append(c.nots, d)
		return ""
	}
	from, to := c.pos, len(c.text)
	switch d.kind {
	case "NEXT":
		from = c.lineEnd(c.pos) + 1
		to = c.lineEnd(from)
	case "SAME":
		to = c.lineEnd(c.pos)
	case "DAG":
		from = 0
	}
	from = min(from, len(c.text))
	at := re.FindStringSubmatchIndex(c.text[from:max(from, to)])
	if at == nil {
		return fmt.Sprintf("not found after %q", c.text[max(0, c.pos-80):c.pos])
	}
	for i, name := range names {
		c.vars[name] = c.text[from+at[2*i+2] : from+at[2*i+3]]
	}
	if what := c.absent(from + at[0]); what != "" {
		return what
	}
	if d.kind != "DAG" {
		c.pos = from + at[1]
	}
	return ""
}

// absent holds the text up to a place against the directives of what must not be there.
func (c *fileCheck) absent(to int) string {
	for _, d := range c.nots {
		if re, _, err := c.pattern(d.text); err != nil || to > c.pos && re.MatchString(c.text[c.pos:to]) {
			return fmt.Sprintf("line %d: %s: found", d.line, d.text)
		}
	}
	c.nots = nil
	return ""
}

func (c *fileCheck) lineEnd(at int) int {
	if i := strings.IndexByte(c.text[min(at, len(c.text)):], '\n'); i >= 0 {
		return at + i
	}
	return len(c.text)
}

// pattern makes a regular expression of a directive's text; names are those of its groups.
func (c *fileCheck) pattern(text string) (re *regexp.Regexp, names []string, err error) {
	text = blanks.ReplaceAllString(text, " ")
	var b strings.Builder
	at := 0
	for _, m := range markers.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]))
		at = m[1]
		switch {
		case m[2] >= 0:
			b.WriteString("(?:" + text[m[2]:m[3]] + ")")
		case m[6] >= 0:
			names = append(names, text[m[4]:m[5]])
			b.WriteString("(" + text[m[6]:m[7]] + ")")
		default:
			b.WriteString(regexp.QuoteMeta(c.vars[text[m[4]:m[5]]]))
		}
	}
	b.WriteString(regexp.QuoteMeta(text[at:]))
	re, err = regexp.Compile(b.String())
	return re, names, err
}
