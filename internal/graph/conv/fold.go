package conv

import "github.com/cutile-go/cutile/internal/graph/ir"

// Fold folds the elements of windows along all axes of an array. fill lies around it.
func Fold(g *ir.Graph, fold *ir.Fold, x, fill *ir.Node, o Options) (*ir.Node, error) {
	var v view
	x, err := v.open(g, x, fill, 0, o)
	if err != nil {
		return nil, err
	}
	if elements(v.counts()) == 0 {
		return g.Broadcast(fill, v.counts(), nil)
	}
	x = v.phases(x)
	n := len(v.windows)
	var over []int
	for i := range n {
		over = append(over, n+i)
	}
	var y *ir.Node
	for _, p := range v.parts() {
		y = v.join(fold.Of(x.Elem).Func, y, v.reduce(fold.Name, v.part(x, p), over))
	}
	return y, v.err
}
