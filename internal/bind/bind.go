package bind

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Bind takes the arguments of a launch, checks each against its parameter and finds the facts. It gives all mistakes at
// once.
func (c *Call) Bind(args []any) []Mistake {
	c.given = c.given[:0]
	for _, arg := range args {
		c.collect(arg, nil, "")
	}
	defer clear(c.given) // a call must not keep alive what it was given
	if len(c.given) != len(c.slots) {
		return []Mistake{c.countMistake(len(c.given), func(i int) string { return describe(c.given[i].tensor, c.given[i].value) })}
	}
	var wrong []Mistake
	c.volatile = false
	for i := range c.slots {
		if m := c.take(&c.slots[i], &c.given[i]); m.Text != "" {
			wrong = append(wrong, m)
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	c.findFacts()
	return nil
}

// countMistake says that there are too many arguments, or too few; what names the type of each.
func (c *Call) countMistake(got int, what func(i int) string) Mistake {
	names := make([]string, len(c.slots))
	for i := range c.slots {
		names[i] = c.slots[i].param.Name
	}
	text := Count(len(names), "argument", names, got)
	for i := range min(got, len(c.slots)) {
		if t := what(i); strings.HasPrefix(t, "[]") { // later arguments do not stand for the parameters of their numbers
			text += notArray(c.slots[i].param, t)
			break
		}
	}
	return Mistake{Text: text}
}

// notArray says what to do if a slice was given for a parameter that is an array; it is "" otherwise.
func notArray(p *compile.Param, got string) string {
	name, first := strings.CutSuffix(p.Name, "[0]")
	elem, slice := strings.CutPrefix(got, "[]")
	if !first || !slice {
		return ""
	}
	return fmt.Sprintf(": %s is an array, but a slice was given: pass an array of %s, of the same length", name, elem)
}

// given is an argument: a tensor, another value, or the reason why it is neither.
type given struct {
	tensor *device.Tensor
	value  any
	err    error
	of     reflect.Type // the struct that it is a field of
	field  string
	hidden string // a field of that struct that cannot be read
}

// take checks one argument and keeps it. The zero Mistake means that it fits.
func (c *Call) take(s *slot, arg *given) Mistake {
	if arg.err != nil {
		return Failed(s.String(), arg.err)
	}
	if arg.hidden != "" {
		return Mistake{Text: hiddenText(s, structText(arg.of), arg.hidden)}
	}
	if arg.of != nil && len(s.param.Path) > 1 && !strings.EqualFold(arg.field, lastName(s.param)) {
		return Mistake{Text: fmt.Sprintf("%v is field %s of %v: the fields of a struct must have the names of the parameter's, in the same order",
			s, arg.field, arg.of)}
	}
	s.tensor, s.value = nil, reflect.Value{}
	switch s.param.Kind {
	case compile.Scalar:
		return c.takeScalar(s, arg.tensor, arg.value)
	case compile.Func:
		return c.takeFunc(s, arg.tensor, arg.value)
	}
	return c.takeTensor(s, arg.tensor, arg.value)
}

func (c *Call) takeTensor(s *slot, t *device.Tensor, value any) Mistake {
	if t == nil {
		return c.expects(s, describe(nil, value))
	}
	if t.Err != nil {
		return Failed(s.String(), t.Err)
	}
	if t.Elem != s.param.Elem || s.param.Kind != compile.Ptr && len(t.View.Shape) != len(s.param.Tile) {
		return c.expects(s, describe(t, nil))
	}
	if t.Spec {
		s.tensor = t
		return Mistake{}
	}
	if t.Memory.Closed() {
		return Mistake{Text: fmt.Sprintf("%v, *cutile.Tensor[%v] of shape %v, is closed", s, t.Elem, t.View.Shape), Cause: device.ErrClosed}
	}
	if c.device != nil && t.Memory.Device() != c.device {
		return Mistake{Text: fmt.Sprintf("expects %v to be on device %s, but it is on another one%s", s,
			c.device.Name(), t.Memory.Device().Apart(c.device))}
	}
	if s.param.Kind.Writes() && t.View.Repeats() {
		return Mistake{Text: fmt.Sprintf("%v is written, but two of its indices are one element, as in a broadcast view: shape %v with strides %v", s,
			t.View.Shape, t.View.Strides)}
	}
	if s.param.Kind == compile.Ptr && !t.View.IsRowMajor() {
		return Mistake{Text: fmt.Sprintf("%v is a tile.Ptr, which needs contiguous elements in row-major order, but the tensor of shape %v has strides %v: "+
			"pass its Contiguous, or make the parameter a tile.In or tile.InOut, or pass its Span if the kernel computes with these strides",
			s, t.View.Shape, t.View.Strides)}
	}
	s.tensor = t
	return Mistake{}
}

func (c *Call) takeScalar(s *slot, t *device.Tensor, value any) Mistake {
	v := reflect.ValueOf(value)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v, c.volatile = v.Elem(), true
	}
	if t != nil || !v.IsValid() || !Accepts(s.param.Elem, v.Type(), false) {
		return c.expects(s, describe(t, value))
	}
	if _, problem := Number(s.param.Elem, v); problem != "" {
		return c.expects(s, problem)
	}
	s.value = v
	return Mistake{}
}

func (c *Call) takeFunc(s *slot, t *device.Tensor, value any) Mistake {
	v := reflect.ValueOf(value)
	want := c.types[s.index]
	if t != nil || v.Kind() != reflect.Func || v.IsNil() || want != nil && !v.Type().AssignableTo(want) {
		return c.expects(s, describe(t, value))
	}
	find := compile.ResolveFunc
	if c.Infer != nil {
		find = func(fn any) (*compile.Kernel, error) { return c.Infer(s.index, fn) }
	}
	k, err := find(value)
	if err != nil {
		return Failed(s.String(), err)
	}
	c.facts.Args[s.index] = compile.ArgFacts{Func: k}
	return Mistake{}
}

// expects says what a parameter takes and what it got instead.
func (c *Call) expects(s *slot, got string) Mistake {
	fn := ""
	if t := c.types[s.index]; t != nil {
		fn = TypeText(t)
	}
	return Mistake{Text: expects(s, fn, got)}
}

// expects is the message for a parameter; fn is the type of one that is a function, where it is known.
func expects(s *slot, fn, got string) string {
	return Expects(s.String(), wants(s.param, fn), got+notArray(s.param, got))
}

func wants(p *compile.Param, fn string) string {
	switch p.Kind {
	case compile.Scalar:
		if p.Int {
			return "an int"
		}
		return A(p.Elem.String())
	case compile.Func:
		if fn != "" {
			return A(fn)
		}
		return "a function"
	case compile.Ptr:
		return "a tensor of " + p.Elem.String()
	default:
		return fmt.Sprintf("a rank-%d tensor of %v", len(p.Tile), p.Elem)
	}
}

// describe names an argument by what it is.
func describe(t *device.Tensor, value any) string {
	if t != nil && t.Spec {
		return fmt.Sprintf("cutile.Spec[%v] of rank %d", t.Elem, len(t.View.Shape))
	}
	if t != nil {
		return fmt.Sprintf("*cutile.Tensor[%v] of rank %d", t.Elem, len(t.View.Shape))
	}
	return Describe(value)
}

func hiddenText(s *slot, of, field string) string {
	return fmt.Sprintf("%v: cannot pass the %s field by field: %s is not exported", s, of, field)
}

// structText names a struct type.
func structText(t reflect.Type) string {
	if t.Name() == "" {
		return "struct"
	}
	return "struct " + TypeText(t)
}
