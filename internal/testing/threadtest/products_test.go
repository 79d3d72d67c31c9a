package threadtest_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// product is a random kernel that multiplies matrices in a loop: numbers are whole and small, so that sums are exact.
type product struct {
	batches, m, n, k int
	turns            int
	left, right, sum string // element types
	turned           [2]bool
	gap              [2]int // elements between lines of the factors in memory
	loaded           [2]string
	begin            string // what the sums begin with: "zero", "five" or "memory"
	how              string // of the loop: "plain", "double", "skip" or "twice"
	flags            string // of the product
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// newProduct makes the product with a number.
func newProduct(seed uint64) *product {
	r := rand.New(rand.NewPCG(seed, 23))
	p := &product{batches: pick(r, 0, 0, 0, 2), m: pick(r, 64, 64, 128, 256, 32), n: 8 << r.IntN(5), turns: r.IntN(5), sum: "f32",
		turned: [2]bool{r.IntN(2) == 0, r.IntN(2) == 0}, begin: pick(r, "zero", "zero", "five", "memory"), how: pick(r, "plain", "plain", "double", "skip", "twice")}
	kind := pick(r, "f16", "f16", "bf16", "tf32", "i8", "f8")
	p.left, p.right = kind, kind
	p.k = 16 << r.IntN(3)
	switch kind {
	case "i8":
		p.k, p.sum, p.flags = 2*p.k, "i32", " "+pick(r, "signed", "unsigned")+" "+pick(r, "signed", "unsigned")
	case "f8":
		p.k, p.left, p.flags = 2*p.k, pick(r, "f8E4M3FN", "f8E5M2"), " fast_acc"
		p.right = p.left
	case "f16":
		p.sum = pick(r, "f32", "f32", "f16")
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
	return p
}

// shape is that of a tile, with the batches in front if there are some.
func (p *product) shape(extents ...int) []int {
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
func (p *product) side(i int) (tile, all []int) {
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
func (p *product) load(b *strings.Builder, i int, view string) {
	name, tile := []string{"a", "b"}[i], []int{}
	tile, _ = p.side(i)
	index := []string{"%zero", "%i"}
	if (i == 0) == p.turned[i] {
		index = []string{"%i", "%zero"}
	}
	if p.batches > 0 {
		index = append([]string{"%zero"}, index...)
	}
	at := tileText(p.loaded[i], tile)
	fmt.Fprintf(b, "    %%%s0, %%%[1]st = load_view_tko weak %%%[1]s_view[%s] token = %%start : %s, tile<i32> -> %s, token\n", name, strings.Join(index, ", "), view, at)
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
func (p *product) text() string {
	var b strings.Builder
	sums := p.shape(p.m, p.n)
	t := tileText(p.sum, sums)
	fmt.Fprintf(&b, "entry @product(%%a: tile<ptr<%s>>, %%b: tile<ptr<%s>>, %%c: tile<ptr<%s>>, %%turns: tile<i32>) {\n", p.loaded[0], p.loaded[1], p.sum)
	b.WriteString("  %start = make_token : token\n  %zero = constant <i32: 0> : tile<i32>\n  %one = constant <i32: 1> : tile<i32>\n")
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
	fmt.Fprintf(&b, "  %%sum = for %%i in (%%zero to %%turns, step %%one) : tile<i32> iter_values(%%acc = %s) -> (%s) {\n", first, t)
	p.load(&b, 0, viewA)
	p.load(&b, 1, viewB)
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
		fmt.Fprintf(&b, "    %%twice = %s %%acc, %%acc : %s\n%s", add, t, multiply("%next", "%twice"))
	case "skip":
		fmt.Fprintf(&b, "    %%other = cmpi not_equal %%i, %%one, signed : tile<i32> -> tile<i1>\n    %%next = if %%other -> (%s) {\n  %s      yield %%p : %s\n    } else {\n      yield %%acc : %[1]s\n    }\n",
			t, multiply("%p", "%acc"), t)
	case "twice":
		fmt.Fprintf(&b, "%s%s    %%next = %s %%p, %%q : %s\n", multiply("%p", "%zeros"), multiply("%q", "%acc"), add, t)
	}
	fmt.Fprintf(&b, "    continue %%next : %s\n  }\n", t)
	fmt.Fprintf(&b, "  %%end = store_view_tko weak %%sum, %%c_view[%s] token = %%start : %s, %s, tile<i32> -> token\n  return\n}\n", at, t, viewC)
	return b.String()
}

// matrix is numbers, and the memory that they lie in.
type matrix struct {
	value func(batch, row, column int) float64
	data  []byte
}

func encode(e string, x float64) uint64 {
	if row := elem.ByIR(e); row.Format != nil {
		return row.Format.Encode(x, elem.Nearest, false)
	}
	return uint64(int64(x))
}

// factor fills a factor's matrix; its value counts rows and columns as the product does.
func (p *product) factor(r *rand.Rand, i int) matrix {
	_, all := p.side(i)
	s := strides(all, p.gap[i])
	e := p.loaded[i]
	size := elem.ByIR(e).Bits / 8
	numbers := map[int]float64{}
	x := matrix{data: make([]byte, size*s[0]*all[0]+64)}
	low := -3
	if p.left == "i8" && strings.Fields(p.flags)[i] == "unsigned" {
		low = 0
	}
	rank := len(all)
	for batch := range max(1, p.batches) {
		for row := range all[rank-2] {
			for column := range all[rank-1] {
				at := row*s[rank-2] + column
				if p.batches > 0 {
					at += batch * s[0]
				}
				numbers[at] = float64(low + r.IntN(7))
				var word [8]byte
				binary.LittleEndian.PutUint64(word[:], encode(e, numbers[at]))
				copy(x.data[at*size:][:size], word[:])
			}
		}
	}
	x.value = func(batch, row, column int) float64 {
		if p.turned[i] {
			row, column = column, row
		}
		at := row*s[rank-2] + column
		if p.batches > 0 {
			at += batch * s[0]
		}
		return numbers[at]
	}
	return x
}

// want is an element of the result that begins with a number.
func (p *product) want(a, b matrix, batch, row, column int, sum float64) float64 {
	for turn := range p.turns {
		x := 0.0
		for k := turn * p.k; k < (turn+1)*p.k; k++ {
			x += a.value(batch, row, k) * b.value(batch, k, column)
		}
		switch {
		case p.how == "skip" && turn == 1:
			continue
		case p.how == "twice":
			x *= 2
		case p.how == "double":
			sum *= 2
		}
		sum += x
	}
	return sum
}

// run runs the kernel, and compares.
func (p *product) run(e nativefuzz.Engine, seed uint64) error {
	r := rand.New(rand.NewPCG(seed, 24))
	src := fmt.Sprintf("// seed 0\n// grid 1 1 1\n// param %s 1 true 0\n// param %s 1 true 0\n// param %s 1 true 0\n// param i32 -1 true %d\n",
		p.loaded[0], p.loaded[1], p.sum, p.turns) + p.text()
	prog, err := nativefuzz.Parse(src)
	if err != nil {
		return err
	}
	a, b := p.factor(r, 0), p.factor(r, 1)
	size, count := elem.ByIR(p.sum).Bits/8, max(1, p.batches)*p.m*p.n
	c := make([]byte, size*count)
	begin := make([]float64, count)
	for i := range begin {
		begin[i] = map[string]float64{"zero": 0, "five": 5, "memory": float64(i % 7)}[p.begin]
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], encode(p.sum, begin[i]))
		copy(c[i*size:][:size], word[:])
	}
	refused, fault, err := e.Run(prog, [][]byte{a.data, b.data, c})
	switch {
	case err != nil:
		return err
	case refused != "" || fault != "":
		return fmt.Errorf("%s%s", refused, fault)
	}
	for i := range begin {
		want := p.want(a, b, i/(p.m*p.n), i/p.n%p.m, i%p.n, begin[i])
		var word [8]byte
		copy(word[:], c[i*size:][:size])
		if got, bits := binary.LittleEndian.Uint64(word[:]), encode(p.sum, want); got != bits&(1<<(8*size)-1) {
			return fmt.Errorf("element %d: 0x%x, want %v", i, got, want)
		}
	}
	return nil
}

// TestProducts multiplies matrices of random shapes, types and places by the matrix instructions of architectures. THREADFUZZ_PRODUCTS says
// how many, and THREADFUZZ_SEED where to begin.
func TestProducts(t *testing.T) {
	first := uint64(number("THREADFUZZ_SEED", 0))
	archs := []string{"sm_80", "sm_90a", "sm_100a", "sm_103a"}
	if list := os.Getenv("THREADFUZZ_ARCHS"); list != "" {
		archs = strings.Split(list, ",")
	}
	for _, arch := range archs {
		t.Run(arch, func(t *testing.T) {
			for seed := first; seed < first+uint64(number("THREADFUZZ_PRODUCTS", 12)); seed++ {
				p := newProduct(seed)
				if err := p.run(threadtest.Emulator(arch, threads.Options{Tensors: seed%3 > 0}), seed); err != nil {
					t.Errorf("seed %d, %+v: %v", seed, *p, err)
				}
			}
		})
	}
}
