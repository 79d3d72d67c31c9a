package languagetest_test

import "testing"

type (
	small    int8
	weight   float32
	yes      bool
	word     string
	where    *int
	function func(int) int
)

func (s small) area() int          { return int(s) * 3 }
func (s small) scaled(k int) shape { return s * small(k) }

// kind is a number for each type that an interface may hold.
func kind(x any) int {
	switch x := x.(type) {
	case nil:
		return 1
	case int:
		return 1000 + x
	case int8:
		return 2000 + int(x)
	case uint8:
		return 3000 + int(x)
	case int64:
		return 4000 + int(x)
	case float32:
		return 5000 + int(x*2)
	case float64:
		return 6000 + int(x*2)
	case bool:
		if x {
			return 7001
		}
		return 7000
	case string:
		return 8000 + len(x)
	case small:
		return 9000 + int(x)
	case weight:
		return 10000 + int(x*2)
	case yes:
		return 11000
	case word:
		return 12000 + len(x)
	case *int:
		if x == nil {
			return 13000
		}
		return 13001 + *x
	case where:
		return 14000 + *x
	case []int:
		return 15000 + len(x)
	case func(int) int:
		return 16000 + x(1)
	case function:
		return 17000 + x(1)
	case rectangle:
		return 18000 + x.w
	case [2]int8:
		return 19000 + int(x[1])
	case uint64, int32, rune32:
		return 20000 + which(x)
	case error, shape:
		return 21000
	}
	return -1
}

type rune32 int32

func which(x any) int {
	if _, ok := x.(int32); ok {
		return 1
	} else if y, ok := x.(uint64); ok {
		return int(y)
	}
	return 2
}

func kinds(xs ...any) (sum int) {
	for i, x := range xs {
		sum = sum*7 + kind(x)*(i+1)
	}
	return sum
}

func give(n int) any {
	if n > 5 {
		return small(n)
	}
	return small(3)
}

func twoOf() (any, any)      { return int8(1), uint8(2) }
func twoTyped() (int8, word) { return 1, "abc" }

type box struct {
	any
	list []any
	arr  [2]any
}

// What an interface holds keeps its type, also where its value is known when the kernel is compiled: each construct that
// puts a value into an interface, against the host.
func TestInterfacesKeepTypes(t *testing.T) {
	try(t, []feature{
		{"assertions", func(n int) int {
			var i any = int8(3)
			a, ok := i.(int8)
			b, isInt := i.(int)
			if !ok || isInt {
				return -1
			}
			return int(a) + b + n
		}},
		{"constants", func(n int) int {
			return kinds(3, int8(3), uint8(200), int64(5), float32(1.5), 2.5, float64(2), float32(3), true, n > 100, "text") + n
		}},
		{"named types", func(n int) int {
			return kinds(small(4), weight(2), yes(true), yes(n > 3), word("ab"), small(n), weight(n))
		}},
		{"pointers", func(n int) int {
			k := n
			var nothing *int
			return kinds(&k, where(&k), nothing, nil)
		}},
		{"a nil pointer is something", func(n int) int {
			var p *int
			var i, j any = p, nil
			var s shape
			var q *stack
			if i == nil || j != nil || s != nil {
				return -1
			}
			s = q
			if s == nil || s != q || i != any(p) || i == j {
				return -2
			}
			return n
		}},
		{"slices and functions", func(n int) int {
			f := func(x int) int { return x + n }
			return kinds([]int{n, 2}, f, function(f), []int(nil)[:])
		}},
		{"structs and arrays", func(n int) int {
			r := struct{ w, h int }{n, 2}
			var q rectangle = r
			return kinds(rectangle{n, 1}, q, [2]int8{1, 2}, r)
		}},
		{"assignment", func(n int) int {
			var i, j any
			i, j = int8(1), uint8(2)
			a := kinds(i, j)
			i, j = j, i
			b := kinds(i, j)
			i, j = twoOf()
			c := kinds(i, j)
			i, j = twoTyped()
			return a + b*3 + c*5 + kinds(i, j)*7 + n
		}},
		{"declarations", func(n int) int {
			var i, j any = twoTyped()
			var k, l any = twoOf()
			var m any = float32(2)
			return kinds(i, j, k, l, m, n)
		}},
		{"fields and elements", func(n int) int {
			b := box{int8(1), []any{uint8(2), small(n), 3}, [2]any{1: float32(4)}}
			b.arr[0] = int64(n)
			sum := kinds(b.any, b.list[0], b.list[1], b.list[2], b.arr[0], b.arr[1])
			b.list = append(b.list, uint8(9), n, weight(1))
			b.any = word("x")
			p := &b.list[2]
			*p = float32(7)
			return sum + kinds(b.list...) + kind(b.any)
		}},
		{"results", func(n int) int {
			f := func(m int) (a any, b shape) { a = int8(2); return a, small(3) }
			a, b := f(n)
			return kinds(a, b, give(2)) + b.area() + b.scaled(2).area()
		}},
		{"methods of constants", func(n int) int {
			var s shape = small(5)
			return s.area() + s.scaled(n%8).area() + shape(small(2)).area()
		}},
		{"comparisons", func(n int) int {
			var i, j any = int8(3), 3
			var k shape = small(3)
			sum := 0
			for b, ok := range []bool{i == j, i == int8(3), i == any(3), j == 3, 3 == j, i != j, k == small(3), k == shape(small(4)), any(k) == i, any(3.0) == any(3), any("a") == any("a"), any(word("a")) == any("a"), any(true) == any(yes(true))} {
				if ok {
					sum += 1 << b
				}
			}
			return sum*100 + n
		}},
		{"comparisons of structs", func(n int) int {
			a, b := box{any: int8(3)}.arr, [2]any{}
			type pair struct{ x, y any }
			p, q := pair{int8(1), 2}, pair{1, 2}
			sum := n
			if a == b {
				sum += 100
			}
			if p == q {
				sum += 200
			}
			if q == (pair{1, 2}) {
				sum += 400
			}
			return sum
		}},
		{"switch", func(n int) int {
			var i any = int8(3)
			sum := 0
			switch i {
			case 3:
				sum += 1
			case int8(3):
				sum += 2
			}
			switch 3 {
			case any(int8(3)):
				sum += 10
			case any(3):
				sum += 20
			}
			switch small(3) {
			case i:
				sum += 100
			case shape(small(3)):
				sum += 200
			}
			return sum + n
		}},
		{"cases of several types", func(n int) int { return kinds(int32(n), rune32(2), uint64(7), int32(7)) }},
		{"changed in a type switch", func(n int) int {
			switch x := any(int32(n)).(type) {
			case uint64, int32:
				a := kind(x)
				x = int8(4)
				return a + kind(x)
			}
			return -1
		}},
		{"known values stay known", func(n int) int {
			a := [4]int{5, 6, 7, 8}
			var i any = uint8(2)
			return a[i.(uint8)] + n
		}},
		{"changed in branches", func(n int) int {
			var i any = int8(3)
			if n > 4 {
				i = int8(n)
			}
			for range n % 3 {
				i = i.(int8) + 1
			}
			return kind(i)
		}},
		{"result of branches", func(n int) int { return kind(give(n)) }},
		{"range", func(n int) int {
			var i, j any
			sum := 0
			for i, j = range []int8{4, 5} {
				sum = sum*10 + kinds(i, j)
			}
			for i = range uint8(2) {
				sum += kind(i)
			}
			return sum + n
		}},
		{"generic", func(n int) int {
			return kinds(boxed(int8(3)), boxed(small(4)), boxed(n), boxed(2.5), boxed[any](uint8(1)))
		}},
		{"captured", func(n int) int {
			var i any
			set := func(x any) { i = x }
			set(int8(2))
			a := kind(i)
			set(n > 2)
			return a + kind(i)
		}},
	})
	refused(t, func(n int) int {
		var i any = int8(n)
		if n > 3 {
			i = uint8(n)
		}
		return kind(i)
	}, "i is an interface that holds")
	refused(t, func(n int) int {
		var i any = int32(n)
		if n > 3 {
			i = rune32(i.(int32))
		}
		return kind(i)
	}, "i is an interface that holds")
	refused(t, func(n int) int {
		var i any = 0
		for range n {
			i = small(n)
		}
		return kind(i)
	}, "i is an interface that holds")
	refused(t, func(n int) int { return int(any(int8(3)).(int)) + n }, "this is of type int8, not int")
	refused(t, func(n int) int {
		if any([]int{n}) == any([]int{n}) {
			return 1
		}
		return 0
	}, "cannot be compared")
}

func boxed[T any](x T) any { return x }
