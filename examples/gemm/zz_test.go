package main
import ("testing"
"github.com/cutile-go/cutile/internal/testing/assemble"
"github.com/cutile-go/cutile/internal/testing/sasstest"
)
func TestZZ(t *testing.T){
 for _,c:=range []assemble.Case{{Kernel: gemm[dimM, dimN, dimK]},{Kernel: linear[dimM, dimN, dimK], Funcs: []any{relu[block]}},{Kernel: linear[dimM, dimN, dimK], Funcs: []any{gelu[block]}}} {
 m:=c.Code(t,true).Module
 d:=assemble.Bytecode(t,m)
 for _,g:=range assemble.Targets{ t.Log(g,sasstest.Measure(t,d,g)) }
 }
}
