// Layout algebra on values: a tile of a matrix is an offset, folded into the address, and strides that stay static.
package emit

import . "github.com/cutile-go/cutile/cute"

func layoutDivided(x Tensor[float32]) (_ Kernel) {
	tile := LocalTile(x, S(4, 8), S(1, 2))
	tile.Set(1, ThreadIdx().X/8, ThreadIdx().X%8)
	return
}

func LayoutDivided(x Tensor[float32]) { layoutDivided(x).Launch(warp()) }
