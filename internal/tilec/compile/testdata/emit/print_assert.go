// Print and Assert are operations; a text is part of the code.
package emit

import . "github.com/cutile-go/cutile/tile"

func PrintAssert(x In[F32T1[D8]]) {
	v := x.Load(0)
	Assert(v >= 0, "x is not negative")
	Print("x = %v\n", v)
}
