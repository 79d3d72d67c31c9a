package notebook

// cells are the functions whose bodies the document shows with what they print.
var cells = map[string]func(){
	"strides": strides, "nested": nested, "modes": modes, "composition": composition, "inverses": inverses,
	"divides": divides, "products": products, "owners": owners, "swizzles": swizzles,
	"scaling": scaling, "copying": copying, "statics": statics, "executors": executors, "mistakes": mistakes,
}

// must is for what cannot fail here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
