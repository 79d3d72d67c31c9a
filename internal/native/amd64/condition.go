package amd64

// Other names of conditional jumps.
const (
	JC  = JB
	JNC = JAE
	JZ  = JE
	JNZ = JNE
)

// Inverse gives the jump, the conditional move or the SET with the opposite condition. Other operations it returns as they
// are.
func (op Op) Inverse() Op {
	for _, first := range [...]Op{JO, CMOVO, SETO} {
		if op >= first && op < first+16 {
			return first + (op - first) ^ 1 // the conditions are numbered in pairs
		}
	}
	return op
}

// The predicates of VCMPPS and its relatives. The two letters say whether the result is true (U) or false (O) where an
// operand is not a number, and whether a quiet NaN raises an exception (S) or not (Q).
const (
	EQ_OQ = iota
	LT_OS
	LE_OS
	UNORD_Q
	NEQ_UQ
	NLT_US
	NLE_US
	ORD_Q
	EQ_UQ
	NGE_US
	NGT_US
	FALSE_OQ
	NEQ_OQ
	GE_OS
	GT_OS
	TRUE_UQ
	EQ_OS
	LT_OQ
	LE_OQ
	UNORD_S
	NEQ_US
	NLT_UQ
	NLE_UQ
	ORD_S
	EQ_US
	NGE_UQ
	NGT_UQ
	FALSE_OS
	NEQ_OS
	GE_OQ
	GT_OQ
	TRUE_US
)

// The predicates of VPCMPD and its relatives, which compare integers.
const (
	IntEQ = iota
	IntLT
	IntLE
	IntFalse
	IntNE
	IntGE
	IntGT
	IntTrue
)
