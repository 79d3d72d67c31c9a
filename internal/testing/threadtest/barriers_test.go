package threadtest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// surgeon runs programs in which barriers of the block or of a warp are another instruction.
type surgeon struct {
	*nativefuzz.Runner
	out []int  // the barriers
	by  string // "" for none
}

func newSurgeon(t *testing.T, o threads.Options) *surgeon {
	s := &surgeon{}
	change := func(m *simt.Module) {
		n := 0
		f := m.Kernels[0]
		body := f.Body[:0]
		for _, in := range f.Body {
			if isBarrier(in.Op) {
				n++
				if slices.Contains(s.out, n-1) {
					if s.by == "" {
						continue
					}
					in = simt.Instr{Op: s.by, Guard: simt.NoReg}
				}
			}
			body = append(body, in)
		}
		f.Body = body
	}
	var err error
	if s.Runner, err = nativefuzz.NewEngineRunner(10*time.Second, threadtest.Changed("sm_80", o, change)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// isBarrier reports whether an instruction is a barrier of the block or of a warp.
func isBarrier(op string) bool { return op == "bar.sync" || op == "bar.warp.sync" }

// noticed reports whether the emulator finds a race, or another result, where barriers are another instruction.
func (s *surgeon) noticed(t *testing.T, p *nativefuzz.Program, by string, out ...int) bool {
	t.Helper()
	s.out, s.by = out, by
	rep, err := s.Run(p)
	if err != nil {
		t.Fatal(p.Seed, err)
	}
	return rep.Diff != ""
}

// reason is what a barrier is for, and whether it lies in a loop.
type reason struct {
	text    string
	looping bool
}

// reasons are those of a program's barriers, in the order of the text.
func reasons(p *nativefuzz.Program, o threads.Options) (list []reason) {
	x, err := threads.Explain(p.Module, "sm_80", o)
	if err != nil { // it is refused
		return nil
	}
	var block func(b *ir.Block, looping bool)
	block = func(b *ir.Block, looping bool) {
		for _, in := range b.Instrs {
			if in.Op == ir.Barrier {
				list = append(list, reason{in.Text, looping})
			}
			for _, inner := range in.Body {
				block(inner, looping || in.Op == ir.Loop)
			}
		}
	}
	block(x.Kernel.Body, false)
	return list
}

// once reports whether threads come to a barrier no more often than to the loop that it lies in.
func (s *surgeon) once(t *testing.T, p *nativefuzz.Program, which int) bool {
	t.Helper()
	var seen []*emu.Account
	stop, ok := emu.Watch(func(a *emu.Account) { seen = append(seen, a) })
	if !ok {
		t.Fatal("somebody else counts")
	}
	defer stop()
	if s.noticed(t, p, "") || len(seen) != 1 {
		t.Fatalf("seed %d: it is wrong with all barriers, or there are %d launches", p.Seed, len(seen))
	}
	a, n := seen[0], 0
	for i, in := range a.Kernel.Body {
		if isBarrier(in.Op) {
			if n == which {
				at := head(a.Kernel.Body, i)
				return at > 0 && a.Counts[i].Executed <= a.Counts[at-1].Executed
			}
			n++
		}
	}
	t.Fatalf("seed %d has no barrier %d", p.Seed, which)
	return false
}

// head is where the innermost loop around an instruction begins: a label to which something behind jumps back; 0 if there is none.
func head(body []simt.Instr, at int) int {
	back := map[int]bool{}
	for _, in := range body[at:] {
		if in.Op == "bra" {
			back[in.Src[0].Label] = true
		}
	}
	for i := at; i > 0; i-- {
		if body[i].Op == simt.OpLabel && back[body[i].Src[0].Label] {
			return i
		}
	}
	return 0
}

// shares finds another barrier that does a barrier's work too, on the ways that a run takes: nobody misses one of them, but somebody both.
func (s *surgeon) shares(t *testing.T, p *nativefuzz.Program, which, barriers int) bool {
	t.Helper()
	for i := range barriers {
		if i != which && !s.noticed(t, p, "", i) && s.noticed(t, p, "", i, which) {
			return true
		}
	}
	return false
}

// TestBarriers leaves out one barrier after the other, where parameters have memory of their own. Without one between accesses to shared
// memory, the emulator must notice that, unless no thread comes there, or it divides the turns of a loop which makes only one, and the compiler
// cannot know that. One that orders accesses to global memory may stand between accesses that do not meet when the program runs, which the
// compiler cannot know, either: see TestMemoryBarriers. THREADFUZZ_BARRIERS says how many programs there are.
func TestBarriers(t *testing.T) {
	o := threads.Options{Exact: true, Apart: true}
	s := newSurgeon(t, o)
	shared, missed, never, single, double := 0, 0, 0, 0, 0
	for seed := range uint64(number("THREADFUZZ_BARRIERS", 150)) {
		p := nativefuzz.Generate(seed)
		list := reasons(p, o)
		for i, why := range list {
			switch {
			case s.noticed(t, p, "", i):
				missed++
			case !s.noticed(t, p, "trap", i):
				never++
			case why.text != ir.ForShared:
			case why.looping && s.once(t, p, i):
				single++
			case s.shares(t, p, i, len(list)):
				double++
			default:
				t.Errorf("seed %d: nobody misses barrier %d", seed, i)
			}
			if why.text == ir.ForShared {
				shared++
			}
		}
	}
	t.Logf("%d barriers for shared memory; %d barriers are missed, %d are not reached, %d are in loops of one turn, %d share their work", shared, missed, never, single, double)
	if shared < 50 || single*50 > shared {
		t.Errorf("only %d barriers for shared memory, or too many in loops of one turn: %d", shared, single)
	}
}

// TestMemoryBarriers leaves out barriers that order accesses to global memory which meet there, of different threads: one goes through a view,
// and the other through pointers in the reverse order.
func TestMemoryBarriers(t *testing.T) {
	for name, body := range map[string]string{
		"read, write what was read": "%x, %r = READ\n%s = store_ptr_tko weak %back, %x : POINTERS, TILE -> token\n",
		"read, write": "%x, %r = READ\n%s = store_ptr_tko weak %back, %n token=%r : POINTERS, TILE -> token\n" +
			"%z = store_ptr_tko weak %other, %x token=%s : POINTERS, TILE -> token\n",
		"write, read": "%s = store_view_tko weak %n, WRITE\n%x, %r = load_ptr_tko weak %back token=%s : POINTERS -> TILE, token\n" +
			"%z = store_ptr_tko weak %other, %x token=%r : POINTERS, TILE -> token\n",
		"write, write": "%s = store_view_tko weak %n, WRITE\n%z = store_ptr_tko weak %back, %n token=%s : POINTERS, TILE -> token\n",
	} {
		t.Run(name, func(t *testing.T) {
			o := threads.Options{Exact: true, Apart: true}
			s, p := newSurgeon(t, o), meeting(t, body)
			if s.noticed(t, p, "") {
				t.Fatal("it is wrong with all barriers")
			}
			list := reasons(p, o)
			if len(list) == 0 {
				t.Fatal("there is no barrier")
			}
			for i, why := range list {
				if !s.noticed(t, p, "", i) {
					t.Errorf("nobody misses barrier %d, for %s", i, why.text)
				}
			}
		})
	}
}

// meeting makes a program of accesses: to memory by a view, to the same by pointers in the reverse order, and to other memory.
func meeting(t *testing.T, body string) *nativefuzz.Program {
	t.Helper()
	text := `// seed 1
// grid 1 1 1
// param i32 1024 true 0
// param i32 1024 true 0
entry @k(%a: tile<ptr<i32>>, %b: tile<ptr<i32>>) {
	%n = iota : TILE
	%last = constant <i32: 1023> : TILE
	%m = subi %last, %n : TILE
	%a1 = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
	%as = broadcast %a1 : tile<1xptr<i32>> -> POINTERS
	%back = offset %as, %m : POINTERS, TILE -> POINTERS
	%b1 = reshape %b : tile<ptr<i32>> -> tile<1xptr<i32>>
	%bs = broadcast %b1 : tile<1xptr<i32>> -> POINTERS
	%other = offset %bs, %n : POINTERS, TILE -> POINTERS
	%t = make_tensor_view %a, shape = [1024], strides = [1] : tensor_view<1024xi32, strides=[1]>
	%v = make_partition_view %t : VIEW
	%o = constant <i32: 0> : tile<i32>
` + body + "return\n}\n"
	for _, short := range [][2]string{
		{"READ", "load_view_tko weak %v[%o] : VIEW, tile<i32> -> TILE, token"}, {"WRITE", "%v[%o] : TILE, VIEW, tile<i32> -> token"},
		{"VIEW", "partition_view<tile=(1024), tensor_view<1024xi32, strides=[1]>>"},
		{"TILE", "tile<1024xi32>"}, {"POINTERS", "tile<1024xptr<i32>>"},
	} {
		text = strings.ReplaceAll(text, short[0], short[1])
	}
	p, err := nativefuzz.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
