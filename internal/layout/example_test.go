package layout_test

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/layout"
)

func ExampleCompose() {
	a, _ := layout.ParseLayout("(6,2):(?,2)")
	b, _ := layout.ParseLayout("(4,3):(3,1)")
	fmt.Println(layout.Compose(a, b))
	// Output: ((2,2),3):((?{div=3},2),?) <nil>
}

func ExampleComplement() {
	a, _ := layout.ParseLayout("(2,4):(1,6)")
	fmt.Println(layout.Complement(a, layout.Leaf(layout.N(24))))
	// Output: 3:2 <nil>
}

func ExampleZippedDivide() {
	matrix, _ := layout.Compact(layout.Of(64, 32))
	tiles, err := layout.ZippedDivide(matrix, layout.TileOf(16, 8))
	fmt.Println(tiles, err)
	// Output: ((16,8),(4,4)):((1,64),(16,512)) <nil>
}

func ExampleLayoutTV() {
	threads, _ := layout.Ordered(layout.Of(4, 32), layout.Of(1, 0))
	values, _ := layout.Ordered(layout.Of(4, 4), layout.Of(1, 0))
	fmt.Println(layout.LayoutTV(threads, values))
	// Output: (16,128) ((32,4),(4,4)):((64,4),(16,1)) <nil>
}

// code is a run-time value as text.
type code string

// Apply writes the operation down. A compiler would emit an instruction.
func (code) Apply(op layout.Op, x, y layout.Int, wide bool) layout.Expr {
	return "(" + operand(x) + code(" "+op.String()+" ") + operand(y) + ")"
}

func operand(n layout.Int) code {
	if c, ok := n.Expr().(code); ok {
		return c
	}
	return code(n.String())
}

// The algebra on run-time values leaves the code that is needed.
func ExampleExpr() {
	width := layout.Leaf(layout.Sym(8, false, code("width")))
	block := layout.Sym(1, false, code("block"))
	matrix, _ := layout.New(layout.T(layout.Leaf(layout.N(128)), width), layout.T(width, layout.Leaf(layout.N(1))))
	tile, offset, _ := layout.LocalTile(matrix, layout.TileOf(16, 8), layout.T(layout.Leaf(block), layout.All))
	off, _ := offset.IsLeaf()
	fmt.Println(tile, "from", off, "=", off.Expr())
	fmt.Println("tiles in a row:", tile.Modes()[2].Size().Expr())
	// Output:
	// (16,8,?):(?{div=8},1,8) from ?{div=128} = ((width * 16) * block)
	// tiles in a row: (width / 8)
}
