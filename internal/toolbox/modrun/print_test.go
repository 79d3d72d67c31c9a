package modrun

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/npy"
)

func TestPrintArray(t *testing.T) {
	for _, c := range []struct {
		shape []int
		want  string
	}{
		{nil, "  0\n"},
		{[]int{0}, ""},
		{[]int{8}, "  0 1 2 3 4 5 6 7\n"},
		{[]int{9}, "  0 1 2 ... 6 7 8\n"},
		{[]int{2, 3}, "  [0] 0 1 2\n  [1] 3 4 5\n"},
		{[]int{10, 1}, "  [0] 0\n  [1] 1\n  [2] 2\n  ...\n  [7] 7\n  [8] 8\n  [9] 9\n"},
		{[]int{2, 2, 10}, "  [0 0] 0 1 2 ... 7 8 9\n  [0 1] 10 11 12 ... 17 18 19\n  [1 0] 20 21 22 ... 27 28 29\n  [1 1] 30 31 32 ... 37 38 39\n"},
	} {
		a, err := npy.Zeros(npy.Int32, c.shape...)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Len() {
			a.SetBits(i, uint64(i))
		}
		var out strings.Builder
		if printArray(&out, a, npy.Int32); out.String() != c.want {
			t.Errorf("%v: got\n%swant\n%s", c.shape, out.String(), c.want)
		}
	}
}
