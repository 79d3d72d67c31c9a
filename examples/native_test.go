package examples_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/nativecount"
	"github.com/cutile-go/cutile/internal/toolbox/dump"
	"github.com/cutile-go/cutile/tileir/text"
)

var update = flag.Bool("update", false, "write testdata/native.txt")

// nativeCases are the kernels of the examples, with the functions that they take.
var nativeCases = []struct{ folder, kernel, function string }{
	{"vectoradd", "add[D1024]", ""},
	{"softmax", "softmax[D4, D512]", ""},
	{"gemm", "gemm[dimM, dimN, dimK]", ""},
	{"gemm", "linear[dimM, dimN, dimK]", "activate=relu"},
	{"gemm", "linear[dimM, dimN, dimK]", "activate=gelu"},
	{"attention", "attention[D64, D64, D64]", ""},
	{"histogram", "histogram[D1024]", ""},
	{"layernorm", "forward[dimR, dimC]", ""},
	{"layernorm", "backwardX[dimR, dimC]", ""},
	{"layernorm", "backwardW[dimR, dimC]", ""},
	{"ranks", "heights[D1024]", ""},
}

// TestNative compares what becomes machine code on the CPU with the list in testdata.
func TestNative(t *testing.T) {
	var b strings.Builder
	for _, c := range nativeCases {
		o := &dump.Options{Stages: "ir", Facts: "all"}
		if c.function != "" {
			if err := o.AddFunc(c.function); err != nil {
				t.Fatal(err)
			}
		}
		var ir strings.Builder
		if err := dump.Kernel(t.Context(), &ir, c.folder, c.kernel, o); err != nil {
			t.Fatal(err)
		}
		m, err := text.Parse(ir.String(), text.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(nativecount.Line(t, strings.TrimSpace(c.folder+"."+c.kernel+" "+c.function), m))
	}
	nativecount.Compare(t, "testdata/native.txt", b.String(), *update)
}
