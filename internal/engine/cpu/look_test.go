package cpu_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// lookEvery is the most elements, or multiplications of a product, that an operation handles between two looks at
// whether the launch is to end: they take about a millisecond.
const lookEvery = 1 << 17

// codeEvery is the same for machine code, which takes some ten microseconds for them.
const codeEvery = 1 << 21

// lookElems is about how many elements the tiles of the rows have.
const lookElems = 1 << 19

// brief are the operations whose steps take the same short time whatever their operands are.
var brief = []string{
	"get_tile_block_id", "get_num_tile_blocks", "get_tensor_shape", "get_index_space_shape", "make_tensor_view", "get_global", "return",
}

// TestLooks counts how often each operation that may take long looks whether the launch is to end. It is what bounds the
// time that a stop takes, and unlike a time it does not depend on the machine. Each row runs in a loop, once and three
// times, so that what comes before the loop does not count.
func TestLooks(t *testing.T) {
	rows := lookRows()
	for i, name := range slices.Sorted(maps.Keys(rows)) {
		if testenv.Few() && i%16 > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for title, o := range map[string]cpu.Options{
				"plain": cpu.WithStrip(cpu.Options{Workers: 1, Interpret: true}, -1), "strips": {Workers: 1, Interpret: true},
				"checks": {Workers: 1, CheckAssumes: true}, "machine code": {Workers: 1},
			} {
				every := lookEvery
				if title == "machine code" || title == "checks" && strings.HasPrefix(name, "mma") { // products are machine code there, too
					every = codeEvery
				}
				o.Output = discard{}
				d := newDevice(t, o)
				if rows[name].checked && !o.CheckAssumes {
					continue
				}
				if got, want := looks(t, d, rows[name]), rows[name].work/every-1; got < want || want < 1 && every == lookEvery {
					t.Errorf("%s: it looks %d times in %d elements, want %d", title, got, rows[name].work, want)
				}
			}
		})
	}
	covered := map[string]bool{}
	for name := range rows {
		head, _, _ := strings.Cut(name, ":")
		for _, op := range strings.Fields(head) {
			covered[op] = true
		}
	}
	for _, in := range tileir.Infos() {
		name := in.Mnemonic
		if !in.InBody || !cpu.HasStep(in.Opcode) {
			continue
		}
		if covered[name] == slices.Contains(brief, name) {
			t.Errorf("%s: want a row of lookRows, or its name among those that are brief", name)
		}
	}
}

// discard is a writer that is no *os.File, which the device takes as it is.
type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// looks is how often the operation of a row looks, by itself.
func looks(t *testing.T, d *cpu.Device, row lookRow) int {
	t.Helper()
	p, n := tileir.PointerTile(row.elem), tileir.Tile(tileir.I32)
	k := newKernel(t, p, n)
	do := row.build(k)
	body := k.region([]tileir.Type{n}, func(vals) {
		do()
		k.opGroups("continue", []vals{nil}, nil, nil)
	})
	k.opGroups("for", []vals{{k.i32(0)}, {k.entry.Params[1]}, {k.i32(1)}, nil}, nil, []*tileir.Block{body})
	k.ret()
	kern := k.compile(d)
	room := upload(t, d, make([]byte, 8*lookElems))
	size := row.elem.Bytes()
	watch := &engine.Watch{Tensors: []engine.Tensor{{Arg: 0, Name: "x", Pointer: true, Size: size, Shape: []int{8 * lookElems / size}, Strides: []int{1}, Writes: true}}}
	run := func(turns uint64) int {
		before := cpu.Looks(kern)
		s := newStream(t, d)
		if err := s.(engine.Checking).LaunchChecked(kern, [3]uint32{1, 1, 1}, []uint64{room.Address(), turns}, watch); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		return cpu.Looks(kern) - before
	}
	one := run(1)
	return (run(3) - one) / 2
}

// lookRow is a kernel with one operation, or a few of one kind.
type lookRow struct {
	work    int                         // elements, or multiplications, that one turn handles
	elem    tileir.Elem                 // of the memory that the kernel has
	build   func(k *kernel) (do func()) // it prepares the operands, and do adds the operation
	checked bool                        // it does something only where the device checks
}

// lookRows are the rows: the operations that each is for, and behind a colon what is special.
func lookRows() map[string]lookRow {
	rows := map[string]lookRow{}
	for _, code := range cpu.LoopOps() {
		name := tileir.LookupOpcode(code).Mnemonic
		rows[name] = elementwiseLook(name)
	}
	for _, more := range []map[string]lookRow{conversionLooks(), productLooks(), foldLooks(), shapeLooks(), controlLooks(), viewLooks(), pointerLooks()} {
		for name, row := range more {
			if _, twice := rows[name]; twice {
				panic(fmt.Sprintf("%s has two rows", name))
			}
			rows[name] = row
		}
	}
	return rows
}

// plainLook is a row for an operation on tiles of so many elements, made by prepare.
func plainLook(prepare func(k *kernel) vals, do func(k *kernel, args vals)) lookRow {
	return lookRow{work: lookElems, elem: tileir.F32, build: func(k *kernel) func() {
		args := prepare(k)
		return func() { do(k, args) }
	}}
}

// lookTile is a tile of elements of a type that are not all the same.
func lookTile(k *kernel, e tileir.Elem) *tileir.Value { return k.shapedTile(e, lookElems) }

func (k *kernel) shapedTile(e tileir.Elem, shape ...int) *tileir.Value {
	n := 1
	for _, m := range shape {
		n *= m
	}
	v := k.one("iota", nil, nil, tileir.Tile(tileir.I32, n))
	switch {
	case e == tileir.I1:
		v = k.one("trunci", vals{v}, nil, tileir.Tile(e, n))
	case e == tileir.F4E2M1FN:
		v = k.one("unpack", vals{k.shapedTile(tileir.I8, n/2)}, nil, tileir.Tile(e, n))
	case e.IsInt() && e.Bits() < 32:
		v = k.one("trunci", vals{v}, nil, tileir.Tile(e, n))
	case e == tileir.I64:
		v = k.one("exti", vals{v}, attrs{"signedness": tileir.Signed}, tileir.Tile(e, n))
	case e == tileir.F32 || e == tileir.F64 || e == tileir.F16:
		v = k.one("itof", vals{v}, attrs{"signedness": tileir.Signed, "rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(e, n))
	case e != tileir.I32:
		v = k.one("bitcast", vals{k.shapedTile(tileir.I8, n)}, nil, tileir.Tile(e, n))
	}
	if len(shape) > 1 {
		v = k.one("reshape", vals{v}, nil, tileir.Tile(e, shape...))
	}
	return v
}

// firstAttrs are the attributes that an operation needs, with the first value of each.
func firstAttrs(name string) attrs {
	as := attrs{}
	for _, a := range tileir.Lookup(name).Attrs {
		if a.Enum == nil || a.Optional {
			continue
		}
		as[a.Name] = tileir.Int(a.Enum.Values[0].Value)
		if len(a.Allowed) > 0 {
			as[a.Name] = tileir.Int(a.Allowed[0])
		}
	}
	maps.Copy(as, lookAttrs[name])
	return as
}

// lookAttrs are attributes of which an operation does not take the first value.
var lookAttrs = map[string]attrs{
	"divi": {"rounding": tileir.RoundingZero}, "exp": {"rounding_mode": tileir.RoundingFull}, "tanh": {"rounding_mode": tileir.RoundingFull},
	"ftoi": {"rounding_mode": tileir.RoundingNearestIntToZero},
}

// elementwiseLook is the row of an operation of the tables of loops.
func elementwiseLook(name string) lookRow {
	e := tileir.F32
	if strings.HasSuffix(name, "i") {
		e = tileir.I32
	}
	return plainLook(func(k *kernel) vals {
		v := lookTile(k, e)
		if e == tileir.I32 { // nobody divides by 0 here
			v = k.one("ori", vals{v, constant(k, tileir.Tile(e, lookElems), int32(1))}, nil, tileir.Tile(e, lookElems))
		}
		return slices.Repeat(vals{v}, len(tileir.Lookup(name).Operands))
	}, func(k *kernel, args vals) {
		to := e
		if strings.HasPrefix(name, "cmp") {
			to = tileir.I1
		}
		k.one(name, args, firstAttrs(name), tileir.Tile(to, lookElems))
	})
}
