// Type arguments choose the operations: + of integers in one instance, of floats in the other.
package emit

import . "github.com/cutile-go/cutile/tile"

func Generics(x In[F32T1[D8]], y In[I32T1[D8]], z Out[F32T1[D8]]) {
	z.Store(double(x.Load(0)) + F32T1[D8](double(y.Load(0))))
}

func double[T NumTile](x T) T { return x + x }
