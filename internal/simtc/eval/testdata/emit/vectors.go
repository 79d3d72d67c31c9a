// A Vec is the elements of a tensor in registers; operators work on each.
package emit

import . "github.com/cutile-go/cutile/cute"

func vectors(x Tensor[float32]) (_ Kernel) {
	row := x.Slice(I(ThreadIdx().X), All)
	v := row.Load()
	row.Store(Where(v > 0, 2*v+1, v))
	return
}

func Vectors(x Tensor[float32]) { vectors(x).Launch(warp()) }
