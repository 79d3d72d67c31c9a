package threadtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/dwarftest"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestVariables gives the values of random modules and products to a few variables, as if these were assigned there. While the PTX runs on the
// emulator, the places that its DWARF has must hold what the CPU engine, which prints each assignment, says that the variables hold then.
// THREADFUZZ_MODULES and THREADFUZZ_PRODUCTS say how many there are for each architecture, and THREADFUZZ_SEED where to begin.
func TestVariables(t *testing.T) {
	modules, products := 150, 12
	if testing.Short() {
		modules, products = 50, 4
	}
	first := uint64(number("THREADFUZZ_SEED", 0))
	for i, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a"} {
		t.Run(arch, func(t *testing.T) {
			w := &watcher{t: t, arch: arch, options: threads.Options{Exact: true, Debug: true}}
			r, err := nativefuzz.NewEngineRunner(10*time.Second, nativefuzz.Engine{Name: "the emulator for " + arch, Run: w.run})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for k := range uint64(number("THREADFUZZ_MODULES", modules)) {
				p := nativefuzz.Generate(first + 4*k + uint64(i))
				if p.Grid != [3]uint32{1, 1, 1} || meets(p) || enough(t) { // each block would have variables of its own, and an order no meaning
					continue
				}
				if rep, err := r.Run(p); err != nil || rep.Diff != "" {
					t.Fatalf("seed %d: %s, %v", p.Seed, rep.Diff, err)
				}
			}
			random, looks := w.seen, w.looks
			w.options = threads.Options{Tensors: true, Debug: true}
			for k := range uint64(number("THREADFUZZ_PRODUCTS", products)) {
				seed := first + 4*k + uint64(i)
				if p := newProduct(seed); !enough(t) {
					if err := p.run(nativefuzz.Engine{Run: w.run}, seed, seed); err != nil {
						t.Fatalf("product %d, %+v: %v", seed, *p, err)
					}
				}
			}
			t.Logf("in modules, a variable is somewhere %d of %d times, and in products %d of %d times", random, looks, w.seen-random, w.looks-looks)
			if random < looks/5 || w.seen-random < (w.looks-looks)/5 {
				t.Error("variables are hardly anywhere")
			}
		})
	}
}

// watcher watches the variables of one program.
type watcher struct {
	t       *testing.T
	arch    string
	options threads.Options

	p           *nativefuzz.Program
	r           *rand.Rand
	vars        map[string]*tileir.Variable
	names       []string
	types       map[string]*tileir.TileType // by variable
	marks       int
	seen, looks int
}

// run runs the module by the CPU engine, which prints assignments, and by the emulator, which prints what is at places.
func (w *watcher) run(p *nativefuzz.Program, data [][]byte) (refused, fault string, err error) {
	m, err := text.Parse(text.Sprint(p.Module), text.ParseOptions{})
	if err != nil {
		return "", "", err
	}
	printing, err := text.Parse(text.Sprint(p.Module), text.ParseOptions{})
	if err != nil {
		return "", "", err
	}
	w.p, w.r, w.names, w.marks = p, rand.New(rand.NewPCG(p.Seed, 7)), nil, 0
	w.vars, w.types = map[string]*tileir.Variable{}, map[string]*tileir.TileType{}
	e := m.Entries[0]
	e.Loc = tileir.Loc{File: "module.go", Line: 1, Col: 1}
	w.assign(e, e.Body, printing.Entries[0].Body, nil, nil)
	log := &bytes.Buffer{}
	if err := w.reference(printing, data, log); err != nil {
		return "", "", err
	}
	said, refused, err := w.emulate(m, data, w.options)
	if err == nil && refused == "" {
		w.compare(log.String(), said)
	}
	return refused, "", err
}

// emulate runs the kernel on the emulator and gives what it prints.
func (w *watcher) emulate(m *tileir.Module, data [][]byte, o threads.Options) (said, refused string, err error) {
	code, err := threads.PTX(m, m.Entries[0].Name, w.arch, o)
	var no *threads.Error
	if errors.As(err, &no) {
		return "", no.Text, nil
	} else if err != nil {
		return "", "", err
	}
	l := launchOf(w.p, code, data)
	var maps bool
	if l.Bytes, maps = emuprofile.TensorMaps(code.Kernels[0], l.Args); !maps {
		o.Tensors = false
		return w.emulate(m, data, o)
	}
	l.Args = append(l.Args, make([]uint64, len(code.Kernels[0].Tensors))...)
	src, err := ptx.WriteLines(code, w.arch)
	if err != nil {
		return "", "", err
	}
	if err := simt.Verify(code, w.arch); err != nil {
		return "", "", err
	}
	w.instrument(code.Kernels[0], dwarftest.PTX(w.t, string(src)))
	prog, err := emu.Load(code)
	if err != nil {
		return "", "", err
	}
	out := &bytes.Buffer{}
	l.Stdout = out
	err = prog.Run(context.Background(), l)
	return out.String(), "", err
}

// assign makes holdings for the values of a block, and prints of them in the other module's. Before each operation there is a mark.
func (w *watcher) assign(e *tileir.Entry, b, twin *tileir.Block, values, twins []*tileir.Value) {
	var out []*tileir.Op
	values, twins = append(values, b.Args...), append(twins, twin.Args...)
	for i, o := range b.Ops {
		o.Loc = tileir.Loc{File: "module.go", Line: 2, Col: 1}
		for k, v := range values {
			if t, ok := v.Type.(*tileir.TileType); ok && !t.Pointer && shows(t) && w.r.IntN(8) > 0 {
				out = append(out, w.holding(e, o, t, v, twins[k]))
			}
		}
		values, twins = nil, nil
		w.marks++
		mark := &tileir.Variable{Name: fmt.Sprintf("mark%d", w.marks), Loc: tileir.Loc{File: "module.go", Line: 1}, Until: tileir.Loc{Line: 3}}
		e.Holdings = append(e.Holdings, tileir.Holding{Variable: mark, Before: o, What: &tileir.VariablePart{Elem: tileir.I32, Bits: uint64(w.marks)}})
		out = append(out, printOf(fmt.Sprintf("mark %d\n", w.marks)), twin.Ops[i])
		if o.Info.Opcode != tileir.OpReduce && o.Info.Opcode != tileir.OpScan {
			for k, r := range o.Regions {
				if r != nil {
					w.assign(e, r, twin.Ops[i].Regions[k], nil, nil)
				}
			}
		}
		values, twins = o.Results, twin.Ops[i].Results
	}
	twin.Ops = out
}

// shows reports whether debuggers see elements of a type, and both engines print them alike.
func shows(t *tileir.TileType) bool {
	return t.Elem == tileir.I1 || t.Elem.Bits() > 8 && t.Elem != tileir.TF32 || t.Elem == tileir.I8
}

// holding assigns a value to one of the two variables of its type.
func (w *watcher) holding(e *tileir.Entry, before *tileir.Op, t *tileir.TileType, v, twin *tileir.Value) *tileir.Op {
	name := fmt.Sprintf("%v%d", t, w.r.IntN(2))
	x := w.vars[name]
	if x == nil {
		x = &tileir.Variable{Name: name, Loc: tileir.Loc{File: "module.go", Line: 1}, Until: tileir.Loc{Line: 3}}
		w.vars[name], w.types[name] = x, t
		w.names = append(w.names, name)
	}
	h := tileir.Holding{Variable: x, Before: before, What: &tileir.VariablePart{Type: "v", Value: v}}
	out := printOf(fmt.Sprintf("set %s|%%%c\n", name, map[bool]byte{true: 'a', false: 'd'}[t.Elem.IsFloat()]), twin)
	switch w.r.IntN(20) {
	case 0: // nothing is known of it
		h.What = nil
		out = printOf(fmt.Sprintf("set %s|\n", name))
	case 1:
		if t.Size() == 1 && t.Elem == tileir.I32 {
			h.What = &tileir.VariablePart{Type: "v", Elem: t.Elem, Bits: uint64(uint32(1<<32 - 7))}
			out = printOf(fmt.Sprintf("set %s|-7\n", name))
		}
	}
	e.Holdings = append(e.Holdings, h)
	return out
}

func printOf(format string, args ...*tileir.Value) *tileir.Op {
	return tileir.NewOp(tileir.LookupOpcode(tileir.OpPrintTko), [][]*tileir.Value{args, nil}, []tileir.Attr{tileir.String(format)}, []tileir.Type{tileir.Token}, nil, tileir.Loc{})
}

// reference runs the module that prints.
func (w *watcher) reference(m *tileir.Module, data [][]byte, log *bytes.Buffer) error {
	d := cpu.New(cpu.Options{Workers: 1, Interpret: true, Output: log})
	defer d.Close()
	k, err := d.Compile(w.t.Context(), m, m.Entries[0].Name)
	if err != nil {
		return fmt.Errorf("%w in\n%s", err, text.Sprint(m))
	}
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	var args []uint64
	for i, q := range w.p.Params {
		if q.Elems < 0 {
			args = append(args, q.Bits)
			continue
		}
		b, err := d.Alloc(int64(len(data[i-scalarsBefore(w.p, i)])))
		if err != nil {
			return err
		}
		if err := s.Write(b, 0, data[i-scalarsBefore(w.p, i)]); err != nil {
			return err
		}
		args = append(args, b.Address())
	}
	if err := s.Launch(k, w.p.Grid, args); err != nil {
		return err
	}
	return s.Wait(w.t.Context())
}

func scalarsBefore(p *nativefuzz.Program, i int) (n int) {
	for _, q := range p.Params[:i] {
		if q.Elems < 0 {
			n++
		}
	}
	return n
}

// launchOf is a launch of a program's kernel on the emulator.
func launchOf(p *nativefuzz.Program, code *simt.Module, data [][]byte) emu.Launch {
	mem := &emu.Memory{}
	l := emu.Launch{Kernel: code.Kernels[0].Name, Shared: code.Kernels[0].Shared, Memory: mem, Workers: 1, Grid: [3]int{1, 1, 1}}
	for i, q := range p.Params {
		if q.Elems < 0 {
			l.Args = append(l.Args, q.Bits)
			continue
		}
		at := uint64(i+1) << 36
		mem.Map(at, data[i-scalarsBefore(p, i)], fmt.Sprintf("parameter %d", i), false)
		l.Args = append(l.Args, at)
	}
	return l
}

// instrument prints what some variables hold where a mark stands, by their places: a line for each thread.
func (w *watcher) instrument(f *simt.Func, places []*dwarftest.Variable) {
	var body []simt.Instr
	mark := ""
	for i, in := range f.Body {
		switch {
		case in.Op == simt.OpVar && strings.HasPrefix(in.Var.Name, "mark"):
			mark = in.Var.Name[len("mark"):]
		case in.Op == simt.OpVar || in.Op == simt.OpLabel:
			mark = ""
		case mark != "":
			for _, k := range w.r.Perm(len(w.names))[:min(3, len(w.names))] {
				name := w.names[k]
				w.looks++
				for _, v := range places { // one for each type that it has
					if pieces := v.At(uint64(i)); v.Name == name && pieces != nil && len(pieces) <= 64 {
						w.seen++
						body = append(body, dwarftest.Printing(w.t, f, pieces, fmt.Sprintf("at %s %%u %s|", mark, name), simt.S("%tid.x"))...)
					}
				}
			}
			mark = ""
		}
		body = append(body, in)
	}
	f.Body = body
}

// compare holds what the emulator has printed against what the CPU engine has: all threads of a mark together have each element equally often.
func (w *watcher) compare(log, said string) {
	now := map[string]string{}
	at := map[string][]map[string]string{} // by mark: what variables hold, each time
	for _, line := range strings.Split(log, "\n") {
		if mark, ok := strings.CutPrefix(line, "mark "); ok {
			copied := map[string]string{}
			for k, v := range now {
				copied[k] = v
			}
			at[mark] = append(at[mark], copied)
		} else if set, ok := strings.CutPrefix(line, "set "); ok {
			name, value, _ := strings.Cut(set, "|")
			now[name] = value
		}
	}
	found := map[string]map[string]int{} // by mark, time and variable: how often threads have each element
	times := map[string]int{}            // by mark, thread and variable
	for _, line := range strings.Split(strings.TrimSuffix(said, "\n"), "\n") {
		rest, ok := strings.CutPrefix(line, "at ")
		if !ok {
			continue
		}
		head, values, _ := strings.Cut(rest, "|")
		mark, more, _ := strings.Cut(head, " ")
		_, name, _ := strings.Cut(more, " ")
		key := fmt.Sprint(mark, "|", times[head], "|", name)
		times[head]++
		if found[key] == nil {
			found[key] = map[string]int{}
		}
		for _, x := range strings.Fields(values) {
			found[key][w.element(name, x)]++
		}
	}
	for key, got := range found {
		parts := strings.Split(key, "|")
		time, _ := strconv.Atoi(parts[1])
		name := parts[2]
		want := map[string]int{}
		if time >= len(at[parts[0]]) {
			w.t.Errorf("seed %d, %s: mark %s comes %d times, want %d", w.p.Seed, w.arch, parts[0], time+1, len(at[parts[0]]))
			return
		}
		for _, x := range strings.FieldsFunc(at[parts[0]][time][name], func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
			want[normal(x)]++
		}
		total, size := 0, 0
		for _, n := range got {
			total += n
		}
		for _, n := range want {
			size += n
		}
		if size == 0 || total%size != 0 {
			w.t.Errorf("seed %d, %s: mark %s, time %d: %s holds %v, want %v", w.p.Seed, w.arch, parts[0], time, name, got, want)
			return
		}
		for x, n := range want {
			want[x] = n * (total / size)
		}
		if !maps.Equal(got, want) {
			maps.DeleteFunc(got, func(x string, n int) bool { same := want[x] == n; delete(want, x); return same })
			w.t.Errorf("seed %d, %s: mark %s, time %d: of %s threads hold %v, want %v", w.p.Seed, w.arch, parts[0], time, name, got, want)
			return
		}
	}
}

// element is a register's content as a number of the variable's type.
func (w *watcher) element(name, hex string) string {
	bits, err := strconv.ParseUint(hex, 16, 64)
	if err != nil {
		w.t.Fatal(err)
	}
	switch e := w.types[name].Elem; {
	case e == tileir.I1:
		return strconv.FormatUint(bits&1, 10)
	case e == tileir.F64:
		return normal(fmt.Sprint(math.Float64frombits(bits)))
	case e == tileir.F32 || e == tileir.BF16:
		return normal(fmt.Sprint(float64(math.Float32frombits(uint32(bits)))))
	case e.IsFloat():
		return normal(fmt.Sprint(tileir.FloatOf(e, bits)))
	default:
		n := 64 - e.Bits()
		return strconv.FormatInt(int64(bits<<n)>>n, 10)
	}
}

// normal is a number in one form.
func normal(x string) string {
	if n, err := strconv.ParseInt(x, 10, 64); err == nil && x != "-0" {
		return strconv.FormatInt(n, 10)
	}
	f, err := strconv.ParseFloat(x, 64)
	if err != nil {
		return x
	}
	if f != f {
		return "NaN"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
