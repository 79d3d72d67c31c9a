// Package nativetest judges back ends of package vec: it compares the machine code of every instruction, and of random
// functions, with their evaluation in Go. All back ends are judged by the same code.
package nativetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vec/vectest"
)

// Backend is a back end at a level.
type Backend struct {
	Level host.Level
	// Compile gives the code of one function, where it begins in it, and how many words its frame has.
	Compile func(f *vec.Func) (code []byte, offset, words int, err error)
	// Lacks reports whether an error says that the level has no code for an instruction.
	Lacks func(err error) bool
}

// Run runs all tests of a back end, if the machine runs its code. lacking lists what the level has no code for, as operations
// with their types, such as mulhi.i64.
func Run(t *testing.T, b Backend, lacking ...string) {
	if !host.Machine().Features.Has(b.Level.Requires()) {
		t.Skipf("this machine (%s) does not run code of level %s", runtime.GOARCH, b.Level)
	}
	t.Run("EveryInstruction", func(t *testing.T) { everyInstruction(t, b, lacking) })
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, b) })
	}
}

var tests = []struct {
	name string
	run  func(t *testing.T, b Backend)
}{
	{"Random", random}, {"Places", places}, {"Guard", guard}, {"Addresses", addresses}, {"Constants", constants},
	{"Minima", minima}, {"Zeros", zeros}, {"Branches", branches}, {"Loops", loops}, {"Regions", regions},
	{"Scales", scales}, {"Roundings", roundings}, {"LargeFrames", largeFrames}, {"Status", status},
	{"Functions", functions}, {"Empty", empty}, {"Permutations", permutations}, {"KnownMasks", knownMasks},
}

// program is a function that can be called.
type program struct {
	*host.Code
	offset, words int
}

var errLacks = errors.New("the level has no code")

func (b Backend) program(f *vec.Func) (*program, error) {
	code, offset, words, err := b.Compile(f)
	if err != nil && b.Lacks(err) {
		return nil, errLacks
	}
	if err != nil {
		return nil, err
	}
	c, err := host.Map(code)
	return &program{c, offset, words}, err
}

// call runs the function. It may not change what lies behind its frame.
func (p *program) call(frame []uint64) int64 { return p.prepare(frame)() }

// prepare gives what calls the function, and then goes on where it was suspended.
func (p *program) prepare(frame []uint64) (call func() int64) {
	room := make([]uint64, max(p.words, 1)+1)
	copy(room, frame)
	guard := &room[len(room)-1]
	*guard = 0x0123456789abcdef
	return func() int64 {
		status := int64(host.Call(p.Addr()+uintptr(p.offset), unsafe.Pointer(&room[0])))
		if *guard != 0x0123456789abcdef {
			panic("BUG: nativetest: code writes behind its frame")
		}
		return status
	}
}

// addr is the address of memory that [buffer] gave, as a word of a frame.
func addr(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// buffer gives memory that does not move, as the stack does, at a multiple of 128 bytes.
//
//go:noinline
func buffer(size int) []byte {
	b := make([]byte, size+128)
	return b[(128-addr(b)%128)%128:][:size]
}

// everyInstruction compares every instruction of the IR with its evaluation.
func everyInstruction(t *testing.T, b Backend, lacking []string) {
	listed := map[string]bool{}
	for _, name := range lacking {
		listed[name] = true
	}
	found := map[string]bool{}
	for op := range vec.Table {
		for _, in := range vectest.Instrs(vec.Op(op)) {
			name := strings.TrimSuffix(fmt.Sprintf("%s.%s.%s", in.Op, in.Type, in.From), ".")
			switch err := b.compareInstr(in, uint64(op)); {
			case err == errLacks && !listed[name]:
				t.Errorf("%s has no code for %s", b.Level, name)
			case err == errLacks:
				found[name] = true
			case err != nil:
				t.Fatal(err)
			}
		}
	}
	for name := range listed {
		if !found[name] {
			t.Errorf("%s has code for %s, which is listed as missing", b.Level, name)
		}
	}
}

// rounds is how many operands an instruction gets, and how many random functions there are: fewer in short tests.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}

// compareInstr runs an instruction on several operands.
func (b Backend) compareInstr(in vec.Instr, seed uint64) error {
	f, err := vectest.Around(in)
	if err != nil {
		return err
	}
	p, err := b.program(f)
	if err != nil {
		return err
	}
	defer p.Free()
	r := rand.New(rand.NewPCG(seed, 7))
	for range rounds(20) {
		ops := operands(r, in)
		var results [2][]byte
		out, memory := buffer(128), buffer(4096+256)
		frame := []uint64{addr(ops), addr(out), addr(memory) + 128 - 8} // the instruction adds 8
		for k, run := range []func(){func() { vec.Eval(f, frame) }, func() { p.call(frame) }} {
			clear(out)
			for i := range memory {
				memory[i] = byte(i * 37)
			}
			run()
			results[k] = append(append([]byte(nil), out...), memory...)
		}
		runtime.KeepAlive(ops)
		if !same(in, results[0][:128], results[1][:128]) || string(results[0][128:]) != string(results[1][128:]) {
			return fmt.Errorf("%s at level %s: operands %x: got %x, want %x", f.Text(&in), b.Level, ops[:3*128], results[1][:128], results[0][:128])
		}
	}
	return nil
}

// random compares random functions with their evaluation. CUTILE_RANDOM sets how many.
func random(t *testing.T, b Backend) {
	spoil := b.spoiler(t)
	spilled, n := 0, vectest.Count(t, rounds(300))
	for seed := range uint64(n) {
		if b.compareRandom(t, seed, spoil) {
			spilled++
		}
	}
	if spilled < n/5 {
		t.Errorf("%s: only %d of %d functions have more values than registers", b.Level, spilled, n)
	}
}

// budget is that of random functions: they get no more after it is spent, and are suspended at each look then.
const budget = 3

// spoiler makes a function that changes registers in which a suspended function has values.
func (b Backend) spoiler(t *testing.T) (call func()) {
	f, _, out := newCase("spoil")
	var all []vec.Reg
	for i := range 40 {
		all = append(all, f.Bits(vec.I32, uint64(i)), f.Int(int64(i)), f.DoImm(vec.MConst, vec.NoType, int64(i%2)))
	}
	for _, r := range all {
		switch f.Regs[r] {
		case vec.Scalar:
			f.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Mem: vec.Mem{Base: out}, Src: [3]vec.Reg{r}})
		case vec.Mask:
			f.Store(vec.I32, vec.Mem{Base: out}, all[0], r)
		default:
			f.Store(vec.I32, vec.Mem{Base: out}, r, 0)
		}
	}
	p, err := b.program(f.Finish())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Free() })
	memory := buffer(128)
	next := p.prepare([]uint64{caseOut: addr(memory)})
	return func() { next(); runtime.KeepAlive(memory) }
}

// compareRandom reports whether the function has more values than registers: more of its frame is used than a vector needs.
func (b Backend) compareRandom(t *testing.T, seed uint64, spoil func()) bool {
	r := rand.New(rand.NewPCG(seed, 11))
	f := vectest.Random(r, 20+int(seed%100))
	p, err := b.program(f)
	if err == errLacks {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Free()
	in, want, got := buffer(vectest.RandomBytes), buffer(vectest.RandomBytes), buffer(vectest.RandomBytes)
	fill(r, in, vec.F32)
	run, next := vec.NewRun(f, []uint64{addr(in), addr(want), 0, budget}), p.prepare([]uint64{addr(in), addr(got), 0, budget})
	for {
		want, got := run.Call(), next()
		if want != got {
			t.Fatalf("%s, seed %d: status %d, want %d\n%s", b.Level, seed, got, want, f)
		}
		if want == 0 {
			break
		}
		spoil()
	}
	runtime.KeepAlive(in)
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("%s, seed %d: result %d, byte %d is %#x, want %#x\n%s", b.Level, seed, i/128, i%128, got[i], want[i], f)
		}
	}
	return p.words > f.Frame+2*vec.Lanes
}
