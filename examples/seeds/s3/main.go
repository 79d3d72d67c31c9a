// Command s3 builds the listings of seed S3, "tile-ir Backend", with package tileir. Each listing becomes a kernel of
// one module. The command prints the text of the module and the size of its bytecode in each version.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

var (
	i32   = tileir.Tile(tileir.I32)
	f32   = tileir.Tile(tileir.F32)
	f32s  = tileir.Tile(tileir.F32, 128)
	masks = tileir.Tile(tileir.I1, 128)
)

// listing is one of the seed's listings, as a kernel.
type listing struct {
	title  string // title in the seed
	name   string // of the kernel
	params []tileir.Type
	build  func(b *tileir.Builder, params []*tileir.Value)
}

var listings = []listing{
	{"Constant (scalar)", "constant", nil, constant},
	{"Binary arithmetic (AddF with flags)", "addf", nil, addF},
	{"Comparison (CmpI with signedness)", "cmpi", []tileir.Type{i32, i32}, cmpI},
	{"For loop (v13.2 with flags)", "for", []tileir.Type{i32, i32, i32}, forLoop},
	{"Print (v13.2 — requires Token result)", "print", []tileir.Type{i32}, printValue},
	{"Load from pointer (LoadPtrTko with optional operands)", "load_ptr_tko", nil, loadPtr},
	{"Entry function (top-level kernel)", "my_kernel", []tileir.Type{f32, f32}, entry},
}

func constant(b *tileir.Builder, _ []*tileir.Value) {
	b.Constant(tileir.IntConstant(i32, 42))
	b.Constant(tileir.IntConstant(tileir.Tile(tileir.I1), 1)) // true is FF, false 00
}

func addF(b *tileir.Builder, _ []*tileir.Value) {
	lhs, rhs := b.Constant(tileir.FloatConstant(f32s, 1)), b.Constant(tileir.FloatConstant(f32s, 2))
	b.AddF(lhs, rhs, tileir.RoundingNearestEven, tileir.WithFlushToZero())
}

func cmpI(b *tileir.Builder, p []*tileir.Value) {
	b.CmpI(p[0], p[1], tileir.CompareLessThan, tileir.Signed)
}

func forLoop(b *tileir.Builder, p []*tileir.Value) {
	b.For(p[0], p[1], p[2], nil, func(index *tileir.Value, carried []*tileir.Value) {
		b.Continue()
	})
}

func printValue(b *tileir.Builder, p []*tileir.Value) {
	b.PrintTko("value = %i\n", p)
}

func loadPtr(b *tileir.Builder, _ []*tileir.Value) {
	source := b.IntToPtr(b.Constant(tileir.IntConstant(tileir.Tile(tileir.I64, 128), 0)), tileir.F32)
	mask := b.Constant(tileir.IntConstant(masks, 1))
	padding := b.Constant(tileir.FloatConstant(f32s, 0))
	tile, token := b.LoadPtrTko(source, tileir.MemoryWeak, tileir.WithMask(mask), tileir.WithPadding(padding))
	b.StorePtrTko(source, tile, tileir.MemoryWeak, tileir.WithToken(token))
}

func entry(b *tileir.Builder, p []*tileir.Value) {
	b.AddF(p[0], p[1], tileir.RoundingNearestEven)
	b.Return()
}

// assembled builds a module of all listings.
func assembled(v tileir.Version) (*tileir.Module, error) {
	b := tileir.NewBuilder()
	for _, l := range listings {
		b.Entry(l.name, l.params, func(params []*tileir.Value) { l.build(b, params) })
	}
	return b.Build(v)
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	m, err := assembled(tileir.V13_2)
	if err != nil {
		return err
	}
	fmt.Fprint(w, text.Sprint(m))
	for _, v := range tileir.Versions() {
		data, err := bytecode.Write(m, v, bytecode.Options{})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\nbytecode %v takes %d bytes", v, len(data))
	}
	fmt.Fprintln(w)
	for _, d := range differences {
		fmt.Fprintf(w, "%v has %s\n", d.version, d.what)
	}
	return nil
}
