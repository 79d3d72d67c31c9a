package threadtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

var mutate = flag.Bool("mutate", false, "run the tests with each mutant of plan and emitter; it takes an hour or two")

// TestMutants breaks plan and emitter in many ways, one after the other: each must be noticed by the other tests of this package and those of
// TestThreads of the conformance suite. Without -mutate it only checks that the table fits the code.
func TestMutants(t *testing.T) {
	const tests = "^(TestFound|TestRandom|TestProducts|TestStores|TestBarriers|TestMemoryBarriers|TestEdges|TestAliased|TestThreads|TestWithout)$"
	runMutants(t, mutants, [][]string{{"./internal/threads/ir"}, {"./internal/testing/threadtest", "-run", tests}, {"./internal/testing/conformance", "-run", tests}})
}

// TestMutantsVulkan does so with what makes products by cooperative matrices, which TestProductsVulkan must notice, run by the program
// $CUTILE_VULKAN_EXEC: scripts/vulkan.sh makes one.
func TestMutantsVulkan(t *testing.T) {
	run := os.Getenv("CUTILE_VULKAN_EXEC")
	if *mutate && run == "" {
		testenv.Missing(t, "matrices", errors.New("CUTILE_VULKAN_EXEC is not set"))
	}
	t.Setenv("CUTILE_REQUIRE", "vulkan,matrices")
	runMutants(t, vulkanMutants, [][]string{{"./internal/testing/threadtest", "-exec", run, "-run", "^TestProductsVulkan$"}})
}

// runMutants runs tests, each the arguments of go test, with each mutant.
func runMutants(t *testing.T, mutants []mutant, tests [][]string) {
	top, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range mutants {
		t.Run(m.what, func(t *testing.T) {
			name := filepath.Join(top, "internal", "threads", filepath.FromSlash(m.file))
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(src, []byte(m.old)); n != 1 {
				t.Fatalf("%s has %d times %q", m.file, n, m.old)
			}
			if *mutate {
				noticed(t, top, name, bytes.Replace(src, []byte(m.old), []byte(m.new), 1), tests)
			}
		})
	}
}

// noticed runs the tests with other text in place of a file.
func noticed(t *testing.T, top, name string, text []byte, tests [][]string) {
	t.Helper()
	dir := t.TempDir()
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{name: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string][]byte{changed: text, overlay: list} {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) error {
		cmd := exec.CommandContext(t.Context(), "go", slices.Insert(args, 1, "-overlay", overlay)...)
		cmd.Dir = top
		return cmd.Run()
	}
	if err := run("build", "./internal/threads/..."); err != nil {
		t.Fatal("the mutant does not compile")
	}
	for _, args := range tests {
		if run(append([]string{"test", "-vet=off", "-failfast"}, args...)...) != nil {
			return
		}
	}
	t.Error("nobody notices")
}

// enough reports whether a test has failed and need not go on, as -failfast says.
func enough(t *testing.T) bool {
	return t.Failed() && flag.Lookup("test.failfast").Value.String() == "true"
}

// mutant is a text of a file below internal/threads, and what is there in its place.
type mutant struct{ what, file, old, new string }

// vulkanMutants are those of products by cooperative matrices.
var vulkanMutants = []mutant{
	{"no barrier in front of a product", "ir/sync.go", "case MultiplyGroup, MultiplySums:", "case MultiplyGroup:"},
	{"warps take others' rows", "emit/cooperative.go", "return result.Coord(last-1, n) << s.Shift(last-1)", "return result.Coord(last, n) << s.Shift(last-1)"},
	{"a turn takes one part of k", "emit/cooperative.go", "next := m.add(at, m.Int(turns))", "next := m.add(at, m.Int(1))"},
	{"batches have the same sums", "emit/cooperative.go", "Sums:  (batch*m.rows+i)*m.columns + j,", "Sums:  i*m.columns + j,"},
	{"sums of another matrix", "emit/cooperative.go", "m.read(s, regs, m.sums, m.of(i))", "m.read(s, regs, m.sums, m.of(sums.Count-1-i))"},
	{"warps share the memory of sums", "emit/cooperative.go", "at |= u.M * u.N * size << i", "at |= 0 * i"},
	{"rows as far apart as columns", "plan/cooperative.go", "m.Width = e.partOther * x.Unit.A.Bytes()", "m.Width = 2 * e.partOther * x.Unit.A.Bytes()"},
	{"sums stay that others see", "plan/cooperative.go", "if p.stays(op, u, loop) {", "if loop != nil {"},
	{"signs are lost", "spirv/cooperative.go", "if u.Signed[i] {", "if u.Signed[i] && i == 1 {"},
	{"columns are rows", "spirv/cooperative.go", "!in.Right.Across)", "in.Right.Across)"},
	{"all parts of a factor are the first", "spirv/cooperative.go", "at.Disp += int64(behind)", "at.Disp += int64(0 * behind)"},
}

// mutants are those of the rest.
var mutants = []mutant{
	// Barriers and waits.
	{"no barrier between a write and a read", "ir/sync.go", "case !a.write && !b.write ||", "case !a.write || !b.write ||"},
	{"a barrier of the warp for one of the block", "ir/footprint.go", "return anybody\n", "most = warpMates\n"},
	{"what a loop's last turn did is forgotten", "ir/sync.go", "if head.join(l.next) {", "if false {"},
	{"tokens order nothing", "ir/sync.go", "return now.After[o.Turn] &&", "return false && now.After[o.Turn] &&"},
	{"an access does not wait for itself in a loop", "ir/sync.go", "!(o.Turn == now.Turn && p.last == now.Turn)", "o.Turn != now.Turn"},
	{"copies are no writes once they have come", "ir/sync.go", "include(&p.touches, []touch{{buf: b, write: true}})", "_ = b"},
	{"a product of a warp group reads nothing when it ends", "ir/sync.go", "include(&p.touches, []touch{{buf: b}})", "_ = b"},
	{"buffers in use share memory", "ir/place.go", "b.Tensor == c.Tensor &&", "b != c &&"},
	{"a pipeline waits for a turn too few", "emit/pipeline.go", "p.waitGroups(p.ahead - 1)", "p.waitGroups(p.ahead)"},
	{"a pipeline begins with a turn's copies too few", "emit/pipeline.go", "if f.Tensor == nil {\n\t\t\tp.copyPieces(k, to, valid)", "if f.Tensor == nil && k > 0 {\n\t\t\tp.copyPieces(k, to, valid)"},
	{"what copies have read may be written", "ir/sync.go", "include(&p.turns, []turn{{Turn: t}})", "_ = t"},
	{"tiles of this turn for a later one", "emit/pipeline.go", "p.copy(p.Do(vec.Add, p.t, n, ahead),", "p.copy(n,"},
	{"places of turns that do not come are looked up", "emit/pieces.go", "e.both(p.ok, e.only)", "p.ok"},
	{"a turn's copies are no group", "emit/pipeline.go", "\tp.Commit()\n", ""},
	{"warp groups do not see what has come", "emit/pipeline.go", "p.FenceAsync()", "_ = p"},
	{"warp groups do not see what was put there", "emit/group.go", "e.FenceAsync()", "_ = e"},
	{"nobody waits for a warp group", "emit/group.go", "e.WaitMultiply(0, bufs...)", "_ = bufs"},
	{"a product in tensor memory is waited for a turn late", "emit/tensormem.go", "before := e.Int(-1)", "before := e.Int(-2)"},
	{"products in tensor memory overtake slow threads", "ir/sync.go", "{{buf: in.Tensor, write: true}, {buf: in.Mem.Buffer, write: true}}", "{{buf: in.Tensor, write: true}}"},
	{"nobody may still wait for a product in tensor memory", "ir/sync.go", "include(&p.touches, []touch{{buf: in.Mem.Buffer}})", "_ = in"},
	{"a product that goes on into the next turn has one barrier", "emit/tensormem.go", "if !p.x.Lags {", "if true {"},
	{"the parity of a barrier", "emit/tensormem.go", "return m, e.Do(vec.And, vec.I32, number, e.Int(1))", "return m, e.Int(0)"},
	{"a counter's parity stays", "emit/stages.go", "return s.Do(vec.Select, vec.I32, wraps, s.Do(vec.Xor, vec.I32, old, s.Int(1)), old)", "return s.Do(vec.Select, vec.I32, wraps, old, old)"},
	{"too few bytes are expected", "emit/tensor.go", "bytes += t.Size() * t.Elem.Bytes()", "bytes = t.Size() * t.Elem.Bytes()"},

	{"counters stay", "emit/pipeline.go", "p.DropCounters(p.count, p.boxes.at(0))", "_ = p"},
	{"boxes do not see what was written", "emit/tensor.go", "p.FenceAsync() // copies", "// copies"},
	{"boxes are written over while they are read", "emit/store.go", "if !e.ends(op) {", "if false {"},
	{"stores of boxes do not see what was written", "emit/store.go", "e.FenceAsync()", "_ = e"},
	{"stores of boxes do not see what was written to the tensor", "emit/store.go", "if around.written {", "if false {"},
	{"no barrier in front of stores of boxes", "ir/sync.go", "p = s.access(inner, in, p)\n\t\t\tif", "if inner.Op != StoreBox {\n\t\t\t\tp = s.access(inner, in, p)\n\t\t\t}\n\t\t\tif"},
	{"stores of boxes have no order", "ir/sync.go", "if inner.Op == StoreBox {", "if false {"},
	{"a kernel ends before boxes are stored", "emit/store.go", "if len(e.p.Stores) > 0 && !e.producing {", "if false {"},
	{"boxes overtake one another", "emit/store.go", "if around.boxes {", "if false {"},
	{"boxes are still being stored when others come", "emit/store.go", "e.WaitBoxes(!around.behind, s.buf)", "e.WaitBoxes(true, s.buf)"},
	{"a turn of a counter overtakes those who wait", "ir/sync.go", "case a.waits && b.begins && a.buf == b.buf:", "case false:"},
	{"the second part of few rows", "plan/tensor.go", "vt.TileType().Size()/row < lineBytes/Widest {", "vt.TileType().Size()/row < 0 {"},
	{"nobody waits for a tile that is fetched", "emit/fetch.go", "e.AwaitBytes(counter, parity, buf)", "_ = parity"},
	{"the parity of fetched tiles stays", "emit/fetch.go", "e.Do(vec.Xor, vec.I32, parity, e.Int(1))", "parity"},
	{"loads do not wait for memory by other addresses", "plan/ahead.go", "p.Info.Behind(op, a)", "false"},
	{"fetched tiles do not see what was written", "emit/fetch.go", "e.FenceAsync()", "_ = e"},
	{"a loop of two turns ends after one", "emit/control.go", "bits, _ := e.Known(e.last(t, lo, hi, step))", "bits := uint64(1)"},
	{"what was done in the last turn came before the loop", "ir/sync.go", "s.block(body, head.clone()))", "s.block(body, head.clone()).enter(outside))"},

	// Stages, places and swizzles.
	{"a stage less than copies take", "emit/stages.go", "e.NewBuffer(\"stages\", s.bytes*s.count,", "e.NewBuffer(\"stages\", s.bytes*(s.count-1),"},
	{"copies go to the stage that is read", "emit/pipeline.go", "e.Int(p.ahead * p.bytes)}", "e.Int(0)}"},
	{"copies beyond the last turn", "emit/pipeline.go", "p.both(piece.ok, valid)", "piece.ok"},
	{"the second tile of a turn lies on the first", "emit/stages.go", "plus: s.add(stage, s.Int(s.at[k]))", "plus: stage"},
	{"a product still reads the stage that is left", "emit/producer.go", "lags: r.p.Lags(r.loop) && !r.commits", "lags: false"},
	{"a producer waits for nobody", "emit/producer.go", "\tp.AwaitBytes(counterAt(p.empty, counter), p.Get(p.parity))\n", ""},
	{"a stage is left when one warp has read it", "emit/producer.go", "arrivals = 1 << e.p.Block.Warps", "arrivals = 1"},
	{"a producer goes on in the turn of the consumers", "emit/producer.go", "parity = 1\n", "parity = 0\n"},
	{"lanes still read when their warp leaves a stage", "ptx/tensor.go", "\tw.emit(\"bar.warp.sync\", nil, simt.I(-1))\n\tguard", "\tguard"},
	{"stages share the memory of an exchange", "emit/tensor.go", "p.InitCounters(p.count, 1, b.at(0), p.buf)", "p.InitCounters(p.count, 1, b.at(0))"},
	{"floats of 8 bits change places", "ir/narrow.go", "imm: x.Imm}, vec.V16, x.Src[0], y.Src[0]))", "imm: x.Imm}, vec.V16, y.Src[0], x.Src[0]))"},
	{"a swizzle that a permutation forgets", "plan/shared.go", "return at ^ at>>7&pieces<<4", "return at"},
	{"long rows without their swizzle", "plan/shared.go", "return at ^ r&pieces<<4", "return at"},
	{"bytes are turned around by twos", "emit/multiply.go", "case size == 2 && side(across):", "case side(across):"},
	{"a factor is put again while it is read", "plan/group.go", "return f.Again == nil", "return true"},
	{"a turned tile keeps its place", "plan/shared.go", "case op.Info.Opcode != tileir.OpPermute:", "case true:"},
	{"fragments that lie across are not turned around", "emit/multiply.go", "return true, true", "return false, true"},
	{"the registers of an exchange in parts", "emit/convert.go", "e.read(s, out, to, func(n int) bool { return n&mask == want })", "e.read(s, out, to, all)"},
	{"parts of a factor begin anew", "emit/single.go", "part*count<<t.Shift(dim))", "0)"},

	// Masks.
	{"elements outside are read", "emit/axis.go", "p.ok = e.both(p.ok, ok)", "_ = ok"},
	{"an extent that every size divides", "emit/axis.go", "regs := of.Dims[i].Inside, int64(1), 1", "regs := of.Dims[i].Inside, int64(0), 1"},
	{"an index far outside", "emit/axis.go", "fit = e.both(fit, axes[i].in)", "_ = fit"},
	{"accesses wider than rows", "plan/vector.go", "low(p.Info.Divisor(d.Extent))", "int64(Widest)"},
	{"several threads change one element", "emit/atomic.go", "p.ok, p.solo = e.both(p.ok, once), e.alone(l)", "p.solo = e.alone(l)"},
	{"masked elements are what memory has", "emit/pieces.go", "pad = append(pad, padding(p.first+k))", "pad = append(pad, e.padding(t, uint64(0*k)))"},
	{"two halves of a byte", "plan/vector.go", "if a.Even {", "if true {"},
	{"an outside box", "emit/tensor.go", "start = e.Do(vec.Select, vec.I32, x.in, start, e.Int(outside))", "_ = outside"},

	// Conversions, orders, layouts.
	{"a layout like another one", "linear/layout.go", "return slices.Equal(l.Lane, m.Lane) && slices.Equal(l.Warp, m.Warp)", "return slices.Equal(l.Lane, m.Lane)"},
	{"a conversion is kept too long", "emit/convert.go", "if c.lay.Equal(to) && e.Within(c.region) {", "if c.lay.Equal(to) {"},
	{"sums in another order", "emit/reduce.go", "const partialBits = 6", "const partialBits = 5"},
	{"lanes take their places", "emit/reduce.go", "f.put(r, f.combine(f.choose(upper, other, mine), f.choose(upper, mine, other)))", "f.put(r, f.combine(mine, other))"},
	{"a scan's groups", "emit/scan.go", "const groupBits = 4", "const groupBits = 3"},
	{"a reverse scan goes forward", "emit/scan.go", "s.flip = s.n - 1", "s.flip = 0"},
	{"a reduction's result has another layout", "plan/assign.go", "int(op.Int(\"dim\"))))", "0))"},
	{"cat the other way around", "emit/shape.go", "slices.Concat(e.get(a, l), e.get(b, l))", "slices.Concat(e.get(b, l), e.get(a, l))"},
	{"the sums of a product are those of its transpose", "plan/product.go", "Lane: linear.Map{2, 4, n, 2 * n, 4 * n}}", "Lane: linear.Map{n, 2 * n, 2, 4, 4 * n}}"},
	{"a fragment's second factor", "plan/product.go", "Lane: linear.Map{w * n, 2 * w * n, 1, 2, 4}}", "Lane: linear.Map{w * n, 2 * w * n, 1, 4, 2}}"},
	{"a lane asks the wrong one", "emit/shuffle.go", "x.Do(vec.Xor, vec.I32, x.lane, x.Int(shift))", "x.lane"},
	{"sums begin with zeros", "plan/tensormem.go", "return ok && bits == 0", "_ = bits; return ok"},
	{"factors of another step", "plan/scaled.go", "Byte: k % perColumn}", "Byte: 0 * k}"},
	{"factors of the left elements for the right ones", "plan/scaled.go", "at.Column += x.scaleSide(true).columns()", "at.Column += 0"},
	{"factors of elements are overwritten while they are read", "emit/scaled.go", "if x.Lags {", "if false {"},
	{"nobody waits for who reads factors of elements", "emit/tensormem.go", "stays.reads, stays.handed = reads, scales == nil", "stays.reads, stays.handed = reads, true"},
	{"no barrier between factors of elements and their product", "ir/sync.go", "all = append(all, touch{buf: in.Scales.Buffer})", "_ = all"},
	{"the factors of blocks of a turn before", "emit/early.go", "x.begin(x.Do(vec.Add, x.t, n, x.step))", "x.begin(n)"},
	{"factors of blocks before they are written", "plan/ahead.go", "case p.awaits(op):\n\t\treturn Written, false", "case false:\n\t\treturn Written, false"},
	{"pairs across k", "plan/pairs.go", "elements(second) == 0", "elements(second) >= 0"},
	{"elements of a pair change places", "emit/pairs.go", "e.Do(vec.Or, vec.I8, pair[0], e.DoImm(vec.ShlImm, vec.I8, 4, pair[1]))", "e.Do(vec.Or, vec.I8, pair[1], e.DoImm(vec.ShlImm, vec.I8, 4, pair[0]))"},
	{"unpacked elements are pairs wherever they are", "emit/pairs.go", "if number(second) != 0 {", "if false {"},
	{"sums in tensor memory of other warps", "emit/tensormem.go", "e.Int(3<<5))))", "e.Int(1<<5))))"},
}
