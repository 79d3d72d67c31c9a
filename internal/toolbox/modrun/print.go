package modrun

import (
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile/npy"
)

// edge is how many elements, or rows, are shown at each end of a long axis.
const edge = 3

// printArray prints an array for people, a row of its last axis in each line, with its index where there are several. Of an
// axis with more than eight it shows three at each end. as is the type that the elements are shown as, of the same size.
func printArray(w io.Writer, a *npy.Array, as npy.Type) {
	rank := len(a.Shape)
	if a.Len() == 0 {
		return
	}
	if rank == 0 {
		fmt.Fprintf(w, "  %s\n", as.Text(a.Bits(0)))
		return
	}
	printRows(w, a, as, nil, 0)
}

// printRows prints what lies under an index; first is its number of rows from the beginning.
func printRows(w io.Writer, a *npy.Array, as npy.Type, index []int, first int) {
	axis := len(index)
	n := a.Shape[axis]
	if axis == len(a.Shape)-1 {
		var line strings.Builder
		for _, i := range shown(n) {
			line.WriteByte(' ')
			if i < 0 {
				line.WriteString("...")
			} else {
				line.WriteString(as.Text(a.Bits(first*n + i)))
			}
		}
		place := ""
		if axis > 0 {
			place = fmt.Sprint(index) + " "
		}
		fmt.Fprintf(w, "  %s%s\n", place, line.String()[1:])
		return
	}
	for _, i := range shown(n) {
		if i < 0 {
			fmt.Fprintln(w, "  ...")
		} else {
			printRows(w, a, as, append(index[:axis:axis], i), first*n+i)
		}
	}
}

// shown lists the places of an axis that are shown; -1 stands for those left out.
func shown(n int) []int {
	var out []int
	for i := 0; i < n; i++ {
		if n > 8 && i == edge {
			out = append(out, -1)
			i = n - edge
		}
		out = append(out, i)
	}
	return out
}
