// A conversion spreads a row over a matrix; what is computed of the row is computed before it is spread.
package emit

import . "github.com/cutile-go/cutile/tile"

func Spread(row In[F32T1[D8]], z Out[F32T2[D4, D8]]) {
	r := F32T2[D4, D8](row.Load(z.Index(1)))
	z.Store(Exp(r) + 1)
}
