package gogen_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/tileir"
)

// text is the kernel of a program: body is generic, and its one instance knows all extents.
func (p *extentProgram) text() string {
	var args, lines []string
	for _, n := range p.args {
		args = append(args, fmt.Sprintf("tile.D%d", n))
	}
	for _, line := range p.lines {
		lines = append(lines, "\t"+line+"\n")
	}
	zeros := func(v shaped) string { return names(len(v.dims), func(int) string { return "0" }) }
	return fmt.Sprintf(`package extents

import "github.com/cutile-go/cutile/tile"
%s
func body[A, B, C tile.Dim](x tile.In[%s], y tile.InOut[%s]) {
	v0 := x.Load(%s)
%s	y.Store(%s, %s)
}

func kernel(x tile.In[%s], y tile.InOut[%s]) { body[%s](x, y) }
`, extentHelpers, typeText(p.x.dims, nil), typeText(p.y.dims, nil), zeros(p.x), strings.Join(lines, ""), p.y.name, zeros(p.y),
		typeText(p.x.dims, p.args), typeText(p.y.dims, p.args), strings.Join(args, ", "))
}

// judge compiles a program and compares what it writes, before and after the passes, or the mistake that it has.
func (p *extentProgram) judge(r *tileRunner) verdict {
	path := fmt.Sprintf("gogen/extents/m%d", packages.Add(1))
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{fstest.MapFS{"e.go": {Data: []byte(p.text())}}}})
	w, err := describe.Language.Load([]world.Symbol{{Path: path, Name: "kernel"}})
	if err != nil {
		return refusal(err)
	}
	w.Lock()
	defer w.Unlock()
	fn, err := function(w, path, "kernel")
	if err != nil {
		return refusal(err)
	}
	in := &lower.Input{World: describe.Of(w), Kernel: fn}
	for _, v := range []shaped{p.x, p.y} {
		n := len(v.dims)
		a := lower.Arg{ExtentDiv: make([]int64, n), StrideDiv: make([]int64, n), Unit: make([]bool, n)}
		a.Unit[n-1] = true
		in.Args = append(in.Args, a)
	}
	out, err := lower.Kernel(in)
	if p.wrong != "" {
		return p.refused(err)
	}
	if err != nil {
		return refusal(err)
	}
	return beforeAndAfter(out, func(m *tileir.Module) string {
		got, err := p.run(r, m)
		if err != nil {
			return err.Error()
		}
		if !slices.Equal(got, p.y.data) {
			return fmt.Sprintf("result %v, want %v", got, p.y.data)
		}
		return ""
	})
}

// refused is the verdict on a program with a mistake: it must be the one that is reported.
func (p *extentProgram) refused(err error) verdict {
	var list diag.List
	switch {
	case err == nil:
		return verdict{finding: "no mistake, want " + p.wrong}
	case !errors.As(err, &list) || len(list) != 1 || !list[0].NoExtent || !strings.HasPrefix(list[0].Msg, p.wrong):
		return verdict{finding: fmt.Sprintf("the mistake is %v, want %s", err, p.wrong)}
	case refusal(err).finding != "":
		return refusal(err)
	}
	return verdict{}
}

// run launches the kernel and gives what it writes.
func (p *extentProgram) run(r *tileRunner, m *tileir.Module) ([]int32, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	k, err := r.dev.Compile(ctx, m, m.Entries[0].Name)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	var mem []byte
	var args []uint64
	for i, v := range []shaped{p.x, p.y} {
		b, err := r.dev.Alloc(int64(4 * len(v.data)))
		if err != nil {
			return nil, err
		}
		defer b.Free()
		mem = b.Host()
		for j, n := range v.data {
			binary.LittleEndian.PutUint32(mem[4*j:], uint32(n)*uint32(1-i))
		}
		args = append(args, b.Address())
		var shape, steps []uint64
		for a, d := range v.dims {
			n, _ := d.value(p.args)
			shape = append(shape, uint64(n))
			steps = append(steps, 1)
			for s := range a {
				steps[s] *= uint64(n)
			}
		}
		args = append(args, slices.Concat(shape, steps)...)
	}
	if err := r.stream.Launch(k, [3]uint32{1, 1, 1}, args); err != nil {
		return nil, err
	}
	if err := r.stream.Wait(ctx); err != nil {
		return nil, err
	}
	got := make([]int32, len(p.y.data))
	for j := range got {
		got[j] = int32(binary.LittleEndian.Uint32(mem[4*j:]))
	}
	return got, nil
}

// compareExtents judges the programs of some seeds.
func compareExtents(first uint64, n int, out *report) error {
	r, err := newTileRunner()
	if err != nil {
		return err
	}
	defer r.close()
	for seed := first; seed < first+uint64(n); seed++ {
		p := generateExtents(seed)
		out.Programs++
		out.Kernels++
		v := guarded(func() verdict { return p.judge(r) })
		switch {
		case v.refused != "":
			out.Refused++
			out.refuse(v.refused, 1)
		case v.finding != "":
			out.Findings = append(out.Findings, fmt.Sprintf("extents, seed %d: %s\n%s", seed, v.finding, p.text()))
		}
	}
	return nil
}

// TestExtents judges kernels with extents that follow from others.
func TestExtents(t *testing.T) {
	r := &report{}
	if err := compareExtents(*seed, 150, r); err != nil {
		t.Fatal(err)
	}
	r.check(t)
}
