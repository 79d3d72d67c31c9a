package sasstest_test
import ("testing";"os"
"github.com/cutile-go/cutile/tileir"
"github.com/cutile-go/cutile/tileir/bytecode"
"github.com/cutile-go/cutile/internal/testing/sasstest"
)
func rewrite(t *testing.T, name string, f func(m *tileir.Module)) {
 data,_ := os.ReadFile("testdata/flash_attention.13.3.tileirbc")
 m,_,_:=bytecode.Read(data)
 f(m)
 d,err:=bytecode.Write(m, tileir.V13_3, bytecode.Options{})
 if err!=nil {t.Fatal(err)}
 t.Log(name,sasstest.Measure(t,d,"sm_90"))
}
func each(b *tileir.Block, f func(*tileir.Op)) { for _,o:=range b.Ops { f(o); for _,r:=range o.Regions { if r!=nil {each(r,f)} } } }
func replace(b *tileir.Block, old, new *tileir.Value) { each(b, func(o *tileir.Op){ for i,v:=range o.Operands { if v==old { o.Operands[i]=new } } }) }
func find(b *tileir.Block, name string, n int) (r *tileir.Op) { each(b, func(o *tileir.Op){ if o.Info.Mnemonic==name { if n==0 && r==nil { r=o }; n-- } }); return }
func TestYY(t *testing.T){
 rewrite(t,"same iota", func(m *tileir.Module){
  b:=m.Entries[0].Body
  replace(b, find(b,"iota",1).Results[0], find(b,"iota",0).Results[0])
 })
 rewrite(t,"bound i+1", func(m *tileir.Module){
  b:=m.Entries[0].Body
  replace(b, find(b,"divi",1).Results[0], find(b,"addi",1).Results[0])
 })
 rewrite(t,"no bounded", func(m *tileir.Module){
  b:=m.Entries[0].Body
  replace(b, find(b,"iota",1).Results[0], find(b,"iota",0).Results[0])
 })
 rewrite(t,"one block id", func(m *tileir.Module){
  b:=m.Entries[0].Body
  x:=find(b,"get_tile_block_id",0)
  for k:=1;k<3;k++ { for i:=range 3 { replace(b, find(b,"get_tile_block_id",k).Results[i], x.Results[i]) } }
 })
 rewrite(t,"one zero", func(m *tileir.Module){
  b:=m.Entries[0].Body
  replace(b, find(b,"mmaf",0).Operands[2], find(b,"for",0).Operands[3])
 })
}
