package emit

// What the compiler holds for an operation and for an element of a list, about, in bytes.
const (
	opBytes   = 1024
	ElemBytes = 48
)
