package threadtest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

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

// gatherText writes the load of a tile by pointers, at the tile's indices, as %name and its number.
func (p *matrices) gatherText(b *strings.Builder, i int, name, number string, index []string, tile []int) {
	g, rank := p.pointers[i], len(tile)
	_, all := p.side(i)
	step := strides(all, p.gap[i])
	e, places := p.loaded[i], tileText(fmt.Sprint("i", g.bits), tile)
	sum := ""
	for d, n := range tile {
		line, wide := fmt.Sprintf("%%%s_d%d", name, d), fmt.Sprintf("tile<%dxi32>", n)
		fmt.Fprintf(b, "    %s_n = constant <i32: %d> : tile<i32>\n    %[1]s_f = muli %[3]s, %[1]s_n : tile<i32>\n", line, n, index[d])
		fmt.Fprintf(b, "    %s_r = reshape %[1]s_f : tile<i32> -> tile<1xi32>\n    %[1]s_b = broadcast %[1]s_r : tile<1xi32> -> %[2]s\n", line, wide)
		fmt.Fprintf(b, "    %s_i = iota : %[2]s\n    %[1]s_a = addi %[1]s_b, %[1]s_i : %[2]s\n", line, wide)
		row := line + "_a"
		if d == rank-2 && g.table != nil {
			tableText(b, line, name, n)
			row = line + "_tt"
		}
		if g.bits == 64 {
			fmt.Fprintf(b, "    %s_x = exti %s signed : %s -> tile<%dxi64>\n", line, row, wide, n)
		} else {
			fmt.Fprintf(b, "    %s_x = reshape %s : %s -> %[3]s\n", line, row, wide)
		}
		fmt.Fprintf(b, "    %s_s = constant <i%d: %d> : tile<%dxi%[2]d>\n    %[1]s_m = muli %[1]s_x, %[1]s_s : tile<%[4]dxi%[2]d>\n", line, g.bits, step[d], n)
		spread(b, line+"_m", fmt.Sprint("i", g.bits), d, tile)
		if sum == "" {
			sum = line + "_m_all"
			continue
		}
		fmt.Fprintf(b, "    %s_sum = addi %s, %[1]s_m_all : %[3]s\n", line, sum, places)
		sum = line + "_sum"
	}
	one := make([]int, rank)
	for d := range one {
		one[d] = 1
	}
	pointers, first := tileText("ptr<"+e+">", tile), tileText("ptr<"+e+">", one)
	fmt.Fprintf(b, "    %%%s_p1 = reshape %%%[1]s_at : tile<ptr<%[2]s>> -> %[3]s\n    %%%[1]s_pn = broadcast %%%[1]s_p1 : %[3]s -> %[4]s\n", name, e, first, pointers)
	fmt.Fprintf(b, "    %%%s_ps = offset %%%[1]s_pn, %s : %s, %s -> %[3]s\n", name, sum, pointers, places)
	fmt.Fprintf(b, "    %%%s%s, %%%[1]st = load_ptr_tko weak %%%[1]s_ps%[3]s token=%%start : %s%s -> %s, token\n", name, number, p.maskText(b, i, name, tile), pointers,
		p.maskTypes(i, tile), tileText(e, tile))
	if g.token {
		fmt.Fprintf(b, "    %%%s_joined = join_tokens %%start, %%%[1]st : token\n", name)
	}
}

// tableText replaces the numbers of n rows by what the factor's table has for them.
func tableText(b *strings.Builder, line, name string, n int) {
	pointers := fmt.Sprintf("tile<%dxptr<i32>>", n)
	fmt.Fprintf(b, "    %s_t1 = reshape %%%s_table : tile<ptr<i32>> -> tile<1xptr<i32>>\n    %[1]s_tn = broadcast %[1]s_t1 : tile<1xptr<i32>> -> %[3]s\n", line, name, pointers)
	fmt.Fprintf(b, "    %s_ts = offset %[1]s_tn, %[1]s_a : %[2]s, tile<%[3]dxi32> -> %[2]s\n", line, pointers, n)
	fmt.Fprintf(b, "    %s_tt, %[1]s_tk = load_ptr_tko weak %[1]s_ts token=%%start : %[2]s -> tile<%[3]dxi32>, token\n", line, pointers, n)
}

// tables declares the parameters of the factors' tables.
func (p *matrices) tables() (text string) {
	for i, g := range p.pointers {
		if g.is && g.table != nil {
			text += fmt.Sprintf(", %%%s_table: tile<ptr<i32>>", []string{"a", "b"}[i])
		}
	}
	return text
}

// spread gives the numbers along a dimension to a whole tile.
func spread(b *strings.Builder, name, e string, d int, tile []int) {
	line := make([]int, len(tile))
	for i := range line {
		line[i] = 1
	}
	line[d] = tile[d]
	fmt.Fprintf(b, "    %s_line = reshape %[1]s : %[2]s -> %[3]s\n    %[1]s_all = broadcast %[1]s_line : %[3]s -> %[4]s\n", name, tileText(e, tile[d:d+1]), tileText(e, line), tileText(e, tile))
}

// dim gives the dimension that a mask is about, if there is one.
func (g gather) dim(rank int) (d int, ok bool) {
	d, ok = map[string]int{"rows": rank - 2, "columns": rank - 1}[g.mask]
	return d, ok && g.is
}

// maskText writes the mask, and zeros for what it leaves out, and gives the operands.
func (p *matrices) maskText(b *strings.Builder, i int, name string, tile []int) string {
	d, ok := p.pointers[i].dim(len(tile))
	if !ok {
		return ""
	}
	line := fmt.Sprintf("%%%s_mask", name)
	fmt.Fprintf(b, "    %s_i = iota : tile<%dxi32>\n    %[1]s_n = constant <i32: %[3]d> : tile<%[2]dxi32>\n", line, tile[d], p.pointers[i].less)
	fmt.Fprintf(b, "    %s = cmpi less_than %[1]s_i, %[1]s_n, signed : tile<%[2]dxi32> -> tile<%[2]dxi1>\n", line, tile[d])
	spread(b, line, "i1", d, tile)
	nothing := "0.0"
	if strings.HasPrefix(p.loaded[i], "i") {
		nothing = "0"
	}
	fmt.Fprintf(b, "    %%%s_pad = constant <%s: %s> : %s\n", name, p.loaded[i], nothing, tileText(p.loaded[i], tile))
	return fmt.Sprintf(", %s_all, %%%s_pad", line, name)
}

// maskTypes are the types of what maskText gives.
func (p *matrices) maskTypes(i int, tile []int) string {
	if _, ok := p.pointers[i].dim(len(tile)); !ok {
		return ""
	}
	return fmt.Sprintf(", %s, %s", tileText("i1", tile), tileText(p.loaded[i], tile))
}

// masked reports whether a factor's mask leaves out an element of its matrix.
func (p *matrices) masked(i, row, column int) bool {
	tile, _ := p.side(i)
	d, ok := p.pointers[i].dim(len(tile))
	if !ok {
		return false
	}
	return []int{row, column}[d-len(tile)+2]%tile[d] >= p.pointers[i].less
}
