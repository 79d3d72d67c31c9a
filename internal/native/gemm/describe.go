package gemm

import "fmt"

// String says what the code of the product is: its kind and sizes, its block, and how it reads the operands.
func (t *Tile) String() string {
	depth := "a loop over k"
	if t.kernel.k > 0 {
		depth = fmt.Sprintf("%d steps of k without a loop", t.kernel.k)
	}
	tiles := ""
	if t.scheme.tiles {
		tiles = " in tile registers"
	}
	return fmt.Sprintf("product of %v, %d by %d by %d: blocks of %d by %d%s, %s, A %s, B %s", t.spec.Kind, t.spec.M, t.spec.N, t.spec.K,
		t.geo.rows, t.geo.width(), tiles, depth, reading(t.a), reading(t.b))
}

// reading says how an operand is read.
func reading(p *plan) string {
	if p == nil {
		return "in place"
	}
	return "packed"
}
