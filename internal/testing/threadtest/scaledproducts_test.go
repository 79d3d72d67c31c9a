package threadtest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// newScaled makes the product with a number, whose elements have factors of blocks.
func newScaled(seed uint64) *matrices {
	r := rand.New(rand.NewPCG(seed, 25))
	p := &matrices{batches: pick(r, 0, 0, 0, 2), m: pick(r, 128, 128, 256, 64), n: 16 << r.IntN(4), k: 32 << r.IntN(4), turns: r.IntN(5), sum: "f32",
		turned: [2]bool{r.IntN(3) == 0, r.IntN(2) == 0}, gap: [2]int{pick(r, 0, 0, 16), pick(r, 0, 0, 16)}, begin: pick(r, append(beginnings, "zero")...),
		how: pick(r, append(loops, "plain", "plain")...), around: pick(r, "", "", "for", "loop", "if", "two"), direct: r.IntN(2) == 0,
		left: pick(r, "f8E4M3FN", "f8E5M2"), scales: "f8E8M0FNU", block: 32}
	p.right = p.left
	p.loaded = [2]string{p.left, p.right}
	if seed%2 == 1 {
		p.left, p.block, p.loaded = four, pick(r, 16, 32), [2]string{"i8", "i8"}
		p.right, p.k = four, max(p.k, 64)
		if p.block == 16 {
			p.scales = pick(r, "f8E8M0FNU", "f8E4M3FN")
		}
	}
	for p.m*p.n*max(1, p.batches) > 128*128 {
		p.n /= 2
	}
	return p
}

// four is a type of which memory has two elements in a byte.
const four = "f4E2M1FN"

// scalesSide gives the extents of the tile of a factor's factors, and of their matrix.
func (p *matrices) scalesSide(i int) (tile, all []int) {
	count := p.k / p.block
	if i == 0 {
		return p.shape(p.m, count), p.shape(p.m, max(1, count*p.turns))
	}
	return p.shape(count, p.n), p.shape(max(1, count*p.turns), p.n)
}

// loadScales writes the loads of the factors of blocks for turn %i, as %sa0 and %sb0.
func (p *matrices) loadScales(b *strings.Builder, views []string) {
	for i, view := range views {
		tile, _ := p.scalesSide(i)
		index := [][]string{{"%zero", "%i"}, {"%i", "%zero"}}[i]
		if p.batches > 0 {
			index = append([]string{"%zero"}, index...)
		}
		fmt.Fprintf(b, "    %%s%c0, %%s%[1]ct = load_view_tko weak %%s%[1]c_view[%[2]s] token = %%start : %[3]s, tile<i32> -> %[4]s, token\n", 'a'+i, strings.Join(index, ", "), view,
			tileText(p.scales, tile))
	}
}
