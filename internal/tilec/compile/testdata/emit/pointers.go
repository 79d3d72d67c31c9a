// A pointer is a variable and a path in it; code that writes through it changes the variable.
package emit

import . "github.com/cutile-go/cutile/tile"

func Pointers(n int, z Out[F32T1[D8]]) {
	a := 1
	p := &a
	if n > 3 {
		*p = n
	}
	z.Store(F32T1[D8](a))
}
