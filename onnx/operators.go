package onnx

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// operator is an operator of ONNX.
type operator struct {
	since, until int // the versions of ONNX's operators that have it; until 0 is no limit
	min, max     int // number of inputs; max -1 is no limit
	build        func(c *call) []*val
	lists        bool // inputs may be sequences and optional values
}

func (o operator) inputs() string {
	switch {
	case o.max < 0:
		return fmt.Sprintf("at least %d", o.min)
	case o.min == o.max:
		return fmt.Sprint(o.min)
	}
	return fmt.Sprintf("%d to %d", o.min, o.max)
}

// operators are all operators, by their names; filled in by init, because graphs of control flow are built of operators, too.
var operators = map[string]operator{}

func init() {
	for _, table := range []map[string]operator{elementOperators, shapeOperators, reduceOperators, productOperators, convOperators,
		poolOperators, normOperators, gatherOperators, quantOperators, recurrentOperators, controlOperators, resizeOperators,
		attentionOperators, signalOperators, fourierOperators, randomOperators, lossOperators, chosenOperators} {
		for name, o := range table {
			if _, twice := operators[name]; twice {
				panic("BUG: the operator " + name + " is in two tables")
			}
			operators[name] = o
		}
	}
}

// operatorName is the name of a node's operator, with its domain if that is not ONNX's own.
func operatorName(n *wire.Node) string {
	if d := domain(n.Domain); d != "" {
		return d + "." + n.Op
	}
	return n.Op
}

// operatorOf gives the operator of a node in a version of its domain, or why there is none.
func operatorOf(n *wire.Node, version int) (operator, error) {
	name := operatorName(n)
	o, ok := operators[name]
	switch {
	case !ok && strings.ContainsFunc(name, unicode.IsSpace):
		return o, fmt.Errorf("the operator %q is not supported", name)
	case !ok:
		return o, fmt.Errorf("the operator %s is not supported", name)
	case domain(n.Domain) == "" && (version < o.since || o.until > 0 && version > o.until):
		return o, fmt.Errorf("the operator %s is not one of version %d of ONNX's operators", name, version)
	}
	return o, nil
}

// Operators returns the names of the operators that models may use, sorted. Those of other domains than ONNX's own have theirs
// before them: com.microsoft.Gelu.
func Operators() []string { return slices.Sorted(maps.Keys(operators)) }
