package threadtest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// matrices is a random kernel that multiplies matrices in a loop: numbers are whole and small, so that sums are exact.
type matrices struct {
	batches, m, n, k int
	turns            int
	left, right, sum string // element types
	turned           [2]bool
	gap              [2]int // elements between lines of the factors in memory
	loaded           [2]string
	begin            string // what the sums begin with: "zero", "five" or "memory"
	how              string // of the loop: "plain", "double", "skip" or "twice"
	around           string // the loop: nothing, or "for", "loop", "if" or "two"
	still            bool   // the first factor is loaded in front of the loop
	fixed            bool   // the second one is
	direct           bool   // loads feed the product without a reshape
	through          bool   // a tile, which all threads have together, gives the index of the first factor
	chosen           bool   // turn 1 takes the first factor of turn 0, by an if
	flags            string // of the product
	pointers         [2]gather
}

// gather says how a factor is loaded by pointers: if at all, with a mask that leaves out what lies beyond an extent of its tile, and by offsets of
// so many bits.
type gather struct {
	is    bool
	mask  string // "", "rows" or "columns"
	less  int    // how many of these the tile has
	bits  int
	token bool    // whether something else waits for its token
	table []int32 // of the rows in memory that rows are, which the loop loads; nil if they are themselves
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// beginnings and loops are those of products.
var (
	beginnings = []string{"zero", "five", "memory"}
	loops      = []string{"plain", "double", "skip", "twice"}
)

// smallProducts are products with each beginning in each kind of loop, as small as instructions are that read shared memory, one whose right
// factor these do not read as it lies in memory, one of the same two factors in each turn, and one of many more turns than stages.
func smallProducts() (list []*matrices) {
	for _, begin := range beginnings {
		for _, how := range loops {
			turns := 2
			if how == "skip" { // in the second one nobody reads a tile that is fetched
				turns = 4
			}
			list = append(list, &matrices{m: 64, n: 16, k: 32, turns: turns, left: "f16", right: "f16", loaded: [2]string{"f16", "f16"}, sum: "f32", begin: begin, how: how})
		}
	}
	return append(list,
		&matrices{m: 64, n: 32, k: 64, turns: 4, left: "i8", right: "i8", loaded: [2]string{"i8", "i8"}, sum: "i32", begin: "zero", how: "plain",
			direct: true, flags: " signed signed"},
		&matrices{m: 64, n: 64, k: 32, turns: 4, left: "f16", right: "f16", loaded: [2]string{"f16", "f16"}, sum: "f32", begin: "zero", how: "plain",
			still: true, fixed: true},
		&matrices{m: 64, n: 16, k: 32, turns: 11, left: "f16", right: "f16", loaded: [2]string{"f16", "f16"}, sum: "f32", begin: "zero", how: "plain", around: "two"})
}

// newProduct makes the product with a number.
func newProduct(seed uint64) *matrices {
	r := rand.New(rand.NewPCG(seed, 23))
	p := &matrices{batches: pick(r, 0, 0, 0, 2), m: pick(r, 64, 64, 128, 256, 32), n: 8 << r.IntN(5), turns: r.IntN(5), sum: "f32",
		turned: [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}, begin: pick(r, append(beginnings, "zero")...), how: pick(r, append(loops, "plain")...)}
	p.around = []string{"", "for", "loop", "if", "two"}[seed%5]
	p.through = seed%6 == 5
	p.direct = seed%2 == 1
	p.still = seed%7 >= 5 && !p.through && p.around != "two"
	p.chosen = seed%4 == 0 && !p.through && !p.still
	kind := pick(r, "f16", "f16", "bf16", "tf32", "i8", "f8", "f32", "f64")
	p.left, p.right = kind, kind
	p.k = 16 << r.IntN(3)
	switch kind {
	case "i8":
		p.k, p.sum, p.flags = 2*p.k, "i32", " "+pick(r, "signed", "unsigned")+" "+pick(r, "signed", "unsigned")
	case "f8":
		p.k, p.left, p.flags = 2*p.k, pick(r, "f8E4M3FN", "f8E5M2"), pick(r, " fast_acc", "")
		p.right = p.left
	case "f64":
		p.sum = "f64"
	case "f16":
		p.sum = pick(r, "f32", "f32", "f16")
	}
	if p.sum == "f16" { // which is rounded where a loop ends
		p.around = ""
	}
	for i, e := range []string{p.left, p.right} {
		p.loaded[i] = e
		if e == "tf32" {
			p.loaded[i] = "f32"
		}
		p.gap[i] = pick(r, 0, 0, 1, 16)
	}
	for p.m*p.n*max(1, p.batches) > 128*128 {
		p.n /= 2
	}
	if seed%3 == 2 && (p.turns > 0 || !p.still) { // else there is no tile at all
		for i := range p.pointers {
			p.pointers[i] = p.gather(r, i)
			p.gap[i] = pick(r, 0, 0, 0, 16, 16, 1)
		}
	}
	return p
}

// gather chooses how a factor is loaded.
func (p *matrices) gather(r *rand.Rand, i int) gather {
	g := gather{is: r.IntN(5) < 3, mask: pick(r, "", "rows", "columns"), bits: pick(r, 32, 64, 64), token: r.IntN(2) == 0}
	tile, _ := p.side(i)
	extent := map[string]int{"rows": tile[len(tile)-2], "columns": tile[len(tile)-1]}[g.mask]
	g.less = pick(r, extent-8, extent/2, extent/4*3, extent-1, extent)
	if r.IntN(3) == 0 {
		_, all := p.side(i)
		g.bits = 64 // or places could wrap around, as far as anybody knows
		for range all[len(all)-2] {
			g.table = append(g.table, r.Int32N(int32(all[len(all)-2])))
		}
	}
	return g
}

// shape is that of a tile, with the batches in front if there are some.
func (p *matrices) shape(extents ...int) []int {
	if p.batches > 0 {
		return append([]int{p.batches}, extents...)
	}
	return extents
}

func tileText(e string, shape []int) string {
	text := ""
	for _, d := range shape {
		text += fmt.Sprint(d, "x")
	}
	return "tile<" + text + e + ">"
}

// side gives the extents of a factor's tile and of its matrix in memory, as it is stored.
func (p *matrices) side(i int) (tile, all []int) {
	rows, columns := p.m, p.k
	if i == 1 {
		rows, columns = p.k, p.n
	}
	allRows, allColumns := rows, columns*p.turns
	if i == 1 {
		allRows, allColumns = rows*p.turns, columns
	}
	if p.turned[i] {
		rows, columns, allRows, allColumns = columns, rows, allColumns, allRows
	}
	return p.shape(rows, columns), p.shape(max(1, allRows), max(1, allColumns))
}

// strides are those of a matrix in memory.
func strides(shape []int, gap int) []int {
	s := make([]int, len(shape))
	next := 1
	for i := len(shape) - 1; i >= 0; i-- {
		s[i] = next
		next *= shape[i]
		if i == len(shape)-1 {
			next += gap
		}
	}
	return s
}

func list[T any](xs []T, between string) string {
	var text []string
	for _, x := range xs {
		text = append(text, fmt.Sprint(x))
	}
	return strings.Join(text, between)
}

// view declares the view of a matrix as %name_view and gives its type.
func view(b *strings.Builder, name, e string, tile, all []int, gap int) string {
	s := strides(all, gap)
	tensor := fmt.Sprintf("tensor_view<%sx%s, strides=[%s]>", list(all, "x"), e, list(s, ","))
	part := fmt.Sprintf("partition_view<tile=(%s), padding_value = zero, %s>", list(tile, "x"), tensor)
	fmt.Fprintf(b, "  %%%s_at = assume div_by<16>, %%%s : tile<ptr<%s>>\n", name, name, e)
	fmt.Fprintf(b, "  %%%s_all = make_tensor_view %%%[1]s_at, shape = [%s], strides = [%s] : %s\n", name, list(all, ", "), list(s, ", "), tensor)
	fmt.Fprintf(b, "  %%%s_view = make_partition_view %%%[1]s_all : %s\n", name, part)
	return part
}

// load writes the load of a factor's tile for turn %i, as %name.
func (p *matrices) load(b *strings.Builder, i int, view string) {
	name, tile := []string{"a", "b"}[i], []int{}
	tile, _ = p.side(i)
	turn := "%i"
	if i == 0 && p.still || i == 1 && p.fixed {
		turn = "%zero"
	}
	if i == 0 && p.through {
		b.WriteString("    %all = iota : tile<8xi32>\n    %part = extract %all[%i] : tile<8xi32> -> tile<1xi32>\n    %j = reshape %part : tile<1xi32> -> tile<i32>\n")
		turn = "%j"
	}
	if i == 0 && p.chosen {
		b.WriteString("    %second = cmpi equal %i, %one, signed : tile<i32> -> tile<i1>\n    %j = if %second -> (tile<i32>) {\n      %less = subi %i, %one : tile<i32>\n" +
			"      yield %less : tile<i32>\n    } else {\n      yield %i : tile<i32>\n    }\n")
		turn = "%j"
	}
	index := []string{"%zero", turn}
	if (i == 0) == p.turned[i] {
		index = []string{turn, "%zero"}
	}
	if p.batches > 0 {
		index = append([]string{"%zero"}, index...)
	}
	at := tileText(p.loaded[i], tile)
	first := "0"
	direct := p.direct && !p.turned[i] && p.loaded[i] == []string{p.left, p.right}[i]
	if direct {
		first = "3"
	}
	if p.pointers[i].is {
		p.gatherText(b, i, name, first, index, tile)
	} else {
		fmt.Fprintf(b, "    %%%s%s, %%%[1]st = load_view_tko weak %%%[1]s_view[%[3]s] token = %%start : %s, tile<i32> -> %s, token\n", name, first, strings.Join(index, ", "), view, at)
	}
	if direct {
		return
	}
	last := name + "0"
	if p.turned[i] {
		order := []int{1, 0}
		if p.batches > 0 {
			order = []int{0, 2, 1}
		}
		n := len(tile)
		tile = append([]int(nil), tile...)
		tile[n-1], tile[n-2] = tile[n-2], tile[n-1]
		fmt.Fprintf(b, "    %%%s1 = permute %%%s [%s] : %s -> %s\n", name, last, list(order, ", "), at, tileText(p.loaded[i], tile))
		last = name + "1"
	}
	if e := []string{p.left, p.right}[i]; e != p.loaded[i] {
		fmt.Fprintf(b, "    %%%s2 = ftof %%%s : %s -> %s\n", name, last, tileText(p.loaded[i], tile), tileText(e, tile))
		last = name + "2"
	}
	fmt.Fprintf(b, "    %%%s3 = reshape %%%s : %s -> %[3]s\n", name, last, tileText([]string{p.left, p.right}[i], tile))
}

// text is the kernel.
func (p *matrices) text() string {
	var b strings.Builder
	sums := p.shape(p.m, p.n)
	t := tileText(p.sum, sums)
	fmt.Fprintf(&b, "entry @product(%%a: tile<ptr<%s>>, %%b: tile<ptr<%s>>, %%c: tile<ptr<%s>>%s, %%count: tile<i32>) {\n", p.loaded[0], p.loaded[1], p.sum, p.tables(", %%%s_table: tile<ptr<i32>>"))
	turns := "  %turns = reshape %count : tile<i32> -> tile<i32>\n"
	if p.pointers[0].is || p.pointers[1].is { // so that places are known not to wrap around
		turns = "  %turns = assume bounded<0, 8>, %count : tile<i32>\n"
	}
	b.WriteString(turns + "  %start = make_token : token\n  %zero = constant <i32: 0> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>\n")
	tileA, allA := p.side(0)
	tileB, allB := p.side(1)
	viewA, viewB := view(&b, "a", p.loaded[0], tileA, allA, p.gap[0]), view(&b, "b", p.loaded[1], tileB, allB, p.gap[1])
	viewC := view(&b, "c", p.sum, sums, sums, 0)
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
	p.loops(&b, first, t, func(sum, first, from string) { p.loop(&b, sum, first, from, t, viewA, viewB) })
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
func (p *matrices) loop(b *strings.Builder, sum, first, from, t, viewA, viewB string) {
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
	add := map[bool]string{true: "addi", false: "addf"}[p.sum == "i32"]
	op := map[bool]string{true: "mmai", false: "mmaf"}[p.sum == "i32"]
	types := fmt.Sprintf("%s, %s, %s", tileText(p.left, p.shape(p.m, p.k)), tileText(p.right, p.shape(p.k, p.n)), t)
	multiply := func(to, acc string) string {
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
