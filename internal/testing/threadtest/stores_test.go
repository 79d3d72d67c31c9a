package threadtest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// stored is a random kernel that stores turned tiles of a matrix in another one, of which some elements may be outside, and then perhaps looks
// at them again.
type stored struct {
	elem          string
	m, n          int // of the tile that is stored
	rows, columns int // of the matrix
	gap           int // elements between its rows
	batch         bool
	how           string
}

// ways are what else such a kernel does.
var ways = []string{"plain", "loop", "chain", "twice", "back", "over", "read", "early", "two"}

func newStored(seed uint64) *stored {
	r := rand.New(rand.NewPCG(seed, 29))
	s := &stored{elem: pick(r, "i8", "f16", "f32", "bf16", "i32"), how: ways[seed%uint64(len(ways))], batch: r.IntN(4) == 0}
	s.m, s.n = 16<<r.IntN(4), 32<<r.IntN(3)
	for elem.ByIR(s.elem).Bits/8*s.m*s.n < 4<<10 {
		s.m *= 2
	}
	s.rows, s.columns = pick(r, 2*s.m, 2*s.m-3, s.m/2+1, 3*s.m+5), pick(r, 2*s.n, 2*s.n-7, s.n/2+1, 3*s.n-1, 2*s.n)
	if r.IntN(8) == 0 { // of which there is no tensor map: launches take other code
		s.columns = 0
	}
	s.gap = 16*(1+r.IntN(2)) - s.columns%16
	return s
}

// types are those of the tile, and of the views of source and result, with what is in front of an index of the result.
func (s *stored) types() (tile, from, to, front string) {
	lead, ones := "", ""
	if s.batch {
		lead, ones, front = "1x", "?,", "%zero, "
	}
	all := fmt.Sprintf("%dx%d", 4*s.n, 4*s.m)
	from = fmt.Sprintf("partition_view<tile=(%dx%d), tensor_view<%sx%s, strides=[%d,1]>>", s.n, s.m, all, s.elem, 4*s.m)
	shape := "?x?"
	if s.batch {
		shape = "?x?x?"
	}
	to = fmt.Sprintf("partition_view<tile=(%s%dx%d), tensor_view<%sx%s, strides=[%s?,1]>>", lead, s.m, s.n, shape, s.elem, ones)
	return fmt.Sprintf("tile<%s%dx%dx%s>", lead, s.m, s.n, s.elem), from, to, front
}

// text is the kernel.
func (s *stored) text() string {
	var b strings.Builder
	pointer := "tile<ptr<" + s.elem + ">>"
	tile, from, to, _ := s.types()
	fmt.Fprintf(&b, "entry @k(%%a: %s, %%c: %[1]s, %%d: %[1]s, %%r: tile<i32>, %%q: tile<i32>, %%s: tile<i32>) {\n", pointer)
	b.WriteString("  %start = make_token : token\n  %x, %y, %z = get_tile_block_id : tile<i32>\n")
	for i := range 4 {
		fmt.Fprintf(&b, "  %%%s = constant <i32: %d> : tile<i32>\n", []string{"zero", "one", "two", "three"}[i], i)
	}
	b.WriteString("  %minus = constant <i32: -1> : tile<i32>\n  %stride = assume div_by<16>, %s : tile<i32>\n")
	for _, name := range []string{"a", "c", "d"} {
		fmt.Fprintf(&b, "  %%p%s = assume div_by<16>, %%%[1]s : %s\n", name, pointer)
	}
	shape, strides, lead := "%r, %q", "%stride, 1", ""
	if s.batch {
		shape, strides, lead = "%one, %r, %q", "%stride, %stride, 1", "1x"
	}
	fmt.Fprintf(&b, "  %%ta = make_tensor_view %%pa, shape = [%d, %d], strides = [%[2]d, 1] : %s\n", 4*s.n, 4*s.m, inner(from))
	fmt.Fprintf(&b, "  %%va = make_partition_view %%ta : %s\n", from)
	for _, name := range []string{"c", "d"} {
		fmt.Fprintf(&b, "  %%t%s = make_tensor_view %%p%[1]s, shape = [%s], strides = [%s] : tile<i32> -> %s\n", name, shape, strides, inner(to))
		fmt.Fprintf(&b, "  %%v%s = make_partition_view %%t%[1]s : %s\n", name, to)
	}
	small := strings.Replace(to, fmt.Sprintf("tile=(%s%dx%d)", lead, s.m, s.n), fmt.Sprintf("tile=(%s8x8)", lead), 1)
	s.body(&b, tile, small)
	return b.String() + "  return\n}\n"
}

// inner is the type of the tensor view of a partition view.
func inner(view string) string {
	return strings.TrimSuffix(view[strings.Index(view, "tensor_view"):], ">")
}

// turned writes the load of tile %name, which is turned around.
func (s *stored) turned(b *strings.Builder, name, row, column string) {
	tile, from, _, _ := s.types()
	raw, flat := fmt.Sprintf("tile<%dx%dx%s>", s.n, s.m, s.elem), fmt.Sprintf("tile<%dx%dx%s>", s.m, s.n, s.elem)
	fmt.Fprintf(b, "  %%%s0, %%%[1]st = load_view_tko weak %%va[%s, %s] token = %%start : %s, tile<i32> -> %s, token\n", name, row, column, from, raw)
	fmt.Fprintf(b, "  %%%s1 = permute %%%[1]s0 [1, 0] : %s -> %s\n  %%%[1]s = reshape %%%[1]s1 : %[3]s -> %[4]s\n", name, raw, flat, tile)
}

// store writes a store, which gives the token.
func (s *stored) store(b *strings.Builder, token, value, view, row, column, after string) {
	tile, _, to, front := s.types()
	fmt.Fprintf(b, "  %%%s = store_view_tko weak %%%s, %%%s[%s%s, %s] token = %%%s : %s, %s, tile<i32> -> token\n", token, value, view, front, row, column, after, tile, to)
}

// load writes a load of the result.
func (s *stored) load(b *strings.Builder, name, row, column, after string) {
	tile, _, to, front := s.types()
	fmt.Fprintf(b, "  %%%s, %%%[1]st = load_view_tko weak %%vc[%s%s, %s] token = %%%s : %s, tile<i32> -> %s, token\n", name, front, row, column, after, to, tile)
}

func (s *stored) body(b *strings.Builder, tile, small string) {
	const each = "  %%end = for %%i in (%%minus to %%three, step %%one) : tile<i32> iter_values(%%before = %%start) -> (token) {\n"
	switch s.how {
	case "plain":
		s.turned(b, "v", "%x", "%one")
		s.store(b, "end", "v", "vc", "%x", "%one", "start")
	case "loop": // tiles before the first one, and behind the last
		fmt.Fprintf(b, each)
		s.turned(b, "v", "%x", "%x")
		s.store(b, "done", "v", "vc", "%i", "%x", "start")
		b.WriteString("  continue %before : token\n  }\n")
	case "chain": // the last one stays
		fmt.Fprintf(b, each)
		b.WriteString("  %n = addi %i, %one : tile<i32>\n")
		s.turned(b, "v", "%n", "%x")
		s.store(b, "done", "v", "vc", "%zero", "%x", "before")
		b.WriteString("  continue %done : token\n  }\n")
	case "twice":
		s.turned(b, "v", "%x", "%one")
		s.turned(b, "w", "%one", "%x")
		s.store(b, "done", "v", "vc", "%zero", "%x", "start")
		s.store(b, "end", "w", "vc", "%zero", "%x", "done")
	case "back":
		s.turned(b, "v", "%x", "%one")
		s.store(b, "done", "v", "vc", "%zero", "%x", "start")
		s.load(b, "w", "%zero", "%x", "done")
		s.store(b, "end", "w", "vd", "%zero", "%x", "start")
	case "over":
		s.smallFirst(b, small)
		s.turned(b, "v", "%x", "%one")
		s.store(b, "end", "v", "vc", "%zero", "%x", "first")
	case "read": // the tile goes where it comes from, turned around once more
		s.load(b, "v", "%zero", "%x", "start")
		s.back(b, tile)
		s.store(b, "end", "u", "vc", "%zero", "%x", "start")
	case "early":
		s.turned(b, "v", "%x", "%one")
		b.WriteString("  %first = cmpi equal %x, %zero, signed : tile<i32> -> tile<i1>\n  if %first {\n")
		s.store(b, "done", "v", "vc", "%zero", "%x", "start")
		b.WriteString("  return\n  }\n")
		s.store(b, "end", "v", "vd", "%one", "%x", "start")
	case "two": // one behind the other in the same memory of the block
		s.turned(b, "v", "%x", "%one")
		s.turned(b, "w", "%one", "%x")
		s.store(b, "done", "v", "vc", "%zero", "%x", "start")
		s.store(b, "end", "w", "vd", "%zero", "%x", "start")
	}
}

// smallFirst stores a few elements by a store that pays no box, where the box comes.
func (s *stored) smallFirst(b *strings.Builder, small string) {
	lead := ""
	if s.batch {
		lead = "1x"
	}
	_, _, _, front := s.types()
	one := "1.0"
	if s.elem[0] == 'i' {
		one = "1"
	}
	fmt.Fprintf(b, "  %%few = constant <%s: %s> : tile<%s8x8x%[1]s>\n  %%vs = make_partition_view %%tc : %[4]s\n", s.elem, one, lead, small)
	fmt.Fprintf(b, "  %%wide = constant <i32: %d> : tile<i32>\n  %%at = muli %%x, %%wide : tile<i32>\n", s.n/8)
	fmt.Fprintf(b, "  %%first = store_view_tko weak %%few, %%vs[%s%%zero, %%at] token = %%start : tile<%s8x8x%s>, %s, tile<i32> -> token\n", front, lead, s.elem, small)
}

// back makes %u of %v, whose elements change places within the tile.
func (s *stored) back(b *strings.Builder, tile string) {
	other := fmt.Sprintf("tile<%dx%dx%s>", s.n, s.m, s.elem)
	fmt.Fprintf(b, "  %%flat = reshape %%v : %s -> tile<%dx%dx%s>\n  %%around = permute %%flat [1, 0] : tile<%[2]dx%[3]dx%[4]s> -> %[5]s\n  %%u = reshape %%around : %[5]s -> %[1]s\n",
		tile, s.m, s.n, s.elem, other)
}

// program is the kernel with its launch.
func (s *stored) program(seed uint64) (*nativefuzz.Program, error) {
	head, count := fmt.Sprintf("// seed %d\n// grid 2 1 1\n", seed), (s.columns+s.gap)*s.rows
	for _, n := range []int{16 * s.m * s.n, count, count} {
		head += fmt.Sprintf("// param %s %d true 0\n", s.elem, n)
	}
	for _, n := range []int{s.rows, s.columns, s.columns + s.gap} {
		head += fmt.Sprintf("// param i32 -1 true %d\n", n)
	}
	return nativefuzz.Parse(head + s.text())
}

// TestStores stores tiles as boxes of tensors, and compares with the CPU engine's interpreter. THREADFUZZ_STORES says how many kernels.
func TestStores(t *testing.T) {
	archs := []string{"sm_90a", "sm_100a", "sm_120"}
	if list := os.Getenv("THREADFUZZ_ARCHS"); list != "" {
		archs = strings.Split(list, ",")
	}
	first := uint64(number("THREADFUZZ_SEED", 0))
	for _, arch := range archs {
		r, err := nativefuzz.NewEngineRunner(20*time.Second, threadtest.Emulator(arch, threads.Options{Exact: true, Tensors: true, Apart: true}))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		boxes := map[string]int{}
		for seed := first; seed < first+uint64(number("THREADFUZZ_STORES", 4*len(ways))); seed++ {
			if enough(t) {
				return
			}
			s := newStored(seed)
			p, err := s.program(seed)
			if err != nil {
				t.Fatalf("seed %d, %+v: %v\n%s", seed, *s, err, s.text())
			}
			e, err := threads.Explain(p.Module, arch, threads.Options{Exact: true, Tensors: true, Apart: true})
			if err != nil {
				t.Fatal(err)
			}
			boxes[s.how] += len(e.Plan.Stores)
			for p.Seed = 2 * seed; p.Seed < 2*seed+2; p.Seed++ {
				if rep, err := r.Run(p); err != nil || rep.Diff != "" || rep.Why != "" || rep.Refused || rep.Fault {
					t.Errorf("%s, seed %d, %+v: error %v, difference %q, refused by ours for %q, by the interpreter %v, fault %v", arch, seed, *s, err, rep.Diff, rep.Why, rep.Refused, rep.Fault)
				}
			}
		}
		for _, how := range ways {
			if boxes[how] == 0 {
				t.Errorf("%s: nothing is stored as a box in kernels of the kind %q", arch, how)
			}
		}
	}
}
