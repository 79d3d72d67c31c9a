package eval_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simtc/eval"
	"github.com/cutile-go/cutile/internal/testing/simttest"
)

// TestHost: layouts and tuples are the same on the host as in compiled code.
func TestHost(t *testing.T) {
	native, err := simttest.Printed(func() error { onHost(); return nil })
	if err != nil {
		t.Fatal(err)
	}
	compiled := evaluate(t, onHost, func(*world.World) []eval.Arg { return nil }).Printed
	if native != compiled || strings.Count(native, "\n") != 10 {
		t.Errorf("on the host\n%s\ncompiled\n%s", native, compiled)
	}
}

// TestPlaces runs words for places and memory.
func TestPlaces(t *testing.T) {
	m := evaluate(t, places, func(*world.World) []eval.Arg {
		v := eval.TensorArg{Layout: dynLayout("(?):(1)"), Align: 16}
		return []eval.Arg{v, v, v}
	}).Module
	var xs, ys [32]int
	for i := range xs {
		xs[i], ys[i] = 7*i, i*i
	}
	for i, got := range runPairs(t, m, xs, ys) {
		want := i + 1110 + 256 + xs[i] + ys[i]
		if xs[i] > 100 {
			want += xs[i]
		}
		if int(got) != want {
			t.Errorf("thread %d: %d, want %d", i, got, want)
		}
	}
}
