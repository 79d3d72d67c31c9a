package gogen_test

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// textOf is the line of a program's file that says how it is called.
func textOf(p *gogen.Program) string {
	var sets []string
	for _, tuple := range p.Tuples {
		sets = append(sets, strings.ReplaceAll(names(len(tuple), func(i int) string { return fmt.Sprintf("%#x", tuple[i]) }), ", ", ","))
	}
	return fmt.Sprintf("%sseed=%d params=%s results=%s tuples=%s\n", header, p.Seed, strings.Join(p.Params, ","), strings.Join(p.Results, ","), strings.Join(sets, ";"))
}

// parse reads what file writes.
func parse(text string) (*gogen.Program, error) {
	_, rest, ok := strings.Cut("\n"+text, "\n"+header)
	line, source, ok2 := strings.Cut(rest, "\n")
	p := &gogen.Program{Source: source}
	var params, results, sets string
	if _, err := fmt.Sscanf(line, "seed=%d params=%s results=%s tuples=%s", &p.Seed, &params, &results, &sets); err != nil || !ok || !ok2 {
		return nil, fmt.Errorf("no line %s…: %v", header, err)
	}
	p.Params, p.Results = strings.Split(params, ","), strings.Split(results, ",")
	for set := range strings.SplitSeq(sets, ";") {
		var tuple []uint64
		for word := range strings.SplitSeq(set, ",") {
			var bits uint64
			if _, err := fmt.Sscanf(word, "%v", &bits); err != nil {
				return nil, err
			}
			tuple = append(tuple, bits)
		}
		p.Tuples = append(p.Tuples, tuple)
	}
	return p, nil
}
