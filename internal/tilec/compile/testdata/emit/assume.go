// What the author promises stands in the code, for the passes and the assembler.
package emit

import . "github.com/cutile-go/cutile/tile"

func Assume(n int, p Ptr[float32]) {
	n = AssumeBetween(n, 0, 1000)
	n = AssumeDivBy(n, 8)
	Scatter(p, I32T1[D8](I32(n))+Iota[D8](), F32T1[D8](1), true)
}
