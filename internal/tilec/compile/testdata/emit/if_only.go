// Without an else, the other side yields what the variable was before.
package emit

import . "github.com/cutile-go/cutile/tile"

func IfOnly(n int, x In[F32T1[D8]], z Out[F32T1[D8]]) {
	v := x.Load(0)
	if n > 10 {
		v = -v
	}
	z.Store(v)
}
