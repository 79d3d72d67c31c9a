package arm64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

var update = flag.Bool("update", false, "write what llvm-mc says into testdata")

const golden = "testdata/forms.txt"

// TestGolden compares instructions of every form with the machine code that LLVM's assembler gave for their text.
func TestGolden(t *testing.T) {
	lines := everyForm(t, 2, rand.New(rand.NewPCG(1, 1)))
	if *update {
		writeGolden(t, lines, llvm(t, lines))
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, lines, strings.Split(strings.TrimSuffix(string(want), "\n"), "\n"))
}

// TestLLVM does the same with more instructions, and asks the assembler.
func TestLLVM(t *testing.T) {
	lines := everyForm(t, 8, rand.New(rand.NewPCG(2, 2)))
	code := llvm(t, lines)
	want := make([]string, len(lines))
	for i, l := range lines {
		want[i] = goldenLine(l.text, code[4*i:])
	}
	compare(t, lines, want)
}

func goldenLine(text string, code []byte) string {
	return fmt.Sprintf("%08x %s", binary.LittleEndian.Uint32(code), text)
}

func writeGolden(t *testing.T, lines []testLine, code []byte) {
	t.Helper()
	var b bytes.Buffer
	for i, l := range lines {
		fmt.Fprintln(&b, goldenLine(l.text, code[4*i:]))
	}
	if err := os.WriteFile(golden, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func compare(t *testing.T, lines []testLine, want []string) {
	t.Helper()
	if len(lines) != len(want) {
		t.Fatalf("%d instructions instead of %d; -update writes %s anew", len(lines), len(want), golden)
	}
	for i, l := range lines {
		if got := goldenLine(l.text, l.code); got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
}

// attributes has LLVM's names of the extensions, in the order of their bits.
var attributes = [...]string{"lse", "fullfp16", "fp16fml", "dotprod", "bf16", "i8mm"}

func attributesOf(f Features) string {
	text := "-mattr=+neon"
	for i, name := range attributes {
		if f.Has(1 << i) {
			text += ",+" + name
		}
	}
	return text
}

// llvm gives the machine code that llvm-mc makes of the text.
func llvm(t *testing.T, lines []testLine) []byte {
	t.Helper()
	return assemble(t, source(lines))
}

func source(lines []testLine) string {
	var text strings.Builder
	for _, l := range lines {
		text.WriteString(l.before + l.text + "\n")
	}
	return text.String()
}

func assemble(t *testing.T, text string) []byte {
	t.Helper()
	object, out, err := assembleFor(t, AllFeatures, text)
	if err != nil {
		t.Fatalf("llvm-mc: %v\n%.4000s", err, out)
	}
	file, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	code, err := file.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// assembleFor gives the object file, and what llvm-mc says.
func assembleFor(t *testing.T, f Features, text string) (string, string, error) {
	t.Helper()
	object := filepath.Join(t.TempDir(), "a.o")
	cmd := exec.Command(testenv.Program(t, "llvm-mc"), "-triple=aarch64", attributesOf(f), "-filetype=obj", "-o", object)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	return object, string(out), err
}

// TestFeatures asks LLVM's assembler whether each form needs the extension that the table says, and no other.
func TestFeatures(t *testing.T) {
	groups := map[Features][]testLine{}
	for _, l := range everyForm(t, 1, rand.New(rand.NewPCG(6, 6))) {
		groups[l.needs] = append(groups[l.needs], testLine{before: l.before, text: l.text})
	}
	if len(groups) != 1+len(attributes) {
		t.Errorf("the forms need %d different sets", len(groups))
	}
	for needs, lines := range groups {
		if _, out, err := assembleFor(t, needs, source(lines)); err != nil {
			t.Errorf("%s is not enough: %v\n%.1000s", needs, err, out)
		}
		if needs == 0 {
			continue
		}
		others := AllFeatures &^ needs
		if needs == FP16 { // LLVM takes it as a part of the other one
			others &^= FHM
		}
		_, out, _ := assembleFor(t, others, source(lines))
		if n := strings.Count(out, ": error: instruction requires: "); n != len(lines) {
			t.Errorf("without %s, %d of %d instructions are refused\n%.1000s", needs, n, len(lines), out)
		}
	}
}

// testLine is an instruction with the machine code that the assembler made of it, and the label before it.
type testLine struct {
	before, text string
	code         []byte
	needs        Features
}

// everyForm emits count instructions of each form, with operands that random chooses.
func everyForm(t *testing.T, count int, random *rand.Rand) []testLine {
	t.Helper()
	a := Assembler{Record: true}
	var needs []Features
	for op := Op(1); int(op) <= Ops; op++ {
		for i := range op.forms() {
			f := &op.forms()[i]
			target := a.Label()
			a.Bind(target)
			for range count {
				args := randomOperands(f, op, target, random)
				if args == nil {
					t.Fatalf("%s %s: found no operands that this form takes first", op, f.operands())
				}
				a.Emit(op, args...)
				needs = append(needs, f.needs)
			}
		}
	}
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return testLines(a.Lines(), code, needs)
}

// testLines makes tests of a listing: labels become a part of the next line.
func testLines(listing []Line, code []byte, needs []Features) []testLine {
	var lines []testLine
	before := ""
	for _, l := range listing {
		if strings.HasSuffix(l.Text, ":") {
			before = l.Text + "\n"
			continue
		}
		lines = append(lines, testLine{before, l.Text, code[l.Offset : l.Offset+4], needs[len(lines)]})
		before = ""
	}
	return lines
}

// randomOperands finds operands that lead to a form, or nil.
func randomOperands(f *form, op Op, target Label, random *rand.Rand) []Operand {
	for range 20000 {
		args := make([]Operand, f.n)
		for i := range args {
			args[i] = randomOperand(&patterns[f.args[i]], target, random)
		}
		if chosen, _ := choose(op, args); chosen == f {
			return args
		}
	}
	return nil
}

func pick[T any](random *rand.Rand, list ...T) T { return list[random.IntN(len(list))] }

// randomRegister prefers the numbers where something changes.
func randomRegister(v View, sp bool, random *rand.Rand) Reg {
	r := Register(pick(random, 0, 1, 15, 16, 30, 31, random.IntN(32)), v)
	if r == XZR && sp || r == WZR && sp {
		r |= spFlag
	}
	return r
}

// randomOperand gives an operand of the kind of a pattern. Its value may be one that the pattern refuses.
func randomOperand(p *pattern, target Label, random *rand.Rand) Operand {
	r := randomRegister(p.view, p.sp, random)
	base := randomRegister(ViewX, true, random)
	size := int32(p.arg)
	disp := pick(random, 0, 1, -1, 255, -256, size, 3*size, 63*size, -64*size, -2*size, 4095*size)
	shift := Shift(random.IntN(int(numShifts)))
	amount := pick(random, 0, 1, 2, 3, 4, 8, 16, 24, 31, 32, 48, 63)
	switch p.kind {
	case kindReg:
		return r.Op()
	case kindLane:
		return r.Op().Lane(random.IntN(16))
	case kindList:
		return r.Op().List(int(p.arg))
	case kindListLane:
		return r.Op().List(int(p.arg)).Lane(random.IntN(16))
	case kindMem:
		return At(base, disp)
	case kindPre:
		return Pre(base, disp)
	case kindPost:
		return Post(base, disp)
	case kindPostReg:
		return PostReg(base, randomRegister(ViewX, false, random))
	case kindIndex:
		return AtIndex(base, randomRegister(pick(random, ViewX, ViewW), false, random), shift, amount%5)
	case kindImm:
		return Imm(randomConstant(p, random))
	case kindFloat:
		return Float(pick(random, 0, 0.125, -0.25, 1, 1.5, 1.9375, 2, 2.5, -17, 31))
	case kindShift:
		return shift.By(amount)
	case kindCond:
		return Cond(random.IntN(int(numConds))).Op()
	case kindSym:
		return Sym(random.IntN(int(numSyms))).Op()
	default:
		return To(target)
	}
}

func randomConstant(p *pattern, random *rand.Rand) int64 {
	switch p.enc {
	case encBitmask, encNotmask:
		pattern := repeat(1<<(1+random.IntN(7))-1, pick(random, 8, 16, 32, 64))
		return int64(pattern<<random.IntN(8) | pattern>>(64-8))
	case encBytemask:
		return pick[int64](random, 0, -1, 0xff, 0x00ff00ff00ff00ff, -256, 255<<random.IntN(8))
	}
	limit := int64(1) << min(p.arg, 16)
	return pick[int64](random, 0, 1, 2, 7, 8, 16, 31, 32, 63, 255, 4095, 4096, 0xfff000, limit-1, random.Int64N(limit), int64(random.IntN(65)))
}
