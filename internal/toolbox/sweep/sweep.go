// Package sweep reads the values of a parameter on a command line, and puts them into texts.
package sweep

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// Help explains to users what [Parse] and [Sweep.Fill] read.
const Help = `
-sweep N=128:4096:*2 measures for N from 128 up to 4096, twice as much each time; N=128:1024:+128 adds 128 each time, and N=100,200,1000 lists
the values. {N} in -arg, -array and -grid stands for the value, and so do sums, products and quotients in braces, such as
{N*N} and {(N+1)/128}, where / rounds up.`

// Sweep is a parameter with its values.
type Sweep struct {
	Name   string
	Values []int64
}

// Limits of values.
const (
	maxValues = 1000
	maxValue  = 1 << 40
)

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// Parse reads NAME=FIRST:LAST:*FACTOR, NAME=FIRST:LAST:+STEP or NAME=VALUE,VALUE….
func Parse(s string) (*Sweep, error) {
	name, list, ok := strings.Cut(s, "=")
	if !ok || !nameForm.MatchString(name) {
		return nil, fmt.Errorf("want NAME=FIRST:LAST:*FACTOR, as in N=128:4096:*2, NAME=FIRST:LAST:+STEP, or NAME=VALUE,VALUE")
	}
	w := &Sweep{Name: name}
	parts := strings.Split(list, ":")
	if len(parts) == 1 {
		for text := range strings.SplitSeq(list, ",") {
			v, err := value(text)
			if err != nil {
				return nil, err
			}
			if w.Values = append(w.Values, v); len(w.Values) > maxValues {
				return nil, fmt.Errorf("more than %d values", maxValues)
			}
		}
		return w, w.distinct()
	}
	if len(parts) != 3 || parts[2] == "" {
		return nil, fmt.Errorf("want first value, last value and step, as in 128:4096:*2 or 128:1024:+128")
	}
	kind := parts[2][0]
	wrong := fmt.Errorf("the step is %s: want *2 or another factor of 2 or more, from a first value of 1 or more, or +128 or another number of 1 or more", names.Short(parts[2]))
	if kind != '*' && kind != '+' {
		return nil, wrong
	}
	first, err := value(parts[0])
	if err != nil {
		return nil, err
	}
	last, err := value(parts[1])
	if err != nil {
		return nil, err
	}
	step, err := value(parts[2][1:])
	if err != nil {
		return nil, err
	}
	next := func(v int64) int64 { return v + step }
	switch {
	case kind == '*' && first > 0 && step > 1:
		next = func(v int64) int64 { return v * min(step, maxValue/v+1) }
	case kind == '+' && step > 0:
	default:
		return nil, wrong
	}
	for v := first; v <= last; v = next(v) {
		if w.Values = append(w.Values, v); len(w.Values) > maxValues {
			return nil, fmt.Errorf("more than %d values", maxValues)
		}
	}
	if w.Values == nil {
		return nil, fmt.Errorf("there are no values from %d to %d", first, last)
	}
	return w, nil
}

func (w *Sweep) distinct() error {
	seen := map[int64]bool{}
	for _, v := range w.Values {
		if seen[v] {
			return fmt.Errorf("the value %d is there twice", v)
		}
		seen[v] = true
	}
	return nil
}

func value(text string) (int64, error) {
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil || v < 0 || v > maxValue {
		return 0, fmt.Errorf("%q is no number from 0 to %d", names.Short(text), int64(maxValue))
	}
	return v, nil
}

// Growing reports whether the values grow by factors, or cover so much that small ones would not be seen beside large ones.
func (w *Sweep) Growing() bool {
	const far = 8
	first, last := w.Values[0], w.Values[len(w.Values)-1]
	return first > 0 && last/first >= far
}

// Fill puts a value into a text. Without a sweep, the text has no braces.
func (w *Sweep) Fill(text string, v int64) (string, error) {
	var b strings.Builder
	for rest := text; ; {
		before, after, ok := strings.Cut(rest, "{")
		b.WriteString(before)
		if !ok {
			return b.String(), nil
		}
		if w == nil {
			return "", toolbox.Usagef("%s: there is no -sweep that gives {…} a value", names.Short(text))
		}
		inner, tail, ok := strings.Cut(after, "}")
		if !ok {
			return "", toolbox.Usagef("%s: a brace is not closed", names.Short(text))
		}
		x, err := parser.ParseExpr(inner)
		if err != nil {
			return "", toolbox.Usagef("%s: {%s} is no sum, product or quotient", names.Short(text), names.Short(inner))
		}
		n, err := w.number(x, v)
		if err == nil && !n.IsInt64() {
			err = fmt.Errorf("it does not fit 64 bits")
		}
		if err != nil {
			return "", toolbox.Usagef("%s: {%s}: %v", names.Short(text), names.Short(inner), err)
		}
		b.WriteString(n.String())
		rest = tail
	}
}

// maxBits bounds numbers on the way, so that they take no time.
const maxBits = 1 << 10

// number computes an expression.
func (w *Sweep) number(x ast.Expr, v int64) (*big.Int, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return w.number(x.X, v)
	case *ast.Ident:
		if x.Name == w.Name {
			return big.NewInt(v), nil
		}
		return nil, fmt.Errorf("%s has no value: -sweep has %s", names.Short(x.Name), w.Name)
	case *ast.BasicLit:
		if n, ok := new(big.Int).SetString(x.Value, 0); ok && x.Kind == token.INT && n.BitLen() <= maxBits {
			return n, nil
		}
	case *ast.BinaryExpr:
		a, err := w.number(x.X, v)
		if err != nil {
			return nil, err
		}
		b, err := w.number(x.Y, v)
		if err != nil {
			return nil, err
		}
		return computed(x.Op, a, b)
	}
	return nil, fmt.Errorf("want %s, integers, and + - * / and parentheses", w.Name)
}

func computed(op token.Token, a, b *big.Int) (*big.Int, error) {
	n := new(big.Int)
	switch op {
	case token.ADD:
		n.Add(a, b)
	case token.SUB:
		n.Sub(a, b)
	case token.MUL:
		n.Mul(a, b)
	case token.QUO:
		if b.Sign() == 0 {
			return nil, fmt.Errorf("a division by 0")
		}
		if b.Sign() < 0 {
			a, b = new(big.Int).Neg(a), new(big.Int).Neg(b)
		}
		rest := new(big.Int)
		if n.DivMod(a, b, rest); rest.Sign() != 0 { // n is rounded down
			n.Add(n, big.NewInt(1))
		}
	default:
		return nil, fmt.Errorf("there is no %v", op)
	}
	if n.BitLen() > maxBits {
		return nil, fmt.Errorf("it does not fit 64 bits")
	}
	return n, nil
}
