package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestSaturate: a conversion is guarded where the assembler may know a number that the integers do not hold, and nowhere
// else. Each body makes %f from what a launch gives, %p and %x, and the conversion makes %i of it.
func TestSaturate(t *testing.T) {
	const c = "constant <f32: %s> : tile<f32>"
	known := func(number string) string { return "%f = " + fmt.Sprintf(c, number) }
	for _, k := range []struct {
		name, body, to string
		guarded        bool
	}{
		{"unknown", "%f = negf %x : tile<f32>", "signed", false},
		{"fits", known("2147483520.0"), "signed", false},
		{"least", known("-2147483520.0"), "signed", false},
		{"past the greatest", known("2147483648.0"), "signed", true},
		{"fits unsigned", known("4294967040.0"), "unsigned", false},
		{"past the greatest unsigned", known("4294967296.0"), "unsigned", true},
		{"negative unsigned", known("-1.0"), "unsigned", true},
		{"zero unsigned", known("-0.0"), "unsigned", false},
		{"infinite", known("0x7F800000"), "signed", true},
		{"NaN", known("0x7FC00000"), "signed", true},
		{"computed", "%a = " + fmt.Sprintf(c, "3.0") + "\n %f = mulf %a, %a : tile<f32>", "signed", true},
		{"computed with an unknown", "%a = " + fmt.Sprintf(c, "1e10") + "\n %f = mulf %a, %x : tile<f32>", "signed", false},
		{"32 bits", "%f = itof %p signed : tile<i32> -> tile<f32>", "signed", false},
		{"32 bits with a sign", "%f = itof %p signed : tile<i32> -> tile<f32>", "unsigned", true},
		{"32 bits without a sign", "%f = itof %p unsigned : tile<i32> -> tile<f32>", "signed", true},
		{"sum of converted", "%a = itof %p signed : tile<i32> -> tile<f32>\n %f = addf %a, %a : tile<f32>", "signed", true},
		{"64 bits", "%w = exti %p signed : tile<i32> -> tile<i64>\n %v = muli %w, %w : tile<i64>\n %f = itof %v signed : tile<i64> -> tile<f32>", "signed", true},
		{"extended", "%w = exti %p signed : tile<i32> -> tile<i64>\n %f = itof %w signed : tile<i64> -> tile<f32>", "signed", false},
		{"one of two", "%a = " + fmt.Sprintf(c, "1e10") + "\n %f = select %t, %a, %x : tile<i1>, tile<f32>", "signed", true},
		{"reshaped", "%a = " + fmt.Sprintf(c, "1e10") + "\n %s = reshape %a : tile<f32> -> tile<1xf32>\n %f = reshape %s : tile<1xf32> -> tile<f32>", "signed", true},
		{"branch", "%a = " + fmt.Sprintf(c, "1e10") + "\n %f = if %t -> (tile<f32>) {\n yield %x : tile<f32>\n } else {\n yield %a : tile<f32>\n }", "signed", true},
		{"loop over constants", "%a = " + fmt.Sprintf(c, "10.0") + "\n %f = for %k in (%p to %p, step %p) : tile<i32> iter_values(%b = %a) -> (tile<f32>) {\n" +
			" %d = mulf %b, %a : tile<f32>\n continue %d : tile<f32>\n }", "signed", true},
		{"loop over unknowns", "%a = " + fmt.Sprintf(c, "10.0") + "\n %f = for %k in (%p to %p, step %p) : tile<i32> iter_values(%b = %a) -> (tile<f32>) {\n" +
			" %d = mulf %b, %x : tile<f32>\n continue %d : tile<f32>\n }", "signed", false},
		{"loop that ends by break", "%a = " + fmt.Sprintf(c, "1e10") + "\n %f = loop iter_values(%b = %x) : tile<f32> -> tile<f32> {\n" +
			" if %t {\n break %a : tile<f32>\n }\n continue %b : tile<f32>\n }", "signed", true},
	} {
		m, err := text.Parse("cuda_tile.module @m {\nentry @k(%p: tile<i32>, %x: tile<f32>, %t: tile<i1>) {\n "+k.body+
			"\n %i = ftoi %f "+k.to+" : tile<f32> -> tile<i32>\n print_tko \"%d\", %i : tile<i32> -> token\n return\n}\n}\n", text.ParseOptions{})
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		if err := passes.Run(t.Context(), m.Entries[0]); err != nil {
			t.Fatal(err)
		}
		if err := tileir.Verify(m, tileir.V13_4); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
		if got := strings.Count(text.Sprint(m), "cmpf") == 3; got != k.guarded {
			t.Errorf("%s: guarded %v, want %v:\n%v", k.name, got, k.guarded, text.Sprint(m))
		}
	}
}
