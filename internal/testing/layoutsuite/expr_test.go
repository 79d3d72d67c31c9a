package main

import "testing"

// TestExpr reads layouts as CUTLASS's tests write them.
func TestExpr(t *testing.T) {
	vars := map[string]string{"a": "Layout<Shape<_2,Shape<_3,_4>>,Stride<_3,Stride<_1,_6>>>{}", "b": "make_layout(make_shape(_4{}, 5), GenRowMajor{})", "loop": "loop"}
	for text, want := range map[string]string{
		"a":                           "(2,(3,4)):(3,(1,6))",
		"b":                           "(4,5):(5,1)",
		"make_layout(Shape<_2,_3>{})": "(2,3):(1,2)",
		"Layout((2,(4,6)))":           "(2,(4,6)):(1,(2,8))",
		"Layout((4), (2))":            "4:2",
		"Layout<_1,_0>{}":             "1:0",
	} {
		e := &expr{text: text, vars: vars}
		v, err := e.value()
		if err != nil || v.layout == nil || v.layout.String() != want {
			t.Errorf("%s is %+v, %v: expected %s", text, v, err, want)
		}
	}
	for _, text := range []string{"loop", "n", "composition(a, b)", "Swizzle<1,2,3>{}", "make_layout(a, b)"} {
		if _, err := (&expr{text: text, vars: vars}).value(); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// TestFile judges texts in both languages, of which some are wrong.
func TestFile(t *testing.T) {
	j := &judge{}
	j.file("a.cpp", "TEST(X, Y) {\n  {\n  auto l = Layout<_4,_2>{};\n  test_coalesce(l);\n  }\n test_composition(l, n); // loop\n}\n")
	j.file("a.py", "  def test(self):\n    test = Layout((2,3),(1,2)) # one\n    self.helper_test_right_inverse(test)\n    self.helper_test_composition(Layout(6,1), Layout(4,5))\n")
	if j.passed != 3 || j.failed != 0 || j.excluded != 1 {
		t.Errorf("%+v", *j)
	}
}
