package gogen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// viewRunner has a device more, which tests each promise.
type viewRunner struct {
	*tileRunner
	checked *tileRunner
	sum     *report
}

func newViewRunner(out *report) (*viewRunner, error) {
	plain, err := newTileRunner()
	if err != nil {
		return nil, err
	}
	checked, err := newRunner(cpu.Options{Workers: 1, CheckAssumes: true})
	return &viewRunner{tileRunner: plain, checked: checked, sum: out}, err
}

func (r *viewRunner) close() {
	r.tileRunner.close()
	r.checked.close()
}

// judge compiles a program of views and compares what it writes with the reference: before and after the passes, and with
// what the launch proves, on a device on which a promise that does not hold is a fault.
func (p *viewProgram) judge(r *viewRunner) verdict {
	path := fmt.Sprintf("gogen/views/m%d", packages.Add(1))
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{fstest.MapFS{"v.go": {Data: []byte(p.text())}}}})
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
	rows := lower.Arg{ExtentDiv: []int64{0, 0}, StrideDiv: []int64{0, 0}, Unit: []bool{false, true}}
	one := lower.Arg{ExtentDiv: []int64{0}, StrideDiv: []int64{0}, Unit: []bool{true}}
	in := &lower.Input{World: describe.Of(w), Kernel: fn, Args: []lower.Arg{rows, rows, rows, {}, {}, one}}
	if p.swap {
		in.Args[0].Unit = []bool{true, false}
	}
	out, err := lower.Kernel(in)
	if err != nil {
		return refusal(err)
	}
	compare := func(t *tileRunner, prepare func(m *tileir.Module, bits []uint64) error) func(m *tileir.Module) string {
		return func(m *tileir.Module) string {
			if d, err := p.run(t, m, prepare); err != nil {
				return err.Error()
			} else if d != "" {
				return "result " + d
			}
			return ""
		}
	}
	v := beforeAndAfter(out, compare(r.tileRunner, func(*tileir.Module, []uint64) error { return nil }))
	if v.finding != "" {
		return v
	}
	m := &tileir.Module{Producer: "gogen", Globals: out.Globals, Entries: []*tileir.Entry{out.Entry}}
	if wrong := compare(r.checked, r.promise)(m); wrong != "" {
		return verdict{finding: "with proofs: " + wrong}
	}
	return verdict{}
}

// promise writes what a launch proves into a kernel.
func (r *viewRunner) promise(m *tileir.Module, bits []uint64) error {
	e := m.Entries[0]
	proof := passes.Prove(e, ranges.Launch{Grid: [3]uint32{1, 1, 1}, Bits: bits})
	r.sum.Axes += len(proof)
	r.sum.Proved += strings.Count(string(proof), "1")
	passes.Promise(e, proof)
	return tileir.Verify(m, tileir.Newest)
}

// run launches the kernel on data of its own and says what differs. prepare sees the parameters first.
func (p *viewProgram) run(r *tileRunner, m *tileir.Module, prepare func(m *tileir.Module, bits []uint64) error) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	x, y := make([]int32, p.x[0]*p.x[1]), make([]int32, p.y[0]*p.y[1])
	for i := range x {
		x[i] = int32(i*i + 1)
	}
	for i := range y {
		y[i] = int32(1000 + 3*i)
	}
	var bufs [3][]byte
	var args []uint64
	for i, data := range [][]int32{x, y, make([]int32, p.tile[0]*p.tile[1])} {
		b, err := r.dev.Alloc(int64(4 * len(data)))
		if err != nil {
			return "", err
		}
		defer b.Free()
		bufs[i] = b.Host()
		for j, v := range data {
			binary.LittleEndian.PutUint32(bufs[i][4*j:], uint32(v))
		}
		shape := [][2]int{p.x, p.y, p.tile}[i]
		step := [2]int{shape[1], 1}
		if i == 0 {
			step = p.strides()
		}
		args = append(args, b.Address(), uint64(shape[0]), uint64(shape[1]), uint64(step[0]), uint64(step[1]))
	}
	at, err := r.dev.Alloc(4)
	if err != nil {
		return "", err
	}
	defer at.Free()
	binary.LittleEndian.PutUint32(at.Host(), uint32(p.u))
	args = append(args, uint64(p.n), p.given(), at.Address(), 1, 1)
	if err := prepare(m, args); err != nil {
		return "", err
	}
	k, err := r.dev.Compile(ctx, m, m.Entries[0].Name)
	if err != nil {
		return "", err
	}
	defer k.Close()
	if err := r.stream.Launch(k, [3]uint32{1, 1, 1}, args); err != nil {
		return "", err
	}
	if err := r.stream.Wait(ctx); err != nil {
		return "", err
	}
	wantY, wantAcc := p.reference(x, y)
	for i, want := range [][]int32{x, wantY, wantAcc} {
		got := make([]int32, len(want))
		for j := range got {
			got[j] = int32(binary.LittleEndian.Uint32(bufs[i][4*j:]))
		}
		if !slices.Equal(got, want) {
			return fmt.Sprintf("%s is %v, want %v, with x of %v, y of %v, n = %d, c = %v, u = %d", [3]string{"x", "y", "out"}[i], got, want, p.x, p.y, p.n, p.c, p.u), nil
		}
	}
	return "", nil
}

// smaller drops statements of the body as long as the finding stays.
func (p *viewProgram) smaller(r *viewRunner, what string) *viewProgram {
	for changed := true; changed; {
		changed = false
		for i := range p.body {
			q := *p
			q.body = slices.Delete(slices.Clone(p.body), i, i+1)
			if v := guarded(func() verdict { return q.judge(r) }); v.finding != "" && class(v.finding) == class(what) {
				p, changed = &q, true
				break
			}
		}
	}
	return p
}

// compareViews judges the programs of some seeds.
func compareViews(first uint64, n int, out *report) error {
	r, err := newViewRunner(out)
	if err != nil {
		return err
	}
	defer r.close()
	for seed := first; seed < first+uint64(n); seed++ {
		p := generateViews(seed)
		out.Programs++
		out.Kernels++
		v := guarded(func() verdict { return p.judge(r) })
		switch {
		case v.refused != "":
			out.Refused++
			out.refuse(v.refused, 1)
		case v.finding != "":
			text := ""
			if len(out.Findings) < 2**small {
				text = p.smaller(r, v.finding).text()
			}
			out.Findings = append(out.Findings, fmt.Sprintf("views, seed %d: %s\n%s", seed, v.finding, text))
		}
	}
	return nil
}

// TestViews judges compositions of views.
func TestViews(t *testing.T) {
	r := &report{}
	if err := compareViews(*seed, 150, r); err != nil {
		t.Fatal(err)
	}
	r.check(t)
}
