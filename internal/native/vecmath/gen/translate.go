package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
)

// goTypes are the Go types of types of lanes, by kind.
var goTypes = map[vec.Type][2]string{
	vec.I8: {"uint8"}, vec.I16: {"uint16"}, vec.I32: {"uint32"}, vec.F32: {"uint32", "float32"}, vec.I64: {"uint64"}, vec.F64: {"uint64", "float64"},
}

// translator writes a function of package vec as Go.
type translator struct {
	strings.Builder
	f      *vec.Func
	kinds  map[vec.Reg]kind   // of the variables that registers are
	consts map[vec.Reg]uint64 // registers that are constants
}

// function writes a function as a loop over slices.
func function(fn vecmath.Function) (string, error) {
	b := vec.NewBuilder(fn.Name)
	t := &translator{f: &b.Func, kinds: map[vec.Reg]kind{}, consts: map[vec.Reg]uint64{}}
	var args []vec.Reg
	var params, begin, cut []string
	for i, a := range fn.Args {
		r, name := b.New(a.Class()), string(rune('a'+i))
		args = append(args, r)
		elem, value := goTypes[a][1], name+"[i]"
		t.kinds[r] = floats
		if !a.Float() {
			elem = goTypes[a][0][1:]
			value, t.kinds[r] = goTypes[a][0]+"("+value+")", uints
		}
		params = append(params, name+" []"+elem)
		cut = append(cut, fmt.Sprintf("%s = %[1]s[:len(d)]\n", name))
		begin = append(begin, fmt.Sprintf("v%d := %s\n", r, value))
	}
	result := fn.Emit(b, args)
	b.Prune(result)
	fmt.Fprintf(t, "\n// %s is [vecmath.%[1]s] for each element.\nfunc %[1]s(d []%s, %s) {\n%sfor i := range d {\n%s",
		fn.Name, goTypes[fn.Type()][floats], strings.Join(params, ", "), strings.Join(cut, ""), strings.Join(begin, ""))
	for i := range t.f.Body {
		if err := t.instr(&t.f.Body[i]); err != nil {
			return "", fmt.Errorf("instruction %d, %s: %w", i, t.f.Text(&t.f.Body[i]), err)
		}
	}
	fmt.Fprintf(t, "d[i] = %s\n}\n}\n", t.as(result, fn.Type(), floats))
	return t.String(), nil
}

// instr writes an instruction.
func (t *translator) instr(in *vec.Instr) error {
	if _, ok := t.consts[in.Dst]; ok {
		return fmt.Errorf("it assigns a constant")
	}
	switch in.Op {
	case vec.Const:
		t.consts[in.Dst] = uint64(in.Imm) << (64 - 8*in.Type.Bytes()) >> (64 - 8*in.Type.Bytes())
	case vec.Move:
		t.move(in)
	case vec.Select:
		t.choose(in)
	case vec.FMin, vec.FMax:
		t.extreme(in)
	case vec.FRound:
		t.assign(in, floats, fmt.Sprintf("%s(%s(float64(%s)))", goTypes[in.Type][floats], roundings[in.Imm], t.as(in.Src[0], in.Type, floats)))
	case vec.Cmp, vec.FCmp:
		t.compare(in)
	case vec.FMulAdd:
		t.mulAdd(in)
	case vec.IfAny:
		fmt.Fprintf(t, "if v%d {\n", in.Src[0])
	case vec.End:
		t.WriteString("}\n")
	default:
		r, ok := rows[in.Op]
		if !ok {
			return fmt.Errorf("there is no Go for it")
		}
		if in.Type == vec.F64 && r.text2 != "" {
			r.text = r.text2
		}
		t.assign(in, r.kind, t.fill(in, r.text))
	}
	return nil
}

// fill replaces the names in a row's text.
func (t *translator) fill(in *vec.Instr, text string) string {
	types := goTypes[in.Type]
	pairs := []string{"{imm}", strconv.FormatInt(in.Imm, 10), "{uint}", types[uints], "{float}", types[floats], "{int}", strings.TrimPrefix(types[uints], "u")}
	for i, r := range in.Src {
		if r == 0 {
			continue
		}
		at := func(name, value string) { pairs = append(pairs, fmt.Sprintf("{%s%d}", name, i), value) }
		switch {
		case t.f.Class(r) == vec.Mask:
			at("m", fmt.Sprintf("v%d", r))
			continue
		case in.From != vec.NoType:
			at("from", t.number(r, in.From))
			at("fromuint", t.as(r, in.From, uints))
			continue
		}
		at("u", t.as(r, in.Type, uints))
		at("s", t.signed(r, in.Type))
		if in.Type.Float() {
			at("f", t.as(r, in.Type, floats))
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// number is a register as a float or an integer with a sign.
func (t *translator) number(r vec.Reg, typ vec.Type) string {
	if typ.Float() {
		return t.as(r, typ, floats)
	}
	return t.signed(r, typ)
}

func (t *translator) signed(r vec.Reg, typ vec.Type) string {
	name := strings.TrimPrefix(goTypes[typ][uints], "u")
	if c, ok := t.consts[r]; ok {
		n := 64 - 8*typ.Bytes()
		return fmt.Sprintf("%s(%d)", name, int64(c<<n)>>n)
	}
	return fmt.Sprintf("%s(%s)", name, t.as(r, typ, uints))
}

// as is a register as a value of a kind.
func (t *translator) as(r vec.Reg, typ vec.Type, k kind) string {
	width := 8 * typ.Bytes()
	if c, ok := t.consts[r]; ok {
		return constant(c, width, k)
	}
	name := fmt.Sprintf("v%d", r)
	switch {
	case t.kinds[r] == k:
		return name
	case k == floats:
		return fmt.Sprintf("math.Float%dfrombits(%s)", width, name)
	}
	return fmt.Sprintf("math.Float%dbits(%s)", width, name)
}

// constant is a number with the given bits.
func constant(c uint64, width int, k kind) string {
	x := math.Float64frombits(c)
	if width == 32 {
		x = float64(math.Float32frombits(uint32(c)))
	}
	switch {
	case k == uints:
		return fmt.Sprintf("uint%d(%#x)", width, c)
	case x != x || math.IsInf(x, 0) || x == 0 && math.Signbit(x):
		return fmt.Sprintf("math.Float%dfrombits(%#x)", width, c)
	}
	return fmt.Sprintf("float%d(%s)", width, strconv.FormatFloat(x, 'x', -1, 64))
}

// assign gives a register a value of a kind; the first one makes it a variable of that kind.
func (t *translator) assign(in *vec.Instr, k kind, value string) {
	op := ":="
	if old, ok := t.kinds[in.Dst]; ok {
		op = "="
		if old != k {
			from := [...]string{uints: "bits", floats: "frombits"}[old]
			value = fmt.Sprintf("math.Float%d%s(%s)", 8*in.Type.Bytes(), from, value)
		}
	} else {
		t.kinds[in.Dst] = k
	}
	fmt.Fprintf(t, "v%d %s %s\n", in.Dst, op, value)
}

// move copies a register; what it copies to becomes a variable of the same kind, a float if it was a constant.
func (t *translator) move(in *vec.Instr) {
	k, ok := t.kinds[in.Src[0]]
	if !ok {
		k = floats
	}
	typ := in.Type
	if k == floats {
		typ += vec.F32 - vec.I32
	}
	t.assign(&vec.Instr{Type: typ, Dst: in.Dst}, k, t.as(in.Src[0], typ, k))
}

// choose selects with integers, for which compilers need no branch.
func (t *translator) choose(in *vec.Instr) {
	t.assign(in, uints, t.as(in.Src[2], in.Type, uints))
	fmt.Fprintf(t, "if v%d {\nv%d = %s\n}\n", in.Src[0], in.Dst, t.as(in.Src[1], in.Type, uints))
}

func (t *translator) extreme(in *vec.Instr) {
	a, b := t.as(in.Src[0], in.Type, floats), t.as(in.Src[1], in.Type, floats)
	less := map[vec.Op]string{vec.FMin: "<", vec.FMax: ">"}[in.Op]
	t.assign(in, floats, b)
	fmt.Fprintf(t, "if %s %s %s {\nv%d = %s\n}\n", a, less, b, in.Dst, a)
}

// mulAdd writes a*b + c, rounded once. For float32, the product is exact in float64, and so is rounding the sum to float32
// afterwards, unless the sum lies in the middle between two of them. Then its last 28 bits are zero; the one before them
// is zero only if the result is subnormal. It is written out, since a function of this size is not inlined.
func (t *translator) mulAdd(in *vec.Instr) {
	var x [3]string
	for i := range x {
		x[i] = t.as(in.Src[i], in.Type, floats)
	}
	list := strings.Join(x[:], ", ")
	if in.Type == vec.F64 {
		t.assign(in, floats, "math.FMA("+list+")")
		return
	}
	for i := range x {
		if c, ok := t.consts[in.Src[i]]; ok {
			x[i] = constant(math.Float64bits(float64(math.Float32frombits(uint32(c)))), 64, floats)
		} else {
			x[i] = "float64(" + x[i] + ")"
		}
	}
	fmt.Fprintf(t, "w%d := %s*%s + %s\nif x := math.Float64bits(w%[1]d); x<<36 == 0 && (x<<35 != 0 || x<<1 < 0x381<<53) {\nw%[1]d = fma32(%[5]s)\n}\n", in.Dst, x[0], x[1], x[2], list)
	t.assign(in, floats, fmt.Sprintf("float32(w%d)", in.Dst))
}

func (t *translator) compare(in *vec.Instr) {
	var x [2]string
	for i := range x {
		x[i] = t.number(in.Src[i], in.Type)
		if in.Cond >= vec.ULT && in.Cond <= vec.UGE {
			x[i] = t.as(in.Src[i], in.Type, uints)
		}
	}
	text, _, twice := strings.Cut(comparisons[in.Cond], " {and} ")
	if twice && x[0] != x[1] {
		text = comparisons[in.Cond]
	}
	and := map[vec.Cond]string{vec.Unordered: "||", vec.Ordered: "&&"}[in.Cond]
	t.assign(in, truths, strings.NewReplacer("{0}", x[0], "{1}", x[1], "{and}", and).Replace(text))
}
