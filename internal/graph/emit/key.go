package emit

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/graph/index"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// Key gives a text that tells code apart: [Kernel] makes the same of kernels that have the same key, which differ in what [Args] says
// at most. The key takes a small part of the time that making the code does.
func Key(k *loops.Kernel, sizes Sizes) string {
	w := &keyWriter{arrays: map[*loops.Buffer]numbered{}, exprs: map[*loops.Expr]int{}}
	w.print(k.Name(), sizes, k.Axes)
	for i, a := range Args(k) {
		w.arrays[a.Buffer] = numbered{i, a.First} // as Kernel does, where an array is two arguments
		w.print(a.Buffer.Elem())
	}
	k.Walk(w.expr)
	w.print(w.at(k.Into, k.At), w.exprs[k.Value], k.Scatter)
	w.conditions(k.Where)
	if k.Fold != nil {
		w.print("fold", k.Fold.Name)
	}
	return string(w.text)
}

// keyWriter writes a key: a line for each fact, with the arrays and expressions by their numbers.
type keyWriter struct {
	text   []byte
	arrays map[*loops.Buffer]numbered
	exprs  map[*loops.Expr]int
}

// numbered is the number of an argument, and the element that it points to.
type numbered struct {
	number int
	first  int64
}

func (w *keyWriter) print(facts ...any) { w.text = fmt.Appendln(w.text, facts...) }

// expr writes an expression, whose operands have been written.
func (w *keyWriter) expr(x *loops.Expr) {
	w.exprs[x] = len(w.exprs)
	w.print("expr", x.Kind, x.Elem, x.Bits, x.Along, x.First)
	for _, a := range x.Args {
		w.print("of", w.exprs[a])
	}
	if x.Kind == loops.Load {
		w.print(w.at(x.Buffer, x.At))
	} else {
		w.print(w.place(x.At))
	}
	w.conditions(x.Where)
	if x.Func != nil {
		w.print("func", x.Func.Name)
	}
	if x.Fold != nil {
		w.print("fold", x.Fold.Name)
	}
}

func (w *keyWriter) conditions(where []index.Cond) {
	for _, c := range where {
		w.print("if", w.place(c.Index), c.N)
	}
}

// at gives the text of a place in an array, as counted from where its argument points.
func (w *keyWriter) at(b *loops.Buffer, at index.Expr) string {
	a := w.arrays[b]
	return fmt.Sprint(a.number, " ", w.place(at.Plus(-a.first)))
}

func (w *keyWriter) place(at index.Expr) string {
	return at.Text(func(value any) string { return fmt.Sprint("#", w.exprs[value.(*loops.Expr)]) })
}
