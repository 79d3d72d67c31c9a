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
	scales           string // the type of factors of so many elements along k, where these have some
	block            int
	negative         bool // a factor of a block is
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// beginnings and loops are those of products.
var (
	beginnings = []string{"zero", "five", "memory"}
	loops      = []string{"plain", "double", "skip", "twice"}
)

// smallProducts are products with each beginning in each kind of loop, as small as instructions are that read shared memory, one whose right
// factor these do not read as it lies in memory, one of the same two factors in each turn, one of many more turns than stages, one by rows that a table names, and
// one of few long rows.
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
	named := &matrices{m: 64, n: 32, k: 64, turns: 3, left: "f16", right: "f16", loaded: [2]string{"f16", "f16"}, sum: "f32", begin: "zero", how: "plain"}
	named.pointers[1] = gather{is: true, bits: 64, table: make([]int32, 3*64)}
	for i := range named.pointers[1].table {
		named.pointers[1].table[i] = int32(3*64 - 1 - i)
	}
	return append(list, named,
		&matrices{m: 32, n: 64, k: 2, turns: 3, left: "f32", right: "f32", loaded: [2]string{"f32", "f32"}, sum: "f32", begin: "zero", how: "plain"},
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
	case "f32", "f64":
		p.sum, p.k, p.m = kind, 1<<r.IntN(6), min(p.m, 64) // which the emulator multiplies one by one
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
	if p.left == four {
		columns, allColumns = columns/2, allColumns/2
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
	if p.left == four {
		count := max(1, p.batches) * tile[len(tile)-2] * tile[len(tile)-1]
		tile = append([]int(nil), tile...)
		tile[len(tile)-1] *= 2
		whole := tileText(four, tile)
		fmt.Fprintf(b, "    %%%s4 = reshape %%%[1]s0 : %s -> tile<%dxi8>\n    %%%[1]s5 = unpack %%%[1]s4 : tile<%[3]dxi8> -> tile<%[4]dx%[5]s>\n    %%%[1]s6 = reshape %%%[1]s5 : tile<%[4]dx%[5]s> -> %[6]s\n",
			name, at, count, 2*count, four, whole)
		last, at = name+"6", whole
	}
	if p.turned[i] {
		order := []int{1, 0}
		if p.batches > 0 {
			order = []int{0, 2, 1}
		}
		n := len(tile)
		tile = append([]int(nil), tile...)
		tile[n-1], tile[n-2] = tile[n-2], tile[n-1]
		fmt.Fprintf(b, "    %%%s1 = permute %%%s [%s] : %s -> %s\n", name, last, list(order, ", "), at, strings.Replace(tileText(p.loaded[i], tile), "i8", []string{p.left, p.right}[i], 1))
		last = name + "1"
	}
	if e := []string{p.left, p.right}[i]; e != p.loaded[i] && e != four {
		fmt.Fprintf(b, "    %%%s2 = ftof %%%s : %s -> %s\n", name, last, tileText(p.loaded[i], tile), tileText(e, tile))
		last = name + "2"
	}
	fmt.Fprintf(b, "    %%%s3 = reshape %%%s : %s -> %[3]s\n", name, last, tileText([]string{p.left, p.right}[i], tile))
}
