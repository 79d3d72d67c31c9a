package passes_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// joined writes a random kernel of single integers that ifs, selects and loops join, nested as it comes, with branches that
// leave a loop or the kernel.
type joined struct {
	*rand.Rand
	text   strings.Builder
	n      int
	ints   map[string][]string // values in scope, by type
	depth  int
	loops  []string // what leaves the loops around: the operation and its operands' types
	stores int
}

func (j *joined) line(format string, args ...any) string {
	j.n++
	v := fmt.Sprintf("%%v%d", j.n)
	fmt.Fprintf(&j.text, "%s = %s\n", v, fmt.Sprintf(format, args...))
	return v
}

func (j *joined) any(t string) string { return j.ints[t][j.IntN(len(j.ints[t]))] }

func (j *joined) keep(t, v string) string {
	j.ints[t] = append(j.ints[t], v)
	return v
}

func (j *joined) number(t string) string {
	k := j.IntN(9) - 2
	if ends := []int64{math.MaxInt32, math.MinInt32, 1 << 30, 1000}; j.IntN(12) == 0 {
		return j.line("constant <%s: %d> : tile<%s>", t, ends[j.IntN(len(ends))], t)
	}
	return j.line("constant <%s: %d> : tile<%s>", t, k, t)
}

func (j *joined) of(t string) string {
	if t == "i1" {
		return j.condition()
	}
	if j.IntN(4) == 0 {
		return j.number(t)
	}
	return j.any(t)
}

func (j *joined) typ() string { return []string{"i64", "i64", "i32"}[j.IntN(3)] }

func (j *joined) sign() string {
	if j.IntN(5) == 0 {
		return "unsigned"
	}
	return "signed"
}

var orders = []string{"equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"}

func (j *joined) condition() string {
	switch j.IntN(4) {
	case 0:
		return j.any("i1")
	case 1:
		return j.keep("i1", j.line("%s %s, %s : tile<i1>", []string{"andi", "ori", "xori"}[j.IntN(3)], j.any("i1"), j.any("i1")))
	}
	t := j.typ()
	return j.keep("i1", j.line("cmpi %s %s, %s, %s : tile<%s> -> tile<i1>", orders[j.IntN(6)], j.of(t), j.of(t), j.sign(), t))
}

// scoped writes statements whose values are not seen outside.
func (j *joined) scoped(f func()) {
	old := map[string][]string{}
	for t, vs := range j.ints {
		old[t] = slices.Clip(vs)
	}
	j.depth++
	f()
	j.depth--
	j.ints = old
}

func (j *joined) steps(n int) {
	for range n {
		j.step()
	}
}

func (j *joined) step() {
	t := j.typ()
	switch k := j.IntN(12); {
	case k < 3 && j.depth < 4:
		j.branch()
	case k < 5 && j.depth < 3:
		j.loop()
	case k == 5:
		j.keep(t, j.line("select %s, %s, %s : tile<i1>, tile<%s>", j.condition(), j.of(t), j.of(t), t))
	case k == 6:
		j.access(t)
	case k == 7 && j.IntN(2) == 0:
		j.keep("i64", j.line("exti %s %s : tile<i32> -> tile<i64>", j.of("i32"), j.sign()))
	case k == 7:
		j.keep("i32", j.line("trunci %s : tile<i64> -> tile<i32>", j.of("i64")))
	case k == 8:
		by := j.line("constant <%s: %d> : tile<%s>", t, 1+j.IntN(5), t)
		j.keep(t, j.line("%s %s, %s %s : tile<%s>", []string{"divi", "remi"}[j.IntN(2)], j.of(t), by, j.sign(), t))
	case k < 11:
		j.keep(t, j.line("%s %s, %s %s : tile<%s>", []string{"mini", "maxi"}[j.IntN(2)], j.of(t), j.of(t), j.sign(), t))
	default:
		op := []string{"addi", "subi", "addi", "subi", "muli", "andi", "ori", "xori"}[j.IntN(8)]
		j.keep(t, j.line("%s %s, %s : tile<%s>", op, j.of(t), j.of(t), t))
	}
}

// access stores a tile at a number, and the number.
func (j *joined) access(t string) {
	at := j.of(t)
	fmt.Fprintf(&j.text, "%%s%d = store_view_tko weak %%tile, %%view[%s] : tile<8xf32>, %s, tile<%s> -> token\n", j.n, at, joinedView, t)
	fmt.Fprintf(&j.text, "%%o%d = store_ptr_tko weak %%out%s, %s : tile<ptr<%s>>, tile<%s> -> token\n", j.n, t, at, t, t)
	j.n++
}

// branch joins up to three values. A side may leave instead, though not both, as nothing came after them.
func (j *joined) branch() {
	types := []string{j.typ(), "i1", j.typ()}[:1+j.IntN(3)]
	cond := j.condition()
	leaves := j.IntN(8) // of the sides, 0 and 1
	var out strings.Builder
	for side := range 2 {
		j.scoped(func() {
			whole := j.text
			j.text = strings.Builder{}
			j.steps(j.IntN(4))
			if side == leaves {
				j.leave()
			} else {
				var vs, ts []string
				for _, t := range types {
					vs, ts = append(vs, j.of(t)), append(ts, "tile<"+t+">")
				}
				fmt.Fprintf(&j.text, "yield %s : %s\n", strings.Join(vs, ", "), strings.Join(ts, ", "))
			}
			out.WriteString([]string{"{\n", "} else {\n"}[side] + j.text.String())
			j.text = strings.Builder{}
			j.text.WriteString(whole.String())
		})
	}
	j.n++
	var ts []string
	for i, t := range types {
		ts = append(ts, "tile<"+t+">")
		name := fmt.Sprintf("%%v%d", j.n)
		if len(types) > 1 {
			name += fmt.Sprintf("#%d", i)
		}
		j.keep(t, name)
	}
	head := fmt.Sprintf("%%v%d", j.n)
	if len(types) > 1 {
		head += fmt.Sprintf(":%d", len(types))
	}
	fmt.Fprintf(&j.text, "%s = if %s -> (%s) %s}\n", head, cond, strings.Join(ts, ", "), out.String())
}

// leave ends a turn, the loop, or, from where no loop over numbers is around, the kernel.
func (j *joined) leave() {
	if len(j.loops) == 0 || j.IntN(4) == 0 && !slices.Contains(j.loops, "for") {
		j.text.WriteString("return\n")
		return
	}
	word := "continue"
	if in := j.loops[len(j.loops)-1]; in == "loop" && j.IntN(2) == 0 {
		word = "break"
	}
	fmt.Fprintf(&j.text, "%s %s : tile<i64>\n", word, j.of("i64"))
}

func (j *joined) loop() {
	kind := []string{"for", "for", "loop"}[j.IntN(3)]
	t := j.typ()
	start, lo, hi := j.of("i64"), j.of(t), j.of(t)
	by := j.line("constant <%s: %d> : tile<%s>", t, 1+j.IntN(3), t)
	j.n++
	name := fmt.Sprintf("%%v%d", j.n)
	if kind == "for" {
		fmt.Fprintf(&j.text, "%s = for %%i%d in (%s to %s, step %s) : tile<%s> iter_values(%%a%d = %s) -> (tile<i64>) {\n", name, j.n, lo, hi, by, t, j.n, start)
	} else {
		fmt.Fprintf(&j.text, "%s = loop iter_values(%%a%d = %s) : tile<i64> -> tile<i64> {\n", name, j.n, start)
	}
	args := j.n
	j.scoped(func() {
		if kind == "for" {
			j.keep(t, fmt.Sprintf("%%i%d", args))
			j.keep(t, fmt.Sprintf("%%i%d", args))
		}
		j.keep("i64", fmt.Sprintf("%%a%d", args))
		j.loops = append(j.loops, kind)
		j.steps(1 + j.IntN(4))
		j.loops = j.loops[:len(j.loops)-1]
		word := map[string]string{"for": "continue", "loop": "break"}[kind]
		if kind == "loop" && j.IntN(2) == 0 {
			c := j.condition()
			fmt.Fprintf(&j.text, "if %s {\ncontinue %s : tile<i64>\n} else {\n}\n", c, j.any("i64"))
		}
		fmt.Fprintf(&j.text, "%s %s : tile<i64>\n}\n", word, j.any("i64"))
	})
	j.keep("i64", name)
}

const joinedView = "partition_view<tile=(8), tensor_view<?xf32, strides=[1]>>"

// joinedParams are a tensor, unknown numbers in memory, where results go, and the numbers of the launch.
const joinedParams = `%p: tile<ptr<f32>>, %q0: tile<ptr<i64>>, %q1: tile<ptr<i32>>, %outi64: tile<ptr<i64>>, %outi32: tile<ptr<i32>>, ` +
	`%len: tile<i32>, %n: tile<i64>, %m: tile<i32>, %c: tile<i1>, %d: tile<i1>`

func (j *joined) kernel() string {
	fmt.Fprintf(&j.text, "entry @k(%s) {\n", joinedParams)
	j.text.WriteString(`%size = assume bounded<0, ?>, %len : tile<i32>
%tensor = make_tensor_view %p, shape = [%size], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
%view = make_partition_view %tensor : ` + joinedView + `
%tiles = get_index_space_shape %view : ` + joinedView + ` -> tile<i32>
%elements = get_tensor_shape %tensor : tensor_view<?xf32, strides=[1]> -> tile<i32>
%x, %y, %z = get_tile_block_id : tile<i32>
%gx, %gy, %gz = get_num_tile_blocks : tile<i32>
%u64, %k0 = load_ptr_tko weak %q0 : tile<ptr<i64>> -> tile<i64>, token
%u32, %k1 = load_ptr_tko weak %q1 : tile<ptr<i32>> -> tile<i32>, token
%tile = constant <f32: 1.0> : tile<8xf32>
%wide = exti %tiles signed : tile<i32> -> tile<i64>
%bx = exti %x signed : tile<i32> -> tile<i64>
%yes = constant <i1: true> : tile<i1>
`)
	j.ints = map[string][]string{"i64": {"%n", "%wide", "%wide", "%bx", "%u64"}, "i32": {"%m", "%tiles", "%tiles", "%elements", "%x", "%y", "%gx", "%u32"}, "i1": {"%c", "%d", "%yes"}}
	j.steps(4 + j.IntN(8))
	j.access("i64")
	j.access("i32")
	j.text.WriteString("return\n}\n")
	return j.text.String()
}
