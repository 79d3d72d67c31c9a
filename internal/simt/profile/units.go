package profile

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed units.txt
var unitsText string

// class is a line of the table of units.
type class struct {
	unit   string
	work   []work
	issued float64 // instructions in all
	words  [][]string
}

// work is instructions of a rate: "" for some that are only issued.
type work struct {
	rate string
	n    float64
}

// classes has the lines by the first word of the opcode, in order.
var classes = sync.OnceValue(func() map[string][]*class {
	all := map[string][]*class{}
	eachLine(unitsText, func(fields []string) error {
		if len(fields) < 3 {
			return fmt.Errorf("a unit, work and opcodes are wanted")
		}
		works, issued, err := parseWork(fields[1])
		if err != nil {
			return err
		}
		for _, pattern := range fields[2:] {
			c := &class{unit: fields[0], work: works, issued: issued}
			words := strings.Split(pattern, ".")
			for _, w := range words[1:] {
				c.words = append(c.words, strings.Split(w, "|"))
			}
			for head := range strings.SplitSeq(words[0], "|") {
				all[head] = append(all[head], c)
			}
		}
		return nil
	})
	return all
})

// eachLine goes through the lines of a table, without comments.
func eachLine(text string, do func(fields []string) error) {
	for n, line := range strings.Split(text, "\n") {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(line, "#") {
			if err := do(fields); err != nil {
				panic(fmt.Sprintf("BUG: line %d of a table of package profile: %v", n+1, err))
			}
		}
	}
}

// parseWork reads work such as special+2f32.
func parseWork(text string) (list []work, issued float64, err error) {
	for part := range strings.SplitSeq(text, "+") {
		digits := part[:len(part)-len(strings.TrimLeft(part, "0123456789"))]
		w := work{part[len(digits):], 1}
		if digits != "" {
			if w.n, err = strconv.ParseFloat(digits, 64); err != nil {
				return nil, 0, err
			}
		}
		if w.rate != "" && rates()[w.rate] == nil {
			return nil, 0, fmt.Errorf("there is no rate %s", w.rate)
		}
		issued += w.n
		list = append(list, w)
	}
	return list, issued, nil
}

// classOf finds the line of an opcode: nil if the table lacks it.
func classOf(op string) *class {
	words := strings.Split(op, ".")
	for _, c := range classes()[words[0]] {
		if c.fits(words[1:]) {
			return c
		}
	}
	return nil
}

func (c *class) fits(words []string) bool {
	for _, alternatives := range c.words {
		without, not := strings.CutPrefix(alternatives[0], "!")
		if not == slices.Contains(words, without) && not {
			return false
		}
		if !not && !slices.ContainsFunc(alternatives, func(a string) bool { return slices.Contains(words, a) }) {
			return false
		}
	}
	return true
}
