// Gather and Scatter: an address, a mask and, for what the mask leaves out, a value for each element.
package emit

import . "github.com/cutile-go/cutile/tile"

func PointerAccess(from, to Ptr[float32], n int) {
	i := Iota[D8]()
	inside := i < I32T1[D8](I32(n))
	Scatter(to, i, Gather[F32T1[D8]](from, 2*i, inside, -1), inside)
}
