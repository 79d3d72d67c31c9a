package gogen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"

	_ "github.com/cutile-go/cutile/tile"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/front/capture"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/testing/gogen"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// tileLevel has kernels of one tile each: the block's place is the lane, the other arguments are numbers of the launch.
var tileLevel = &level{path: "gogen/tile", imports: "github.com/cutile-go/cutile/tile", unrolled: "$1", kernel: tileKernel}

// tileOf is the tile of one element of a type.
func tileOf(typ string) string {
	m := memory(typ)
	for _, word := range [][2]string{{"uint", "U"}, {"int", "I"}, {"float", "F"}} {
		if bits, ok := strings.CutPrefix(m, word[0]); ok {
			return "tile." + word[1] + bits + "T1[tile.D1]"
		}
	}
	panic("no tile of " + typ)
}

func tileKernel(u unit, c caller) string {
	if c.passed {
		return ""
	}
	var params []string
	for i, typ := range u.p.Params[1:] {
		if c.known>>i&1 == 0 {
			params = append(params, fmt.Sprintf("a%d %s", i, typ))
		}
	}
	if !c.static {
		params = append(params, "row int")
	}
	for i, typ := range u.p.Results {
		params = append(params, fmt.Sprintf("o%d tile.InOut[%s]", i, tileOf(typ)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nfunc %s%d(%s) {\n", c.name, u.n, strings.Join(params, ", "))
	call := func(row int, lane, at string) {
		tuple := u.p.Tuples[row/gogen.Lanes]
		fmt.Fprintf(&b, "\t{\n\t\t%s := %s(%s, %s)\n", names(len(u.p.Results), func(i int) string { return fmt.Sprintf("r%d", i) }), gogen.Entry(u.n), lane,
			names(len(tuple), func(i int) string {
				if c.known>>i&1 == 0 {
					return fmt.Sprintf("a%d", i)
				}
				return literal(u.p.Params[i+1], tuple[i])
			}))
		for i, typ := range u.p.Results {
			fmt.Fprintf(&b, "\t\to%d.Store(%s(r%d), %s)\n", i, tileOf(typ), i, at)
		}
		b.WriteString("\t}\n")
	}
	if c.static {
		for i, row := range c.rows {
			call(row, fmt.Sprint(row%gogen.Lanes), fmt.Sprint(i))
		}
	} else {
		call(c.rows[0], "tile.BlockID(0)", "row+tile.BlockID(0)")
	}
	b.WriteString("}\n")
	return b.String()
}

var packages atomic.Int64

// world loads the programs as one package with the kernels of a level.
func (l *level) world(lang func([]world.Symbol) (*world.World, error), units []unit) (*world.World, string, error) {
	name := fmt.Sprintf("m%d", packages.Add(1))
	path := l.path + "/" + name
	langsrc.Register(&langsrc.Source{Path: path, Dir: path, FS: []fs.FS{l.files(name, units)}})
	var roots []world.Symbol
	for _, u := range units {
		for _, c := range callers(u.p) {
			if c.passed && l != cuteLevel {
				continue
			}
			roots = append(roots, world.Symbol{Path: path, Name: fmt.Sprintf("%s%s%d", l.prefix, c.name, u.n)})
		}
	}
	w, err := lang(roots)
	return w, path, err
}

// function finds a declared function in a world.
func function(w *world.World, path, name string) (*world.Function, error) {
	p, err := source.Load(path)
	if err != nil {
		return nil, err
	}
	r := capture.Ref{Root: world.Symbol{Path: path, Name: name}, Decl: p.Decls[name]}
	return r.Bind(w)
}

// tileRunner compiles and runs programs at the tile level.
type tileRunner struct {
	dev    *cpu.Device
	stream engine.Stream
	out    []engine.Buffer
}

func newTileRunner() (*tileRunner, error) { return newRunner(cpu.Options{Workers: 1}) }

func newRunner(o cpu.Options) (*tileRunner, error) {
	r := &tileRunner{dev: cpu.New(o)}
	var err error
	if r.stream, err = r.dev.NewStream(); err != nil {
		return nil, err
	}
	for range 3 {
		b, err := r.dev.Alloc(8 * rows)
		if err != nil {
			return nil, err
		}
		r.out = append(r.out, b)
	}
	return r, nil
}

func (r *tileRunner) close() { r.stream.Close(); r.dev.Close() }

// lowered compiles a kernel whose views have one dimension, of which only the stride is known.
func lowered(w *world.World, path, name string) (*lower.Output, error) {
	fn, err := function(w, path, name)
	if err != nil {
		return nil, err
	}
	in := &lower.Input{World: describe.Of(w), Kernel: fn, Args: make([]lower.Arg, fn.Sig.Params().Len())}
	for i := range in.Args {
		in.Args[i] = lower.Arg{ExtentDiv: []int64{0}, StrideDiv: []int64{0}, Unit: []bool{true}}
	}
	return lower.Kernel(in)
}

// judge runs a kernel before and after the passes.
func (r *tileRunner) judge(w *world.World, path string, u unit, c caller, want results) verdict {
	w.Lock()
	defer w.Unlock()
	out, err := lowered(w, path, fmt.Sprintf("%s%d", c.name, u.n))
	if err != nil {
		return refusal(err)
	}
	return beforeAndAfter(out, func(m *tileir.Module) string {
		got, err := r.run(m, u, c)
		if err != nil {
			return err.Error()
		}
		if d := differences(u.p, c, got, want); d != "" {
			return d
		}
		return ""
	})
}

func (r *tileRunner) run(m *tileir.Module, u unit, c caller) (results, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	k, err := r.dev.Compile(ctx, m, m.Entries[0].Name)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	for _, b := range r.out {
		clear(b.Host())
	}
	sets, grid := len(c.rows)/gogen.Lanes, gogen.Lanes
	if c.static {
		sets, grid = 1, 1
	}
	for s := range sets {
		var args []uint64
		for i, bits := range u.p.Tuples[c.rows[s*gogen.Lanes*b2i(!c.static)]/gogen.Lanes] {
			if c.known>>i&1 == 0 {
				args = append(args, bits)
			}
		}
		if !c.static {
			args = append(args, uint64(s*gogen.Lanes))
		}
		for i := range u.p.Results {
			args = append(args, r.out[i].Address(), rows, 1)
		}
		if err := r.stream.Launch(k, [3]uint32{uint32(grid), 1, 1}, args); err != nil {
			return nil, err
		}
	}
	if err := r.stream.Wait(ctx); err != nil {
		if s, ok := r.stream.(engine.Stopping); ok && ctx.Err() != nil {
			s.Stop()
			_ = r.stream.Wait(context.Background())
		}
		return nil, err
	}
	var mem [][]byte
	for _, b := range r.out {
		mem = append(mem, b.Host())
	}
	return gather(u, c, mem), nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// gather reads the results of a kernel's rows from memory, a buffer for each result.
func gather(u unit, c caller, mem [][]byte) (got results) {
	for i := range c.rows {
		var row []uint64
		for k, typ := range u.p.Results {
			n := size(typ)
			var b [8]byte
			copy(b[:], mem[k][i*n:][:n])
			row = append(row, binary.LittleEndian.Uint64(b[:]))
		}
		got = append(got, row)
	}
	return got
}

// beforeAndAfter judges a kernel as it was lowered, and after the passes; judge says what is wrong.
func beforeAndAfter(out *lower.Output, judge func(m *tileir.Module) string) verdict {
	m := &tileir.Module{Producer: "gogen", Globals: out.Globals, Entries: []*tileir.Entry{out.Entry}}
	for _, stage := range []string{"without passes", "with passes"} {
		if stage == "with passes" {
			if err := passes.Run(context.Background(), out.Entry); err != nil {
				return verdict{finding: stage + ": " + err.Error()}
			}
		}
		if err := tileir.Verify(m, tileir.Newest); err != nil {
			return verdict{finding: stage + ": not valid: " + err.Error()}
		}
		if wrong := judge(m); wrong != "" {
			return verdict{finding: stage + ": " + wrong}
		}
	}
	return verdict{}
}
