package cute

// Order tells how an atomic operation orders the other reads and writes of its thread.
type Order string

// The orders of the PTX ISA's memory consistency model.
const (
	Relaxed Order = "relaxed" // nothing
	Acquire Order = "acquire" // later accesses stay after it
	Release Order = "release" // earlier accesses are visible to threads that see it
	AcqRel  Order = "acq_rel" // both
)

// Scope is the set of threads among which an operation is atomic and ordered.
type Scope string

// The scopes.
const (
	ScopeBlock   Scope = "cta"     // of one block
	ScopeCluster Scope = "cluster" // of one cluster (sm_90)
	ScopeGPU     Scope = "gpu"     // of the device
	ScopeSystem  Scope = "sys"     // of the host and all devices
)

// Atomic is an order and a scope: the zero Atomic is relaxed with the scope of the device.
type Atomic struct {
	Order Order
	Scope Scope
}

func (a Atomic) text() string {
	text := ""
	if a.Order != "" {
		text = "." + string(a.Order)
	} else if a.Scope != "" {
		text = ".relaxed"
	}
	if a.Scope != "" {
		text += "." + string(a.Scope)
	}
	return text
}

// AtomicOp is an atomic operation on memory.
type AtomicOp string

// The operations, with the elements that they take.
const (
	OpAdd  AtomicOp = "add"  // integers of 32 and 64 bits, Float16, BFloat16 (sm_90), float32, float64
	OpMin  AtomicOp = "min"  // integers of 32 and 64 bits
	OpMax  AtomicOp = "max"  // the same
	OpAnd  AtomicOp = "and"  // the same
	OpOr   AtomicOp = "or"   // the same
	OpXor  AtomicOp = "xor"  // the same
	OpExch AtomicOp = "exch" // any element of 32 and 64 bits
)

// AtomicDo replaces the element at a coordinate, in global or shared memory, by op of it and v, and returns the old one.
func AtomicDo[T Num](op AtomicOp, how Atomic, t Tensor[T], v T, crd ...int) T {
	return atomic(string(op), how.text(), t, v, crd...)
}

//cutile:intrinsic atomic
func atomic[T Num](op, how string, t Tensor[T], v T, crd ...int) T { panic(deviceOnly) }

// AtomicAdd adds v to an element and returns the old one; see [OpAdd].
func AtomicAdd[T Num](t Tensor[T], v T, crd ...int) T { return atomic("add", "", t, v, crd...) }

// AtomicMin replaces an element by the lesser of it and v, and returns the old one; see [OpMin].
func AtomicMin[T Num](t Tensor[T], v T, crd ...int) T { return atomic("min", "", t, v, crd...) }

// AtomicMax replaces an element by the greater of it and v, and returns the old one; see [OpMax].
func AtomicMax[T Num](t Tensor[T], v T, crd ...int) T { return atomic("max", "", t, v, crd...) }

// AtomicAnd clears the bits of an element that v does not have, and returns the old one.
func AtomicAnd[T Num](t Tensor[T], v T, crd ...int) T { return atomic("and", "", t, v, crd...) }

// AtomicOr sets the bits of v in an element, and returns the old one.
func AtomicOr[T Num](t Tensor[T], v T, crd ...int) T { return atomic("or", "", t, v, crd...) }

// AtomicXor flips the bits of v in an element, and returns the old one.
func AtomicXor[T Num](t Tensor[T], v T, crd ...int) T { return atomic("xor", "", t, v, crd...) }

// AtomicExch replaces an element by v, and returns the old one; see [OpExch].
func AtomicExch[T Num](t Tensor[T], v T, crd ...int) T { return atomic("exch", "", t, v, crd...) }

// AtomicCAS replaces an element by v if its bits equal those of old, and returns the previous element. It takes elements of 16,
// 32 and 64 bits.
func AtomicCAS[T Num](t Tensor[T], old, v T, crd ...int) T { return cas("", t, old, v, crd...) }

// AtomicCASWith is [AtomicCAS] with an order and a scope.
func AtomicCASWith[T Num](how Atomic, t Tensor[T], old, v T, crd ...int) T {
	return cas(how.text(), t, old, v, crd...)
}

//cutile:intrinsic cas
func cas[T Num](how string, t Tensor[T], old, v T, crd ...int) T { panic(deviceOnly) }
