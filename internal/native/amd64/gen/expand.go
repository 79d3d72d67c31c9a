package main

import (
	"fmt"
	"strings"
)

// A line is one line of forms.txt without alternatives.
type line struct {
	name, operands, encoding, features, flags string
}

// parse reads the lines and gives every operation with its forms, in the order of the first line of each.
func parse(text string) ([]*op, error) {
	var ops []*op
	byName := map[string]*op{}
	for i, s := range strings.Split(text, "\n") {
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		for _, s := range alternatives(s) {
			l, err := columns(s)
			if err != nil {
				return nil, fmt.Errorf("forms.txt:%d: %w", i+1, err)
			}
			forms, err := l.forms()
			if err != nil {
				return nil, fmt.Errorf("forms.txt:%d: %s: %w", i+1, l.name, err)
			}
			o := byName[l.name]
			if o == nil {
				o = &op{name: l.name}
				byName[l.name] = o
				ops = append(ops, o)
			}
			o.forms = append(o.forms, forms...)
		}
	}
	for _, o := range ops {
		o.markSized()
	}
	return ops, nil
}

func columns(s string) (line, error) {
	c := strings.Split(s, "|")
	for len(c) < 5 {
		c = append(c, "")
	}
	if len(c) > 5 {
		return line{}, fmt.Errorf("%d columns", len(c))
	}
	for i := range c {
		c[i] = strings.TrimSpace(c[i])
	}
	return line{c[0], c[1], c[2], c[3], c[4]}, nil
}

// alternatives expands [a,b] and <a,b>: the groups of one kind choose together.
func alternatives(s string) []string {
	out := []string{s}
	for _, brackets := range []string{"[]", "<>"} {
		var next []string
		for _, s := range out {
			next = append(next, choose(s, brackets)...)
		}
		out = next
	}
	return out
}

func choose(s, brackets string) []string {
	n := 1
	if _, group, _, ok := group(s, brackets); ok {
		n = len(group)
	}
	out := make([]string, n)
	for i := range out {
		rest := s
		for {
			before, choices, after, ok := group(rest, brackets)
			if !ok {
				break
			}
			out[i] += before + choices[i]
			rest = after
		}
		out[i] += rest
	}
	return out
}

// group finds the first group of alternatives.
func group(s, brackets string) (before string, choices []string, after string, ok bool) {
	before, rest, ok := strings.Cut(s, brackets[:1])
	if !ok {
		return s, nil, "", false
	}
	inside, after, ok := strings.Cut(rest, brackets[1:])
	return before, strings.Split(inside, ","), after, ok
}
