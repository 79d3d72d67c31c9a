// Package bind turns the arguments of a launch into what an engine takes: it checks them against a kernel's
// parameters, finds the facts that select the code, infers the grid and packs the bits. Calls of package cute have parameters
// of other kinds; adapters, numbers and the texts of mistakes are the same for both.
package bind

import (
	"fmt"
	"reflect"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Unwrapper finds the tensor that a value stands for, else the value to take in its place, which may be x itself.
type Unwrapper func(x any) (*device.Tensor, any, error)

// Call is a kernel's parameters with arguments. It may be bound again and again, and allocates little then.
type Call struct {
	// Infer, where not nil, finds the function that the value of a parameter stands for: of a kernel whose types are not
	// those of the running program.
	Infer func(param int, fn any) (*compile.Kernel, error)

	// Resident gives how many blocks run at once: the grid of tensors whose tiles the blocks own in turn. nil is unknown.
	Resident func() int

	params []compile.Param
	types  []reflect.Type // of params; nil if they are not known
	device *device.Device
	unwrap Unwrapper

	given []given
	slots []slot
	facts compile.Facts
	key   []byte
	bits  []uint64
	uses  []device.Use

	volatile bool
}

// slot is a parameter that takes an argument, with the argument.
type slot struct {
	param  *compile.Param
	index  int            // among params
	number int            // from 1, among arguments, as messages count
	tensor *device.Tensor // of those that take one
	value  reflect.Value  // of Scalar: the value, or where it lies, read at each launch
}

// String names the argument.
func (s *slot) String() string { return Argument(s.number, s.param.Name) }

// New prepares a call of a function. fn is the type of the kernel as the user gave it, nil if it is known only by name;
// device is the one that tensors must be on, nil for any.
func New(params []compile.Param, fn reflect.Type, device *device.Device, unwrap Unwrapper) *Call {
	c := &Call{params: params, types: make([]reflect.Type, len(params)), device: device, unwrap: unwrap}
	c.facts.Args = make([]compile.ArgFacts, len(params))
	for i := range params {
		c.types[i] = params[i].ReflectType(fn)
		if params[i].Kind != compile.None {
			c.slots = append(c.slots, slot{param: &params[i], index: i, number: len(c.slots) + 1})
		}
	}
	return c
}

// Check has the kernel compiled for a device that checks.
func (c *Call) Check() { c.facts.Checked = true }

// Cover has the kernel compiled for a device that records which statements run.
func (c *Call) Cover() { c.facts.Covered = true }

// Facts is what Bind found out.
func (c *Call) Facts() compile.Facts { return c.facts }

// Key encodes the facts. It is valid until the next Bind.
func (c *Call) Key() []byte { return c.key }

// findFacts finds what the arguments let a launch promise to the compiler.
func (c *Call) findFacts() {
	c.facts.Wide = false
	for i := range c.slots {
		s := &c.slots[i]
		fact := &c.facts.Args[s.index]
		if s.tensor == nil {
			continue // fact.Func was set by Bind
		}
		*fact = compile.ArgFacts{Align16: s.tensor.Address()%16 == 0}
		if s.param.Kind == compile.Ptr {
			continue
		}
		v := s.tensor.View
		for axis, extent := range v.Shape {
			stride := v.Stride(axis)
			fact.Extent16 |= when(extent%16 == 0) << axis
			fact.Stride16 |= when(stride*s.tensor.Elem.Size()%16 == 0) << axis
			fact.Unit |= when(stride == 1) << axis
			c.facts.Wide = c.facts.Wide || extent != int(int32(extent)) || stride != int(int32(stride))
		}
	}
	c.key = c.facts.AppendKey(c.key[:0])
}

func when(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Volatile reports whether a number was given as a pointer, so that a launch may find another one there than Bind.
func (c *Call) Volatile() bool { return c.volatile }

// Pack gives the bits of the entry's parameters and the memories that the launch uses; writes says by parameter which are
// written. Both are valid until the next Pack. Scalars that were given as pointers are read now.
func (c *Call) Pack(writes []bool) (bits []uint64, uses []device.Use, wrong []Mistake) {
	c.bits, c.uses = c.bits[:0], c.uses[:0]
	for i := range c.slots {
		s := &c.slots[i]
		if s.param.Kind == compile.Scalar {
			b, problem := Number(s.param.Elem, s.value)
			if problem != "" {
				wrong = append(wrong, c.expects(s, problem))
			}
			c.bits = append(c.bits, b)
		}
		if s.tensor == nil {
			continue
		}
		if s.tensor.Spec {
			wrong = append(wrong, Mistake{Text: fmt.Sprintf("%v is a cutile.Spec, which has no elements: launch with tensors", s)})
		} else {
			if writes[s.index] && s.tensor.Memory.Frozen() {
				wrong = append(wrong, Mistake{Text: fmt.Sprintf("%v is %v: the kernel writes it", s, device.ErrFrozen), Cause: device.ErrFrozen})
			}
			c.uses = append(c.uses, device.Use{Memory: s.tensor.Memory, Writes: writes[s.index]})
		}
		c.bits = append(c.bits, s.tensor.Address())
		if s.param.Kind == compile.Ptr {
			continue
		}
		for _, extent := range s.tensor.View.Shape {
			c.bits = append(c.bits, uint64(extent))
		}
		for axis := range s.tensor.View.Shape {
			c.bits = append(c.bits, uint64(s.tensor.View.Stride(axis)))
		}
	}
	return c.bits, c.uses, wrong
}

// Describe says of what type, shape and strides each argument is, and the values of numbers.
func (c *Call) Describe() (list []string) {
	for i := range c.slots {
		s := &c.slots[i]
		switch {
		case s.tensor != nil && s.tensor.View.IsRowMajor():
			list = append(list, fmt.Sprintf("%v%v", s.tensor.Elem, s.tensor.View.Shape))
		case s.tensor != nil:
			list = append(list, fmt.Sprintf("%v%v of strides %v", s.tensor.Elem, s.tensor.View.Shape, s.tensor.View.Strides))
		case s.value.IsValid():
			list = append(list, fmt.Sprintf("%v(%v)", s.value.Type(), reflect.Indirect(s.value)))
		default:
			list = append(list, s.param.Name)
		}
	}
	return list
}
