package notebook

// cells are the functions whose bodies the document shows with what they print.
var cells = map[string]func(){
	"first": first, "orders": orders, "nested": nested, "coordinates": coordinates, "slices": slices, "modes": modes,
	"composition": composition, "byMode": byMode, "inverses": inverses, "divides": divides, "products": products,
	"owners": owners, "swizzles": swizzles, "atoms": atoms, "refused": refused,
	"scaling": scaling, "copying": copying, "statics": statics, "symbols": symbols, "executors": executors, "mistakes": mistakes,
}

// must is for what cannot fail here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
