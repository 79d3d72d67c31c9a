package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/bench"
)

// sums are the arguments of the kernels vadd and vmul for N elements.
const sums = " -grid {N/1024} -array float32:{N}:iota -array float32:{N}:0.5 -array float32:{N} -device cpu -budget 1ms"

// report runs the command with -json.
func report(t *testing.T, line string) *bench.Report {
	t.Helper()
	t.Setenv("CUTILE_CHECKS", "off")
	r, err := bench.ReadJSON(strings.NewReader(must(t, strings.Fields("bench -json "+line)...)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestBench measures two kernels over a parameter, and draws them.
func TestBench(t *testing.T) {
	svg := filepath.Join(t.TempDir(), "plot.svg")
	r := report(t, data+"vadd.tileirbc -against "+data+"vmul.tileir -sweep N=1600:4000:+800 -svg "+svg+sums)
	if r.Param != "N" || len(r.Rows) != 4 || r.Title != "vadd against vmul" || r.Device != "cpu" {
		t.Fatalf("the report is %+v", r)
	}
	for i, row := range r.Rows {
		n := int64(1600 + 800*i)
		if row.X != float64(n) || row.Error != "" || len(row.Results) != 2 {
			t.Fatalf("row %d is %+v", i, row)
		}
		for k, name := range []string{"vadd", "vmul"} {
			x := row.Results[k]
			blocks := (n + 1023) / 1024
			if x.Name != name || x.Seconds() <= 0 || x.Bytes != 12*n || x.Flops() != 1024*blocks || (x.Speedup != nil) != (k > 0) {
				t.Errorf("%d, %s: %+v", n, name, x)
			}
		}
	}
	if drawn, err := os.ReadFile(svg); err != nil || !strings.Contains(string(drawn), ">vmul</text>") || !strings.Contains(string(drawn), ">4000</text>") {
		t.Errorf("%v: the plot is %s", err, drawn)
	}
	text := must(t, strings.Fields("bench "+data+"vadd.tileirbc -sweep N=1600,16 -unchecked"+sums)...)
	if !strings.Contains(text, "\n   N  case") || !strings.Contains(text, "\n1600  vadd  ") || !strings.Contains(text, "\n  16  vadd  ") {
		t.Errorf("the table is\n%s", text)
	}
}

// TestBenchAlone: one kernel, one value; the other forms of a name, and the standard input.
func TestBenchAlone(t *testing.T) {
	line := strings.ReplaceAll(sums, "{N}", "4096")
	line = strings.ReplaceAll(line, "{N/1024}", "4")
	r := report(t, data+"vadd.tileirbc"+line)
	if x := r.Rows[0].Results[0]; r.Param != "" || len(r.Rows) != 1 || x.Bytes != 12*4096 || x.Samples < 1 {
		t.Errorf("the report is %+v", r)
	}
	file, err := os.ReadFile(data + "vadd.tileirbc")
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := cutileWith(file, strings.Fields("bench - -entry vadd -flush 1 -against "+data+"vadd.tileirbc -against-grid 2 -json"+line)...)
	if code != exitOK || !strings.Contains(out, `"vadd (-)"`) || !strings.Contains(out, `"vadd (vadd.tileirbc)"`) || !strings.Contains(out, `"launches": 1`) {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
}

// TestBenchRefusals: what is wrong is said before anything is measured; what fails for one value is in the table.
func TestBenchRefusals(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	vadd := "bench " + data + "vadd.tileirbc"
	four := strings.ReplaceAll(strings.ReplaceAll(sums, "{N}", "4096"), "{N/1024}", "4")
	checkRefusals(t, []refusal{
		{"", "bench", exitUsage, "cutile bench: want one file, got 0; see `cutile help bench`"},
		{"", "bench none", exitFailed, "open none: no such file"},
		{"", vadd, exitUsage, "entry vadd has 9 parameters"},
		{"", vadd + sums, exitUsage, "there is no -sweep that gives {…} a value"},
		{"", vadd + sums + " -sweep M=1:2:+1", exitUsage, "N has no value: -sweep has M"},
		{"", vadd + sums + " -sweep N", exitUsage, "want NAME=FIRST:LAST:*FACTOR"},
		{"", vadd + four + " -grid 1,2,3,4", exitUsage, "-grid 1,2,3,4: want one to three numbers of blocks, got 4"},
		{"", vadd + four + " -device tpu", exitFailed, `no such device: "tpu"`},
		{"", vadd + four + " -budget 0s", exitUsage, "-budget: 0s is not more than 0"},
		{"", vadd + four + " -precision 2", exitUsage, "-precision: 2 is not between 0 and 1"},
		{"", vadd + four + " -flush -1", exitUsage, "-flush: -1 is not from 0 to 65536"},
		{"", vadd + four + " -workers -1", exitUsage, "-workers: "},
		{"", vadd + four + " -plot time", exitUsage, "-plot and -log are for a plot: give -svg a file"},
		{"", vadd + four + " -svg x -plot size", exitUsage, `-plot: "size" is not one of time, flops, bytes, speedup, roof-part, roof`},
		{"", vadd + four + " -svg x -plot roof", exitUsage, "-plot roof needs -roof"},
		{"", vadd + four + " -svg x -log z", exitUsage, `-log: "z" is not one of x, y, xy, none`},
		{"", vadd + four + " -check", exitUsage, "give -against a file"},
		{"", vadd + four + " -against -", exitUsage, "the standard input cannot be read twice"},
		{"", vadd + four + " -against " + data + "wrong.tileir", exitFailed, "2 errors for version 13.4"},
		{"", vadd + " -device cpu -array x=float32:4096 -array float32:4096 -array float32:4096", exitUsage, "arrays are not written to files here"},
		{"", vadd + " -device cpu -array float32:1000 -array float32:1000 -array float32:1000", exitFailed, "a promise does not hold: element 0 is 1000, which 16 does not divide"},
		{"", "bench -diff x", exitUsage, "-diff wants two files, an old one and a new one, got 1"},
		{"", "bench -diff none none", exitFailed, "open none: no such file"},
	})
}

// TestBenchCheck: kernels with other results are told apart, and work in place is not taken for wrong.
func TestBenchCheck(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	four := strings.ReplaceAll(strings.ReplaceAll(sums, "{N}", "4096"), "{N/1024}", "4")
	code, out, errs := cutile(strings.Fields("bench " + data + "vadd.tileirbc -sweep N=16,24" + sums)...)
	if code != exitFailed || !strings.Contains(out, "\n16  vadd  ") || !strings.Contains(out, "not measured: N 24: vadd: kernels.py:957:9: kernel vadd, block (0, 0, 0): a promise does not hold") ||
		!strings.Contains(errs, "1 of 2 measurements failed") {
		t.Errorf("a promise: exit code %d, %s\n%s", code, errs, out)
	}
	code, out, errs = cutile(strings.Fields("bench " + data + "vadd.tileirbc -check -against " + data + "vmul.tileir" + four)...)
	if code != exitFailed || !strings.Contains(out, "not measured: vmul: it runs, but output #2 differs from vadd's at [0]: it is 0, not 0.5") || !strings.Contains(errs, "1 of 2 measurements failed") {
		t.Errorf("exit code %d, %s\n%s", code, errs, out)
	}
	must(t, strings.Fields("bench "+data+"vadd.tileirbc -check -against "+data+"vadd.tileirbc"+four)...)
}
