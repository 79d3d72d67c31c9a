// A float that the assembler may compute itself is guarded, so that the conversion to an integer saturates as elsewhere.
package emit

import . "github.com/cutile-go/cutile/tile"

func Saturation(n int, z Out[I32T1[D8]]) {
	z.Store(I32T1[D8](F32T1[D8](n) * 1e9))
}
