package amd64

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// predicates are the names that GNU's assembler has for the predicates, in any order.
var predicates = map[string]int64{"eq_oq": EQ_OQ, "lt_os": LT_OS, "le_os": LE_OS, "unord_q": UNORD_Q, "neq_uq": NEQ_UQ, "nlt_us": NLT_US, "nle_us": NLE_US,
	"ord_q": ORD_Q, "eq_uq": EQ_UQ, "nge_us": NGE_US, "ngt_us": NGT_US, "false_oq": FALSE_OQ, "neq_oq": NEQ_OQ, "ge_os": GE_OS, "gt_os": GT_OS,
	"true_uq": TRUE_UQ, "eq_os": EQ_OS, "lt_oq": LT_OQ, "le_oq": LE_OQ, "unord_s": UNORD_S, "neq_us": NEQ_US, "nlt_uq": NLT_UQ, "nle_uq": NLE_UQ,
	"ord_s": ORD_S, "eq_us": EQ_US, "nge_uq": NGE_UQ, "ngt_uq": NGT_UQ, "false_os": FALSE_OS, "neq_os": NEQ_OS, "ge_oq": GE_OQ, "gt_oq": GT_OQ,
	"true_us": TRUE_US}

// intPredicates are those for integers.
var intPredicates = map[string]int64{"eq": IntEQ, "lt": IntLT, "le": IntLE, "neq": IntNE, "nlt": IntGE, "nle": IntGT}

func TestPredicates(t *testing.T) {
	as := testenv.Assembler(t)
	var a Assembler
	source := bytes.NewBufferString(".intel_syntax noprefix\n")
	for name, v := range predicates {
		fmt.Fprintf(source, "vcmp%sps k1, zmm2, zmm3\n", name)
		a.Emit(VCMPPS, K(1), Z(2), Z(3), Imm(v))
	}
	for name, v := range intPredicates {
		fmt.Fprintf(source, "vpcmp%sd k2, zmm2, zmm3\n", name)
		if v == IntEQ { // the assembler takes the operation without a predicate
			a.Emit(VPCMPEQD, K(2), Z(2), Z(3))
			continue
		}
		a.Emit(VPCMPD, K(2), Z(2), Z(3), Imm(v))
	}
	code, err := a.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if len(predicates) != 32 || !bytes.Equal(code, assemble(t, as, source.Bytes())) {
		t.Errorf("a predicate has another number for GNU's assembler:\n%s\n% x", source, code)
	}
}

func TestInverse(t *testing.T) {
	for op, want := range map[Op]Op{JE: JNE, JB: JAE, JG: JLE, JA: JBE, JP: JNP, SETL: SETGE, CMOVS: CMOVNS, CMOVNO: CMOVO, JMP: JMP, VADDPS: VADDPS} {
		if got := op.Inverse(); got != want {
			t.Errorf("the inverse of %s is %s, expected %s", op, got, want)
		}
		if got := op.Inverse().Inverse(); got != op {
			t.Errorf("the inverse of the inverse of %s is %s", op, got)
		}
	}
}
