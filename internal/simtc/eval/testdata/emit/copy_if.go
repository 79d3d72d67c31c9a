// A copy under predicates guards each access.
package emit

import . "github.com/cutile-go/cutile/cute"

func copyIf(from, to Tensor[float32], n int) (_ Kernel) {
	row := I(ThreadIdx().X)
	inside := MakeRmem[bool](S(2))
	for i := range Unroll(2) {
		inside.Set(i < n, i)
	}
	CopyIf(inside, from.Slice(row, All), to.Slice(row, All))
	return
}

func CopyUnder(from, to Tensor[float32], n int) { copyIf(from, to, n).Launch(warp()) }
