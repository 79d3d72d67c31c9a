package zz
import ("testing"
"strings"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)
func Test(t *testing.T) {
	dev := simttest.Device(t)
	x := simttest.Tensor(t, dev, make([]float32, 64), 8, 8)
	for _, m := range [][]cute.Mark{{cute.CompactDynamic(0, nil, 1), cute.CompactDynamic(1, nil, 4)}, {cute.CompactDynamic(1, []int{0,1}, 4)},{cute.CompactDynamic(0, nil, 1), cute.Align(16)},{cute.Static()}} {
	a := cute.Of[float32](x, m...)
	e := simttest.Compile(t, elementwise.Add, a, a, a, elementwise.ReLU)
	s, _ := e.Module().PTX("sm_80")
	t.Log(strings.Count(s, "v4.b32"), strings.Count(s, "v2.b32"))
	t.Log(a)
	}
}
