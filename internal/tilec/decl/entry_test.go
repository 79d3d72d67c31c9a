package decl_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/decl"
)

func TestHints(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"//cutile:entry", "[]"},
		{"//cutile:entry typed occupancy=2", "[{default [{occupancy 2}]}]"},
		{"//cutile:entry occupancy=2 sm_100.num_ctas=2 sm_100.num_worker_warps=8", "[{default [{occupancy 2}]} {sm_100 [{num_cta_in_cga 2} {num_worker_warps_per_cta 8}]}]"},
		{"//cutile:entrywise occupancy=2", "[]"},
		{"// cutile:entry occupancy=2", "[]"},
		{"//cutile:entry warps=2", "//cutile:entry warps=2: no hint warps: the hints are num_ctas, num_worker_warps, occupancy"},
		{"//cutile:entry hopper.occupancy=2", "no architecture hopper: write one as sm_100"},
		{"//cutile:entry occupancy=two", `want a number, have "two"`},
		{"//cutile:entry occupancy=2 occupancy=3", "occupancy is given twice"},
		{"//cutile:entry occupancy", "//cutile:entry occupancy: want a number: occupancy=1"},
		{"//cutile:entry sm_.occupancy=2", "no architecture sm_: write one as sm_100"},
		{"//cutile:entry sm_9a.occupancy=2", "no architecture sm_9a: write one as sm_100"},
		{"//cutile:entry sm_90.occupancy=2 occupancy=3 sm_90.num_ctas=4", "[{sm_90 [{occupancy 2} {num_cta_in_cga 4}]} {default [{occupancy 3}]}]"},
		{"//cutile:entry occupancy=2147483648", `want a number, have "2147483648"`},
		{"//cutile:entry occupancy=32", "[{default [{occupancy 32}]}]"},
		{"//cutile:entry occupancy=33", "expected 1 to 32, but found 33"},
		{"//cutile:entry occupancy=0", "//cutile:entry occupancy=0: expected 1 to 32, but found 0"},
		{"//cutile:entry sm_100.num_ctas=3", "//cutile:entry sm_100.num_ctas=3: expected a power of two, but found 3"},
	} {
		hs, err := decl.Hints(token.NewFileSet(), &ast.CommentGroup{List: []*ast.Comment{{Text: c.text}}})
		got := "["
		for i, h := range hs {
			if i > 0 {
				got += " "
			}
			var words []string
			for _, x := range h.Hints {
				words = append(words, fmt.Sprintf("{%s %d}", x.Name, x.Value.Int))
			}
			got += fmt.Sprintf("{%s %v}", h.Arch, words)
		}
		got += "]"
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != c.want || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}
