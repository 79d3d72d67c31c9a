package emit

// These are about how many bytes the compiler holds for an operation and for an element of a list.
const (
	opBytes   = 1024
	ElemBytes = 48
)
