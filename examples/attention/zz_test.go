package main
import ("testing"
"github.com/cutile-go/cutile/internal/testing/assemble"
"github.com/cutile-go/cutile/internal/testing/sasstest"
"github.com/cutile-go/cutile/tile")
func TestZZ(t *testing.T){
 c:=assemble.Case{Kernel: attention[tile.D64, tile.D64, tile.D64], Transposed: []string{"k"}}
 for _,p:=range []bool{true,false}{
 m:=c.Code(t,p).Module
 d:=assemble.Bytecode(t,m)
 for _,g:=range assemble.Targets{ t.Log(p,g,sasstest.Measure(t,d,g)) }
 }
}
