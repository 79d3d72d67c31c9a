package completeness_test

import (
	"fmt"
	"go/types"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/layout/atom"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
	"github.com/cutile-go/cutile/internal/simtc/run"
	"github.com/cutile-go/cutile/npy"
	"github.com/cutile-go/cutile/tileir"
)

// part is a part of the project that knows element types.
type part struct {
	name string
	// fault says what the part does not know of a type, "" for nothing.
	fault func(t dtype.Type, row elem.Row) string
	lacks map[dtype.Type]string // the types that the part does not have, with the reason
}

// Reasons why a part lacks types.
const (
	noSIMT   = "no instruction of the SIMT level takes it: block scales and packed elements are of tcgen05"
	noMemory = "tensors have bytes: kernels unpack such elements"
	noNumPy  = "neither NumPy nor ml_dtypes has it"
)

var noTypesOfPTX = map[dtype.Type]string{
	dtype.F8E8M0FNU: noSIMT, dtype.F8E5M3FNU: noSIMT, dtype.F4E2M1FN: noSIMT, dtype.I4: noSIMT,
}

var parts = []part{
	{"Go type", goType, nil},
	{"tensors", tensors, map[dtype.Type]string{dtype.F4E2M1FN: noMemory, dtype.I4: noMemory}},
	{"numbers", numbers, nil},
	{"Tile IR", tileIR, nil},
	{"bytecode", inBytecode, nil},
	{"PTX", inPTX, noTypesOfPTX},
	{"atoms", inAtoms, withReason(noTypesOfPTX, dtype.Bool, "no instruction multiplies or copies truth values: they are moved as bytes")},
	{"SIMT level", atSIMT, noTypesOfPTX},
	{".npy", inNpy, map[dtype.Type]string{dtype.F8E5M3FNU: noNumPy, dtype.TF32: noNumPy + ": such arrays are float32", dtype.I4: "ml_dtypes has it, and no tensor does"}},
	{"CPU engine", onCPU, nil},
}

func withReason(m map[dtype.Type]string, t dtype.Type, why string) map[dtype.Type]string {
	m = maps.Clone(m)
	m[t] = why
	return m
}

// TestElementTypes asks each part for each row of the table of element types: it knows the type, or lists it as lacking.
func TestElementTypes(t *testing.T) {
	for _, p := range parts {
		for i, row := range elem.Table[1:] {
			e := dtype.Type(i + 1)
			fault := p.ask(e, row)
			switch why, lacks := p.lacks[e]; {
			case fault != "" && !lacks:
				t.Errorf("%s: %v: %s: teach it the type, or list it in lacks with the reason", p.name, e, fault)
			case fault == "" && lacks:
				t.Errorf("%s: %v is known, but listed as lacking: %s", p.name, e, why)
			}
		}
	}
}

// ask asks the part for a type. A row without a constant in package dtype makes parts panic.
func (p part) ask(t dtype.Type, row elem.Row) (fault string) {
	defer func() {
		if x := recover(); x != nil {
			fault = fmt.Sprint("it panics: ", x)
		}
	}()
	return p.fault(t, row)
}

// when gives a text where something is so.
func when(is bool, format string, args ...any) string {
	if is {
		return fmt.Sprintf(format, args...)
	}
	return ""
}

func goType(t dtype.Type, row elem.Row) string {
	g := t.GoType()
	if g == nil {
		return "package dtype has no constant, or no Go type for it"
	}
	return when(g.Name() != row.Go || int(g.Size()) != row.Size, "its Go type is %v, want %s of %d bytes", g, row.Go, row.Size)
}

func tensors(t dtype.Type, row elem.Row) string {
	back, ok := dtype.ByName(row.Name)
	return when(!slices.Contains(dtype.Types(), t) || !ok || back != t, "tensors cannot have it")
}

// numbers: 1 comes back, and prints as 1.
func numbers(t dtype.Type, row elem.Row) string {
	if !t.IsFloat() {
		return when(t.IsInt() == (t == dtype.Bool), "it is no number")
	}
	bits := t.FloatBits(1)
	x := reflect.New(t.GoType()).Elem()
	if x.CanUint() {
		x.SetUint(bits)
	} else {
		x.SetFloat(1)
	}
	text := fmt.Sprint(x.Interface())
	return when(t.FloatFromBits(bits) != 1 || text != "1" || !t.Holds(1), "1 is %#x, prints as %s", bits, text)
}

func tileIR(t dtype.Type, row elem.Row) string {
	e, ok := tileir.ElemByName(row.IR)
	lower, found := tileir.ElemByName(strings.ToLower(row.IR))
	if !ok || !found || lower != e || e.Bits() != row.Bits || e.Bytes() != row.Size || e.IsFloat() != t.IsFloat() || e.Since() == 0 {
		return "no such element"
	}
	if e.IsFloat() && tileir.FloatBits(e, 1)<<row.Format.Pad != t.FloatBits(1) {
		return "1 is something else"
	}
	return ""
}

func inPTX(t dtype.Type, row elem.Row) string {
	if row.PTX == "" {
		return "it has no name"
	}
	bits, pair := simt.TypeBits(row.PTX), simt.TypeBits(row.PTX+"x2")
	if t == dtype.Bool {
		return when(bits != 1, "it has %d bits", bits)
	}
	return when(bits != 8*row.Size && pair != 16*row.Size, "it has %d bits, and two of it %d", bits, pair)
}

func inAtoms(_ dtype.Type, row elem.Row) string {
	return when(atom.Elem(row.PTX).Bits() != 8*row.Size, "it has %d bits", atom.Elem(row.PTX).Bits())
}

// cuteTypes are the types of package cute that stand for elements, which no list has at run time.
var cuteTypes = map[string]reflect.Type{
	"Float16": reflect.TypeFor[cute.Float16](), "BFloat16": reflect.TypeFor[cute.BFloat16](), "TFloat32": reflect.TypeFor[cute.TFloat32](),
	"Float8E4M3FN": reflect.TypeFor[cute.Float8E4M3FN](), "Float8E5M2": reflect.TypeFor[cute.Float8E5M2](),
}

// atSIMT: the evaluator and the binding of arguments agree on the type.
func atSIMT(t dtype.Type, row elem.Row) string {
	if row.Cute == "" {
		return "it has no name"
	}
	host, ok := cuteTypes[row.Cute]
	var typ types.Type
	if ok {
		pkg := types.NewPackage(host.PkgPath(), "cute")
		typ = types.NewNamed(types.NewTypeName(0, pkg, row.Cute, nil), types.Typ[types.Float32], nil)
	} else if o := types.Universe.Lookup(row.Cute); o != nil {
		host, typ = t.GoType(), o.Type()
	} else {
		return "package cute has no type " + row.Cute
	}
	e := emit.ElemOf(typ)
	return when(e == nil || e.DType != t || e.Bits != 8*row.Size || run.ElemOf(host) != t, "the evaluator has %+v, arguments %v", e, run.ElemOf(host))
}

// inNpy: the type is found by its name, and 1 prints as in NumPy.
func inNpy(t dtype.Type, row elem.Row) string {
	typ, ok := npy.TypeByName(row.Name)
	if !ok {
		return "no such type"
	}
	if !t.IsFloat() {
		return when(typ.Size() != row.Size || typ.IsInt() != t.IsInt() || typ.IsSigned() != t.IsSigned(), "it differs")
	}
	x := typ.Number(t.FloatBits(1))
	return when(x != 1 || math.IsNaN(x) || typ.Text(t.FloatBits(1)) != "1", "1 is %v, as text %s", x, typ.Text(t.FloatBits(1)))
}
