// Operators are operations element by element; a constant is made in the tile's shape.
package emit

import . "github.com/cutile-go/cutile/tile"

func Arithmetic(x, y In[F32T1[D8]], z Out[F32T1[D8]]) {
	i := z.Index(0)
	z.Store(2*x.Load(i) + y.Load(i)/3)
}
