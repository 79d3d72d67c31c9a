// A copy takes the widest accesses that layouts and alignments allow: four floats at once.
package emit

import . "github.com/cutile-go/cutile/cute"

func copies(from, to Tensor[float32]) (_ Kernel) {
	row := I(ThreadIdx().X)
	AutovecCopy(from.Slice(row, All), to.Slice(row, All))
	return
}

func Copies(from, to Tensor[float32]) { copies(from, to).Launch(warp()) }
