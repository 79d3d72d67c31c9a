package graph

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// Complex is an array of complex numbers a + bi: the arrays of their real and of their imaginary parts, of one shape and one
// element type of floats. Operands are broadcast as those of real operations. Functions of complex numbers have the branch cuts of
// package math/cmplx; formulas avoid squares where these would overflow although the result does not. (W. Kahan, Branch cuts for
// complex elementary functions, 1987.)
type Complex struct{ Re, Im *Value }

// FromReal returns real numbers as complex ones, with imaginary parts of 0.
func FromReal(x *Value) Complex {
	if bad := checkOne(x, ir.Floats); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{x, Broadcast(like(x, 0), x.node.Shape...)}
}

// Rect returns the numbers r·(cos angle + i·sin angle): real ones where the angle is 0.
func Rect(r, angle *Value) Complex {
	bad := check(func(in []*ir.Node) error {
		if err := elements(in[0], ir.Floats); err != nil {
			return err
		}
		if in[1].Elem != in[0].Elem {
			return fmt.Errorf("r is %s and angle %s, expected the same element type: convert one of them", in[0].Type(), in[1].Type())
		}
		_, err := commonShape(in)
		return err
	}, operand{"r", r}, operand{"angle", angle})
	if bad != nil {
		return Complex{bad, bad}
	}
	return Complex{Mul(r, Cos(angle)), Where(Equal(angle, like(angle, 0)), angle, Mul(r, Sin(angle)))}
}

// checkComplex checks complex operands that are broadcast. bad stands for a mistake, else it is nil.
func checkComplex(list ...Complex) (bad *Value) {
	return check(func(in []*ir.Node) error {
		if err := complexParts(in); err != nil {
			return err
		}
		if len(in) == 2 {
			return nil
		}
		if in[0].Elem != in[2].Elem {
			return fmt.Errorf("the parts of x are %s and those of y %s, expected the same element type: convert one of them", in[0].Type(), in[2].Type())
		}
		_, err := commonShape([]*ir.Node{in[0], in[2]})
		return err
	}, operandsOf(list...)...)
}

// operandsOf gives the parts of complex operands.
func operandsOf(list ...Complex) (all []operand) {
	for i, c := range list {
		name := string("xy"[i])
		all = append(all, operand{name + ".Re", c.Re}, operand{name + ".Im", c.Im})
	}
	return all
}

// complexParts checks that the parts of each complex operand are floats of one type and shape.
func complexParts(in []*ir.Node) error {
	for i := 0; i < len(in); i += 2 {
		re, im := in[i], in[i+1]
		if !ir.Floats.Has(re.Elem) || re.Elem != im.Elem || !slices.Equal(re.Shape, im.Shape) {
			return fmt.Errorf("the parts of %c are %s and %s, expected the same shape and element type, %s", "xy"[i/2], re.Type(), im.Type(), ir.Floats)
		}
	}
	return nil
}

// Err returns the mistakes of the graph so far, if a part could not be made because of one.
func (x Complex) Err() error { return errors.Join(x.Re.Err(), x.Im.Err()) }

// Each applies a function that only moves, adds or scales elements to both parts.
func (x Complex) Each(f func(part *Value) *Value) Complex {
	bad := check(func(in []*ir.Node) error {
		if f == nil {
			return errors.New("the function is nil")
		}
		return complexParts(in)
	}, operandsOf(x)...)
	if bad != nil {
		return Complex{bad, bad}
	}
	re := f(x.Re)
	if re == nil || re.node == nil { // the other part would be the same mistake
		return Complex{re, re}
	}
	return Complex{re, f(x.Im)}
}

// Add returns x + y.
func (x Complex) Add(y Complex) Complex {
	if bad := checkComplex(x, y); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{Add(x.Re, y.Re), Add(x.Im, y.Im)}
}

// Sub returns x - y.
func (x Complex) Sub(y Complex) Complex {
	if bad := checkComplex(x, y); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{Sub(x.Re, y.Re), Sub(x.Im, y.Im)}
}

// Neg returns -x.
func (x Complex) Neg() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return x.Each(Neg)
}

// Conj returns the complex conjugate a - bi.
func (x Complex) Conj() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{x.Re, Neg(x.Im)}
}

// Mul returns x·y.
func (x Complex) Mul(y Complex) Complex {
	if bad := checkComplex(x, y); bad != nil {
		return Complex{bad, bad}
	}
	return x.Bilinear(Mul, y)
}

// MatMul returns the matrix product, as the function [MatMul] does of real arrays.
func (x Complex) MatMul(y Complex) Complex {
	bad := check(func(in []*ir.Node) error {
		if err := complexParts(in); err != nil {
			return err
		}
		return multiplied(in[0], in[2])
	}, operandsOf(x, y)...)
	if bad != nil {
		return Complex{bad, bad}
	}
	return x.Bilinear(MatMul, y)
}

// Bilinear extends a product of real arrays, such as [MatMul], a [DotGeneral] or a [Conv], to complex ones: it is applied four times.
func (x Complex) Bilinear(product func(x, y *Value) *Value, y Complex) Complex {
	bad := check(func(in []*ir.Node) error {
		if product == nil {
			return errors.New("the product is nil")
		}
		return complexParts(in)
	}, operandsOf(x, y)...)
	if bad != nil {
		return Complex{bad, bad}
	}
	first := product(x.Re, y.Re)
	if first == nil || first.node == nil { // the others would be the same mistake
		return Complex{first, first}
	}
	return Complex{Sub(first, product(x.Im, y.Im)), Add(product(x.Re, y.Im), product(x.Im, y.Re))}
}

// Div returns x/y. It divides by the greater part of y first. (R. L. Smith, Algorithm 116: Complex division, 1962.)
func (x Complex) Div(y Complex) Complex {
	if bad := checkComplex(x, y); bad != nil {
		return Complex{bad, bad}
	}
	swap := Less(Abs(y.Re), Abs(y.Im))
	c, d := Where(swap, y.Im, y.Re), Where(swap, y.Re, y.Im)
	ratio := Where(Equal(c, like(c, 0)), like(c, 0), Div(d, c))
	scale := Add(c, Mul(d, ratio))
	re := Where(swap, Add(Mul(x.Re, ratio), x.Im), Add(x.Re, Mul(x.Im, ratio)))
	im := Where(swap, Sub(Mul(x.Im, ratio), x.Re), Sub(x.Im, Mul(x.Re, ratio)))
	return Complex{Div(re, scale), Div(im, scale)}
}

// Reciprocal returns 1/x.
func (x Complex) Reciprocal() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	return Complex{like(x.Re, 1), like(x.Re, 0)}.Div(x)
}

// Abs returns |x| = √(a² + b²), +Inf if a part is infinite.
func (x Complex) Abs() *Value {
	if bad := checkComplex(x); bad != nil {
		return bad
	}
	a, b := Abs(x.Re), Abs(x.Im)
	most, least := Max(a, b), Min(a, b)
	ratio := Where(Equal(most, like(most, 0)), like(most, 0), Div(least, most))
	m := Mul(most, Sqrt(Add(like(most, 1), Mul(ratio, ratio))))
	m = Where(IsInf(x.Re), a, m)
	return Where(IsInf(x.Im), b, m)
}

// Phase returns the angle of x, between -π and π.
func (x Complex) Phase() *Value {
	if bad := checkComplex(x); bad != nil {
		return bad
	}
	return Atan2(x.Im, x.Re)
}

// Sign returns x/|x|; 0 for 0.
func (x Complex) Sign() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	m := x.Abs()
	m = Where(Equal(m, like(m, 0)), like(m, 1), m)
	return Complex{Div(x.Re, m), Div(x.Im, m)}
}

// Sqrt returns the square root whose real part is not negative: t + b/(2t)·i with t = √((|a| + |x|)/2), with the parts swapped for
// negative a.
func (x Complex) Sqrt() Complex {
	if bad := checkComplex(x); bad != nil {
		return Complex{bad, bad}
	}
	a, b := Abs(x.Re), Abs(x.Im)
	half := like(a, 0.5)
	t := Sqrt(Add(Mul(a, half), Mul(x.Abs(), half)))
	other := Where(Equal(t, like(t, 0)), like(t, 0), Div(Mul(b, half), t))
	right := GreaterEqual(x.Re, like(x.Re, 0))
	re, im := Where(right, t, other), Where(right, other, t)
	return Complex{re, Where(signBit(x.Im), Neg(im), im)}
}

// signBit tells the sign of floats, also of a zero.
func signBit(x *Value) *Value {
	if x == nil || x.node == nil {
		return x
	}
	i := Bitcast(x, map[int]dtype.Type{1: dtype.I8, 2: dtype.I16, 4: dtype.I32, 8: dtype.I64}[x.node.Elem.Size()])
	return Less(i, like(i, 0))
}
