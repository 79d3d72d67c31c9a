// A matrix product is one operation with an accumulator; operands of 16 bits, sums of 32.
package emit

import . "github.com/cutile-go/cutile/tile"

func MatrixProduct(a In[F16T2[D16, D16]], b In[F16T2[D16, D16]], c Out[F32T2[D16, D16]]) {
	var acc F32T2[D16, D16]
	for k := range a.Tiles(1) {
		acc = Dot(a.Load(c.Index(0), k), b.Load(k, c.Index(1)), acc)
	}
	c.Store(acc)
}
