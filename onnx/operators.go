package onnx

import (
	"fmt"
	"maps"
	"slices"
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

// Operators returns the names of the operators that models may use, sorted. Those of other domains than ONNX's own have theirs
// before them: com.microsoft.Gelu.
func Operators() []string { return slices.Sorted(maps.Keys(operators)) }
