package amd64

import (
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestRandom takes random operands, of which many are wrong: what the assembler accepts, GNU's assembler must accept with
// the same bytes.
func TestRandom(t *testing.T) {
	n := 60_000
	if testenv.Required("slow") {
		n = 1_000_000
	}
	if testing.Short() {
		n = 10_000
	}
	as := testenv.Assembler(t)
	r := random{rand.New(rand.NewPCG(1, 2))}
	accepted := 0
	for n > 0 {
		var batch []emitted
		for range min(n, 200_000) {
			if e, ok := r.instruction(); ok {
				batch = append(batch, e)
			}
			n--
		}
		accepted += len(batch)
		compare(t, as, batch)
	}
	if accepted < 4_000 {
		t.Errorf("the assembler accepted only %d instructions", accepted)
	}
	t.Logf("%d instructions accepted", accepted)
}

// A random makes operands.
type random struct{ *rand.Rand }

func (r random) one(n int) bool { return r.IntN(n) == 0 }

// instruction emits one instruction, and says whether the assembler accepted it.
func (r random) instruction() (emitted, bool) {
	op := Op(1 + r.IntN(Ops))
	f := &op.forms()[r.IntN(len(op.forms()))]
	var args []Operand
	for i := range int(f.n) {
		args = append(args, r.operand(f, i))
	}
	if len(args) > 0 && f.enc == evex && r.one(2) {
		args[0] = args[0].Mask(1 + r.IntN(7))
		if r.one(2) {
			args[0].flags |= operandZero
		}
	}
	if f.flags&(flagRound|flagSAE) != 0 && r.one(3) || r.one(100) {
		args = r.round(f, args)
	}
	if r.one(50) {
		args = args[:r.IntN(len(args)+1)]
	}
	if op == XCHG && len(args) == 2 && args[0] == args[1] {
		return emitted{}, false // GNU's assembler writes a NOP for some of them
	}
	a := Assembler{Record: true}
	if f.flags&flagVex != 0 {
		a.Allowed = f.features
	}
	a.Emit(op, args...)
	code, err := a.Finish()
	if err != nil {
		return emitted{}, false
	}
	last := &a.record[0]
	return emitted{sample{op, last.form, args}, last.text(), code}, true
}

// round adds a rounding mode where the text has it: before an immediate.
func (r random) round(f *form, args []Operand) []Operand {
	at := len(args)
	if f.imm != immNone && at > 0 {
		at--
	}
	mode := []Operand{RoundNearest, RoundDown, RoundUp, RoundTruncate, SAE}[r.IntN(5)]
	return append(append(append([]Operand{}, args[:at]...), mode), args[at:]...)
}

// operand makes one that the form allows, or sometimes any.
func (r random) operand(f *form, i int) Operand {
	class := uint8(r.IntN(classRel))
	for n := 0; !f.allows(i, class) && !r.one(200) && n < 500; n++ {
		class = uint8(r.IntN(classRel))
	}
	firsts := [...]Reg{classR8: firstR8, classR16: firstR16, classR32: firstR32, classR64: firstR64, classX: firstX, classY: firstY, classZ: firstZ,
		classK: firstK, classT: firstT}
	switch {
	case class == classImm:
		return Imm(r.number())
	case class >= classMem:
		return r.memory(f, class).Op()
	case class >= classK:
		return (firsts[class] + Reg(r.IntN(8))).Op()
	case class >= classX && r.one(2):
		return (firsts[class] + Reg(r.IntN(32))).Op()
	}
	return (firsts[class] + Reg(r.IntN(16))).Op()
}

// number gives one of any size.
func (r random) number() int64 { return int64(r.Uint64()) >> r.IntN(64) }

func (r random) memory(f *form, class uint8) Mem {
	m := Mem{Scale: 1 << r.IntN(4), Bcast: class == classBcast, Size: f.mem}
	if !r.one(8) {
		m.Base = RAX + Reg(r.IntN(16))
	}
	if r.one(2) {
		m.Index = RAX + Reg(r.IntN(16))
	}
	if class > classBcast {
		m.Index = firstX + Reg(class-classMemX)<<5 + Reg(r.IntN(32))
	}
	switch r.IntN(3) {
	case 0:
		m.Disp = int32(r.number())
	case 1:
		m.Disp = int32(r.IntN(300)-150) * int32(max(f.elem, f.disp, 1))
	}
	if r.one(20) {
		m.Size = 1 << r.IntN(7)
	}
	return m
}
