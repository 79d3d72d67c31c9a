package threadtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// surgeon runs programs in which one barrier of the block or of a warp is another instruction.
type surgeon struct {
	*nativefuzz.Runner
	which int
	by    string // "" for none
}

func newSurgeon(t *testing.T, o threads.Options) *surgeon {
	s := &surgeon{}
	change := func(m *simt.Module) {
		n := 0
		f := m.Kernels[0]
		body := f.Body[:0]
		for _, in := range f.Body {
			if in.Op == "bar.sync" || in.Op == "bar.warp.sync" {
				n++
				if n-1 == s.which {
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

// noticed reports whether the emulator finds a race, or another result, where a barrier is another instruction.
func (s *surgeon) noticed(t *testing.T, p *nativefuzz.Program, which int, by string) bool {
	t.Helper()
	s.which, s.by = which, by
	rep, err := s.Run(p)
	if err != nil {
		t.Fatal(p.Seed, err)
	}
	return rep.Diff != ""
}

// reasons says of each barrier of a program what it is for, in the order of the text.
func reasons(p *nativefuzz.Program, o threads.Options) (list []string) {
	x, err := threads.Explain(p.Module, "sm_80", o)
	if err != nil { // it is refused
		return nil
	}
	x.Kernel.Body.All(func(in *ir.Instr) {
		if in.Op == ir.Barrier {
			list = append(list, in.Text)
		}
	})
	return list
}

// idle has the barriers for shared memory that no run of a program can miss, with the reason, by seed and number.
var idle = map[[2]int]string{
	{129, 0}: "it divides the turns of a loop, which makes only one",
	{104, 0}: "a barrier of a loop inside divides the turns, too, if that makes a turn",
}

// TestBarriers leaves out one barrier after the other, where parameters have memory of their own. Without one between accesses to shared
// memory, the emulator must notice that, unless no thread comes there. One that orders accesses to global memory may stand between
// accesses that do not meet when the program runs, which the compiler cannot know: see TestMemoryBarriers.
func TestBarriers(t *testing.T) {
	o := threads.Options{Exact: true, Apart: true}
	s := newSurgeon(t, o)
	shared, missed, never := 0, 0, 0
	for seed := range uint64(number("THREADFUZZ_BARRIERS", 150)) {
		p := nativefuzz.Generate(seed)
		for i, why := range reasons(p, o) {
			switch {
			case s.noticed(t, p, i, ""):
				missed++
			case !s.noticed(t, p, i, "trap"):
				never++
			case why == ir.ForShared && idle[[2]int{int(seed), i}] == "":
				t.Errorf("seed %d: nobody misses barrier %d", seed, i)
			}
			if why == ir.ForShared {
				shared++
			}
		}
	}
	t.Logf("%d barriers for shared memory; %d barriers are missed, %d are not reached", shared, missed, never)
	if shared < 50 {
		t.Errorf("only %d barriers for shared memory", shared)
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
			if s.noticed(t, p, -1, "") {
				t.Fatal("it is wrong with all barriers")
			}
			list := reasons(p, o)
			if len(list) == 0 {
				t.Fatal("there is no barrier")
			}
			for i, why := range list {
				if !s.noticed(t, p, i, "") {
					t.Errorf("nobody misses barrier %d, for %s", i, why)
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
