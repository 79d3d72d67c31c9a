// A condition that is known picks a side; the other one leaves no code.
package emit

import . "github.com/cutile-go/cutile/tile"

func IfConstant(z Out[F32T1[D8]]) {
	v := F32T1[D8](1)
	if Extent[D8]() > 4 {
		v = 2
	} else {
		v = Sin(v)
	}
	z.Store(v)
}
