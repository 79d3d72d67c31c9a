package eval_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// TestWrong evaluates wrong programs: each has its one mistake on the line that says so.
func TestWrong(t *testing.T) {
	text, err := os.ReadFile("wrong_kernels_test.go")
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for n, line := range strings.Split(string(text), "\n") {
		if _, want, ok := strings.Cut(line, "// want "); ok {
			if i == len(wrongs) {
				t.Fatalf("line %d: more mistakes than programs", n+1)
			}
			t.Run(fmt.Sprintf("line %d", n+1), func(t *testing.T) { wrong(t, wrongs[i], n+1, want) })
			i++
		}
	}
	if i < len(wrongs) {
		t.Fatalf("%d programs, but %d mistakes", len(wrongs), i)
	}
}

func wrong(t *testing.T, f func(x mat, n int), line int, want string) {
	_, err := tryEvaluate(f, func(*world.World) []eval.Arg {
		return []eval.Arg{eval.TensorArg{Layout: dynLayout("(?,?):(?,1)"), Align: 16}, eval.Dyn{}}
	})
	var list diag.List
	if !errors.As(err, &list) || len(list) == 0 {
		t.Fatalf("got %v, want %q", err, want)
	}
	if len(list) > 1 {
		t.Errorf("%d mistakes, want one:\n%v", len(list), err)
	}
	if d := list[0]; d.Pos.Line != line || filepath.Base(d.Pos.Filename) != "wrong_kernels_test.go" || !strings.Contains(d.Msg, want) {
		t.Errorf("got %v\nwant line %d: %s", d, line, want)
	}
}
