package ir

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// Class is a set of element types.
type Class uint8

// The classes of element types. The float types of 8 bits and tf32 are only stored and converted.
const (
	Floats  Class = 1 << iota // float16, bfloat16, float32, float64
	Ints                      // with and without a sign
	Bools                     //
	Numbers = Floats | Ints
	Bits    = Ints | Bools
	All     = Floats | Ints | Bools
)

var classNames = map[Class]string{Floats: "float16, bfloat16, float32 or float64", Ints: "integers", Bools: "bool",
	Numbers: "integers, float16, bfloat16, float32 or float64", Bits: "integers or bool", All: "numbers or bool"}

// String names the types, as messages do.
func (c Class) String() string { return classNames[c] }

// Has reports whether the class has an element type.
func (c Class) Has(t dtype.Type) bool {
	switch {
	case t == dtype.Bool:
		return c&Bools != 0
	case t.IsInt():
		return c&Ints != 0
	}
	return c&Floats != 0 && slices.Contains([]dtype.Type{dtype.F16, dtype.BF16, dtype.F32, dtype.F64}, t)
}

// Func is a function of elements.
type Func struct {
	Name  string
	In    int   // number of operands
	Takes Class // element types of the operands, which are all the same; of select, of the last two
	Tests bool  // the result is a bool
	Costs bool  // it takes much longer than an addition
}

// Funcs are the functions of pointwise operations. Integers wrap around. Division by zero gives -1 (all bits), its remainder the
// dividend, and the least number divided by -1 itself. Shifts by the width or more shift all bits out.
var Funcs = []*Func{
	{"neg", 1, Numbers, false, false}, {"abs", 1, Numbers, false, false}, {"sign", 1, Numbers, false, false},
	{"exp", 1, Floats, false, true}, {"exp2", 1, Floats, false, true}, {"expm1", 1, Floats, false, true},
	{"log", 1, Floats, false, true}, {"log2", 1, Floats, false, true}, {"log1p", 1, Floats, false, true},
	{"sqrt", 1, Floats, false, false}, {"rsqrt", 1, Floats, false, false},
	{"sin", 1, Floats, false, true}, {"cos", 1, Floats, false, true}, {"tan", 1, Floats, false, true},
	{"asin", 1, Floats, false, true}, {"acos", 1, Floats, false, true}, {"atan", 1, Floats, false, true},
	{"sinh", 1, Floats, false, true}, {"cosh", 1, Floats, false, true}, {"tanh", 1, Floats, false, true},
	{"asinh", 1, Floats, false, true}, {"acosh", 1, Floats, false, true}, {"atanh", 1, Floats, false, true},
	{"erf", 1, Floats, false, true}, {"logistic", 1, Floats, false, true},
	{"floor", 1, Floats, false, false}, {"ceil", 1, Floats, false, false}, {"trunc", 1, Floats, false, false},
	{"round_even", 1, Floats, false, false}, {"round_away", 1, Floats, false, false},
	{"is_finite", 1, Floats, true, false}, {"is_nan", 1, Floats, true, false}, {"is_inf", 1, Floats, true, false},
	{"not", 1, Bits, false, false}, {"clz", 1, Ints, false, false}, {"popcount", 1, Ints, false, false},
	{"add", 2, Numbers, false, false}, {"sub", 2, Numbers, false, false}, {"mul", 2, Numbers, false, false},
	{"div", 2, Numbers, false, false},                                    // of integers rounds to zero
	{"rem", 2, Numbers, false, false},                                    // with the sign of the dividend
	{"mod", 2, Numbers, false, false},                                    // with the sign of the divisor
	{"pow", 2, Numbers, false, true},                                     // of integers wraps around; a negative exponent gives 0, but for 1 and -1
	{"max", 2, Numbers, false, false}, {"min", 2, Numbers, false, false}, // NaN if an operand is NaN
	{"atan2", 2, Floats, false, true},
	{"and", 2, Bits, false, false}, {"or", 2, Bits, false, false}, {"xor", 2, Bits, false, false},
	{"shl", 2, Ints, false, false}, {"shr", 2, Ints, false, false}, // with zeros
	{"sar", 2, Ints, false, false}, // with the sign bit, of integers without a sign, too
	{"mulhi", 2, Ints, false, false},
	{"eq", 2, All, true, false}, {"ne", 2, All, true, false}, {"lt", 2, Numbers, true, false}, {"le", 2, Numbers, true, false},
	{"gt", 2, Numbers, true, false}, {"ge", 2, Numbers, true, false},
	{"select", 3, All, false, false},
}

// FuncAttr is the attribute of [Pointwise].
type FuncAttr struct{ Func *Func }

var funcByName = func() map[string]*Func {
	m := map[string]*Func{}
	for _, f := range Funcs {
		m[f.Name] = f
	}
	return m
}()

// FuncNamed finds a function of elements: nil if there is none.
func FuncNamed(name string) *Func { return funcByName[name] }

// Check checks the element types of operands; there are as many as the function has.
func (f *Func) Check(in []*Node) error {
	first := 0 // of the operands that have one type
	if f.Name == "select" {
		if in[0].Elem != dtype.Bool {
			return fmt.Errorf("the condition is %s, expected bool", in[0].Type())
		}
		first = 1
	}
	last := in[len(in)-1]
	for i, x := range in[first:] {
		if x.Elem != last.Elem {
			return fmt.Errorf("operand %d is %s and operand %d %s, expected the same element type: convert one of them", first+i+1, x.Type(), len(in), last.Type())
		}
	}
	switch {
	case f.Takes.Has(last.Elem):
		return nil
	case len(in) == 1:
		return fmt.Errorf("the array is %s, expected %s: convert it", last.Type(), f.Takes)
	}
	return fmt.Errorf("operand %d is %s, expected %s: convert it", len(in), last.Type(), f.Takes)
}

// Pointwise applies a function to the elements of arrays of the same shape.
func (g *Graph) Pointwise(name string, in ...*Node) (*Node, error) {
	f := funcByName[name]
	if f == nil {
		return nil, fmt.Errorf("%q is no function of elements", name)
	}
	if len(in) != f.In {
		return nil, fmt.Errorf("%d operands, expected %d", len(in), f.In)
	}
	if err := f.Check(in); err != nil {
		return nil, err
	}
	last := in[len(in)-1]
	for i, x := range in {
		if !slices.Equal(x.Shape, last.Shape) {
			return nil, fmt.Errorf("operand %d is %s and operand %d %s, expected the same shape", i+1, x.Type(), len(in), last.Type())
		}
	}
	elem := last.Elem
	if f.Tests {
		elem = dtype.Bool
	}
	return g.add(Node{Op: Pointwise, In: in, Elem: elem, Shape: last.Shape, Attr: FuncAttr{f}})
}

// Convert converts elements: floats round to nearest even, floats to integers round to zero and saturate (NaN becomes 0),
// integers to integers keep the low bits, and to bool what is not 0 is true.
func (g *Graph) Convert(x *Node, to dtype.Type) (*Node, error) {
	if x.Elem == to {
		return x, nil
	}
	if err := stored(to); err != nil {
		return nil, err
	}
	return g.add(Node{Op: Convert, In: []*Node{x}, Elem: to, Shape: x.Shape})
}

// Bitcast takes the bits of elements as another element type of the same size.
func (g *Graph) Bitcast(x *Node, to dtype.Type) (*Node, error) {
	if x.Elem == to {
		return x, nil
	}
	if err := stored(to); err != nil {
		return nil, err
	}
	if x.Elem.Size() != to.Size() || x.Elem == dtype.Bool || to == dtype.Bool {
		return nil, fmt.Errorf("elements of %s have %d bytes and those of %v %d, expected numbers of the same size", x.Type(), x.Elem.Size(), to, to.Size())
	}
	return g.add(Node{Op: Bitcast, In: []*Node{x}, Elem: to, Shape: x.Shape})
}

// stored checks that arrays can have an element type.
func stored(t dtype.Type) error {
	if !slices.Contains(dtype.Types(), t) {
		return fmt.Errorf("no array has elements of type %v; the types are %v", t, dtype.Types())
	}
	return nil
}
