package threadtest_test

import (
	"fmt"
	"strings"
)

// text is the kernel.
func (p *matrices) text() string {
	var b strings.Builder
	sums := p.shape(p.m, p.n)
	t := tileText(p.sum, sums)
	more := p.tables()
	if p.scales != "" {
		more += fmt.Sprintf(", %%sa: tile<ptr<%s>>, %%sb: tile<ptr<%[1]s>>", p.scales)
	}
	fmt.Fprintf(&b, "entry @product(%%a: tile<ptr<%s>>, %%b: tile<ptr<%s>>, %%c: tile<ptr<%s>>%s, %%count: tile<i32>) {\n", p.loaded[0], p.loaded[1], p.sum, more)
	turns := "  %turns = reshape %count : tile<i32> -> tile<i32>\n"
	if p.pointers[0].is || p.pointers[1].is { // so that places are known not to wrap around
		turns = "  %turns = assume bounded<0, 8>, %count : tile<i32>\n"
	}
	b.WriteString(turns + "  %start = make_token : token\n  %zero = constant <i32: 0> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>\n")
	tileA, allA := p.side(0)
	tileB, allB := p.side(1)
	viewA, viewB := view(&b, "a", p.loaded[0], tileA, allA, p.gap[0]), view(&b, "b", p.loaded[1], tileB, allB, p.gap[1])
	viewC := view(&b, "c", p.sum, sums, sums, 0)
	var scales []string
	for i := range 2 {
		if p.scales != "" {
			tile, all := p.scalesSide(i)
			scales = append(scales, view(&b, []string{"sa", "sb"}[i], p.scales, tile, all, 0))
		}
	}
	at := strings.Join([]string{"%zero", "%zero", "%zero"}[:len(sums)], ", ")
	number := map[bool]string{true: "5", false: "5.0"}[p.sum == "i32"]
	nothing := map[bool]string{true: "0", false: "0.0"}[p.sum == "i32"]
	fmt.Fprintf(&b, "  %%zeros = constant <%s: %s> : %s\n", p.sum, nothing, t)
	first := "%zeros"
	switch p.begin {
	case "five":
		fmt.Fprintf(&b, "  %%begin = constant <%s: %s> : %s\n", p.sum, number, t)
		first = "%begin"
	case "memory":
		fmt.Fprintf(&b, "  %%begin, %%read = load_view_tko weak %%c_view[%s] token = %%start : %s, tile<i32> -> %s, token\n", at, viewC, t)
		first = "%begin"
	}
	p.loops(&b, first, t, func(sum, first, from string) { p.loop(&b, sum, first, from, t, viewA, viewB, scales) })
	fmt.Fprintf(&b, "  %%end = store_view_tko weak %%sum, %%c_view[%s] token = %%start : %s, %s, tile<i32> -> token\n  return\n}\n", at, t, viewC)
	return b.String()
}

// starts are the first turns of the loops, one after the other.
func (p *matrices) starts() []int {
	switch p.around {
	case "for", "loop":
		return []int{0, 1, 2}
	case "if":
		return []int{0}[:min(1, p.turns/2)]
	case "two":
		return []int{0, 0}
	}
	return []int{0}
}

// loops writes what lies around the loop: %sum is the result.
func (p *matrices) loops(b *strings.Builder, first, t string, loop func(sum, first, from string)) {
	const next = "    %up = addi %from, %one : tile<i32>\n    continue %more, %up : "
	switch p.around {
	case "":
		loop("%sum", first, "%zero")
	case "two":
		loop("%half", first, "%zero")
		loop("%sum", "%half", "%zero")
	case "if":
		fmt.Fprintf(b, "  %%many = cmpi greater_than %%turns, %%one, signed : tile<i32> -> tile<i1>\n  %%sum = if %%many -> (%s) {\n", t)
		loop("%more", first, "%zero")
		fmt.Fprintf(b, "  yield %%more : %s\n  } else {\n  yield %s : %[1]s\n  }\n", t, first)
	case "for":
		fmt.Fprintf(b, "  %%three = constant <i32: 3> : tile<i32>\n  %%sum, %%last = for %%o in (%%zero to %%three, step %%one) : tile<i32> iter_values(%%so = %s, %%from = %%zero) -> (%s, tile<i32>) {\n", first, t)
		loop("%more", "%so", "%from")
		fmt.Fprintf(b, "%s%s, tile<i32>\n  }\n", next, t)
	case "loop":
		fmt.Fprintf(b, "  %%three = constant <i32: 3> : tile<i32>\n  %%sum, %%last = loop iter_values(%%so = %s, %%from = %%zero) : %s, tile<i32> -> %[2]s, tile<i32> {\n", first, t)
		fmt.Fprintf(b, "    %%done = cmpi greater_than_or_equal %%from, %%three, signed : tile<i32> -> tile<i1>\n    if %%done {\n      break %%so, %%from : %s, tile<i32>\n    }\n", t)
		loop("%more", "%so", "%from")
		fmt.Fprintf(b, "%s%s, tile<i32>\n  }\n", next, t)
	}
}

// loop writes the loop from a turn on.
func (p *matrices) loop(b *strings.Builder, sum, first, from, t, viewA, viewB string, scales []string) {
	if p.still {
		p.load(b, 0, viewA)
	}
	if p.fixed {
		p.load(b, 1, viewB)
	}
	fmt.Fprintf(b, "  %s = for %%i in (%s to %%turns, step %%one) : tile<i32> iter_values(%%acc = %s) -> (%s) {\n", sum, from, first, t)
	if !p.still {
		p.load(b, 0, viewA)
	}
	if !p.fixed {
		p.load(b, 1, viewB)
	}
	p.loadScales(b, scales)
	add := map[bool]string{true: "addi", false: "addf"}[p.sum == "i32"]
	op := map[bool]string{true: "mmai", false: "mmaf"}[p.sum == "i32"]
	types := fmt.Sprintf("%s, %s, %s", tileText(p.left, p.shape(p.m, p.k)), tileText(p.right, p.shape(p.k, p.n)), t)
	multiply := func(to, acc string) string {
		if p.scales != "" {
			left, _ := p.scalesSide(0)
			right, _ := p.scalesSide(1)
			return fmt.Sprintf("    %s = mmaf_scaled %%a3, %%b3, %s, %%sa0, %%sb0 : %s, %s, %s\n", to, acc, types, tileText(p.scales, left), tileText(p.scales, right))
		}
		return fmt.Sprintf("    %s = %s %%a3, %%b3, %s%s : %s\n", to, op, acc, p.flags, types)
	}
	switch p.how {
	case "plain":
		b.WriteString(multiply("%next", "%acc"))
	case "double":
		fmt.Fprintf(b, "    %%twice = %s %%acc, %%acc : %s\n%s", add, t, multiply("%next", "%twice"))
	case "skip":
		fmt.Fprintf(b, "    %%other = cmpi not_equal %%i, %%one, signed : tile<i32> -> tile<i1>\n    %%next = if %%other -> (%s) {\n  %s      yield %%p : %s\n    } else {\n      yield %%acc : %[1]s\n    }\n",
			t, multiply("%p", "%acc"), t)
	case "twice":
		fmt.Fprintf(b, "%s%s    %%next = %s %%p, %%q : %s\n", multiply("%p", "%zeros"), multiply("%q", "%acc"), add, t)
	}
	fmt.Fprintf(b, "    continue %%next : %s\n  }\n", t)
}
