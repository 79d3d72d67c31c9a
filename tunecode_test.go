package cutile_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/tile"
)

// TestTuneCode: records notice that the code of a function of package cute has changed, as a configuration and as the default, where the work says
// what its code is.
func TestTuneCode(t *testing.T) {
	dev := open(t)
	const n = 64
	a, c := ramp(t, dev, n, n), zeros[float32](t, dev, n, n)
	epilogue := elementwise.Epilogue(elementwise.Identity)
	simt := func() cutile.Work {
		args := []any{a, a, c, epilogue}
		return cutile.Work{On: dev, Name: "sum",
			Run: func() error { _, err := cute.Call(t.Context(), elementwise.Add, args...); return err },
			Code: func(ctx context.Context) (string, error) {
				e, err := cute.Compile(ctx, elementwise.Add, args...)
				if err != nil {
					return "", err
				}
				return e.Module().Text(), nil
			}}
	}
	tiles := func() cutile.Work {
		p, err := cutile.Prepare(t.Context(), dev, add[tile.D64], a.Flatten(), a.Flatten(), c.Flatten())
		must(t, err)
		return cutile.Work{On: dev, Name: "sum", Run: func() error { return p.Launch(t.Context()) },
			Code: func(context.Context) (string, error) { return p.Key() }}
	}
	for _, space := range [][]string{{"tiles", "cute"}, {"cute", "tiles"}} {
		file := filepath.Join(t.TempDir(), "tuned.json")
		s := cutile.Search[string]{Space: space, Outputs: []cutile.Output{c}, Launch: func(way string) cutile.Work {
			if way == "cute" {
				return simt()
			}
			return tiles()
		}}
		epilogue = elementwise.Identity
		searched(t, dev, s, file)
		if _, launches := searched(t, dev, s, file); launches != 0 {
			t.Errorf("%q: the same code: %d launches", space, launches)
		}
		epilogue = elementwise.ReLU
		if _, launches := searched(t, dev, s, file); launches == 0 {
			t.Errorf("%q: other code: no launch", space)
		}
	}
}

// TestTuneCodeMistakes: work whose code cannot be told is none to choose, and no default.
func TestTuneCodeMistakes(t *testing.T) {
	dev := open(t)
	z := zeros[float32](t, dev, 64)
	for _, c := range []struct {
		code func(context.Context) (string, error)
		want string
	}{
		{func(context.Context) (string, error) { return "", nil }, `the code of work "fill" is empty: expected a text, or a key of it`},
		{func(context.Context) (string, error) { return "", errors.New("none") }, `the code of work "fill": none`},
		{func(context.Context) (string, error) { panic("no code") }, `the code of work "fill": Code panicked at tunecode_test.go:`},
	} {
		s := cutile.Search[string]{Space: []string{"good", "bad"}, Outputs: []cutile.Output{z}, Launch: func(way string) cutile.Work {
			w := cutile.Work{On: dev, Name: "fill", Run: func() error { return z.Fill(t.Context(), 3) }}
			if way == "bad" {
				w.Code = c.code
			}
			return w
		}}
		found, err := cutile.Tune(t.Context(), s)
		must(t, err)
		if len(found.Trials) != 2 || found.Best != "good" {
			t.Fatalf("found %+v", found)
		}
		fails(t, found.Trials[1].Err, c.want)
		s.Space = []string{"bad", "good"}
		_, err = cutile.Tune(t.Context(), s)
		fails(t, err, c.want)
	}
}
