package sweep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/toolbox/sweep"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"N=128:1024:*2": "[128 256 512 1024]", "N=100:1000:*3": "[100 300 900]", "n=0:10:+5": "[0 5 10]", "x=7": "[7]", "x=1:1099511627776:*1099511627776": "[1 1099511627776]",
		"x=3,1,0x10": "[3 1 16]", "M=5:5:+1": "[5]",
		"": "want NAME=", "=1:2:+1": "want NAME=", "1=1:2:+1": "want NAME=", "N=1:2": "want first value, last value and step", "N=1:2:": "want first value", "N=1:2:2": "the step is 2",
		"N=1:8:*1": "the step is *1", "N=0:8:*2": "the step is *2", "N=1:8:+0": "the step is +0", "N=9:8:+1": "there are no values from 9 to 8", "N=a": `"a" is no number from 0 to`,
		"N=-1": "is no number", "N=1,2,1": "the value 1 is there twice", "N=1:2000:+1": "more than 1000 values", "N=1:99999999999999:*2": "is no number", "N=": "is no number",
	} {
		w, err := sweep.Parse(text)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(w.Values)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestFill(t *testing.T) {
	w, err := sweep.Parse("N=100")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"float32:{N}x{N}": "float32:100x100", "{N/128}": "1", "{(N+28)/128},{N*N}": "1,10000", "{2*(N-1)}": "198", "{N/(0-3)}": "-33", "{(0-N)/(0-3)}": "34", "{(1-N)/2}": "-49", "no": "no", "{0x10+N}": "116",
		"{N": "a brace is not closed", "{M}": "{M}: M has no value: -sweep has N", "{N/0}": "a division by 0", "{N%2}": "there is no %", "{}": "{} is no sum", "{1.5}": "want N, integers, and + - * /",
		"{f(N)}": "want N, integers", "{N*9223372036854775807}": "it does not fit 64 bits", "{" + strings.Repeat("(N*N*N*N*N*N)*", 100) + "1}": "it does not fit 64 bits",
	} {
		got, err := w.Fill(text, 100)
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if _, err := (*sweep.Sweep)(nil).Fill("{N}", 0); err == nil || !strings.Contains(err.Error(), "there is no -sweep") {
		t.Errorf("without a sweep: %v", err)
	}
	if s, err := (*sweep.Sweep)(nil).Fill("N", 0); err != nil || s != "N" {
		t.Errorf("without braces: %q, %v", s, err)
	}
}
