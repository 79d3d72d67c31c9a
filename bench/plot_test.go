package bench_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
)

var update = flag.Bool("update", false, "write the golden files")

// timed is a result whose median launch takes some seconds; 0 for one that failed.
func timed(name string, seconds float64, bytes, flops int64) bench.Result {
	r := bench.Result{Name: name, Device: "cpu", Bytes: bytes}
	if flops > 0 {
		r.Ops = []cutile.Ops{{Kind: "matrix", Type: "f32", N: flops}}
	}
	if seconds == 0 {
		r.Error = "it failed"
		return r
	}
	r.Time = &bench.Quantiles{Min: 0.8 * seconds, P20: 0.9 * seconds, Median: seconds, P80: 1.3 * seconds, Max: 2 * seconds}
	r.Median = &bench.Interval{Median: seconds, Low: 0.97 * seconds, High: 1.02 * seconds, Confidence: 0.96}
	r.Samples, r.Launches = 20, 100
	return r
}

// plain is a report of some sizes and series, of which one has gaps and one a single value.
func plain() *bench.Report {
	r := &bench.Report{Version: 1, Title: "products of n by n matrices", Param: "n", Device: "cpu", Roof: &bench.Roofline{Device: "cpu", Description: "a test", Bandwidth: 20e9, Peaks: []bench.Peak{
		{Kind: "matrix", Type: "f32", Rate: 400e9}, {Kind: "matrix", Type: "f16", Rate: 410e9}, {Kind: "arithmetic", Type: "f32", Rate: 90e9}}}}
	for _, n := range []int64{128, 256, 512, 1024, 2048, 4096} {
		flops, bytes, x := 2*n*n*n, 12*n*n, float64(n)
		row := bench.Row{X: x, Results: []bench.Result{
			timed("ours", float64(flops)/(300e9*x/(x+200)), bytes, flops), timed("theirs", float64(flops)/(200e9*x/(x+50)), bytes, flops)}}
		switch n {
		case 512:
			row.Results = append(row.Results, timed("once <&>", float64(flops)/150e9, bytes, flops), timed("with gaps", 0, bytes, flops))
		default:
			row.Results = append(row.Results, timed("with gaps", float64(flops)/(40e9+x*1e7), bytes, flops))
		}
		for i := range row.Results[1:] {
			if x := &row.Results[1+i]; x.Time != nil {
				s := row.Results[0].Seconds() / x.Seconds()
				x.Speedup = &bench.Interval{Median: s, Low: 0.95 * s, High: 1.06 * s, Confidence: 0.96}
			}
		}
		half := row.Results[1]
		half.Name, half.Ops = "a name that is much too long for a legend [D128, D128, D64]", []cutile.Ops{{Kind: "matrix", Type: "f16", N: flops}}
		row.Results = append(row.Results, half)
		r.Rows = append(r.Rows, row)
	}
	return r
}

// plots are the plots with golden files.
func plots(t *testing.T) map[string]func(w io.Writer) error {
	one := plain()
	one.Param, one.Rows = "", one.Rows[2:3]
	lone := plain()
	lone.Rows = lone.Rows[3:4]
	wide := &bench.Report{Version: 1, Param: "bytes", Rows: []bench.Row{{X: 0, Results: []bench.Result{timed("x", 1e-9, 0, 0)}}}}
	for i := range 16 {
		wide.Rows = append(wide.Rows, bench.Row{X: math.Pow(10, float64(i)), Results: []bench.Result{timed("x", math.Pow(10, float64(i)-9), 0, 0), timed("y", 3*math.Pow(10, float64(i)/2-9), 0, 0)}})
	}
	many := &bench.Report{Version: 1, Title: "more series than styles", Param: "threads"}
	for _, x := range []float64{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128} {
		row := bench.Row{X: x}
		for i := range 30 {
			row.Results = append(row.Results, timed(fmt.Sprintf("series %d", i), 1e-3*float64(i+3)/math.Sqrt(x), 0, 0))
		}
		many.Rows = append(many.Rows, row)
	}
	svg := func(r *bench.Report, p bench.Plot) func(io.Writer) error {
		return func(w io.Writer) error { return r.WriteSVG(w, p) }
	}
	return map[string]func(io.Writer) error{
		"rates": svg(plain(), bench.Plot{LogX: true}), "times": svg(plain(), bench.Plot{Y: bench.Time, LogX: true, LogY: true}), "linear": svg(plain(), bench.Plot{Y: bench.Bandwidth}),
		"speedup": svg(plain(), bench.Plot{Y: bench.Speedup, LogX: true, Width: 500, Height: 300, Title: "another title"}),
		"one":     svg(one, bench.Plot{}), "lone": svg(lone, bench.Plot{LogX: true}), "wide": svg(wide, bench.Plot{LogX: true, LogY: true}), "widelinear": svg(wide, bench.Plot{}),
		"many": svg(many, bench.Plot{LogY: true}), "roof": func(w io.Writer) error { return plain().WriteRoof(w, bench.Plot{}) },
		"roofone": func(w io.Writer) error { return lone.WriteRoof(w, bench.Plot{}) },
	}
}

// TestPlots compares plots with files that were looked at, and reads them as XML: no number is missing, and no text or point lies outside.
func TestPlots(t *testing.T) {
	for name, write := range plots(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			inside(t, b.Bytes())
			file := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || !bytes.Equal(want, b.Bytes()) {
				t.Errorf("%v: the plot is not the one of %s: look at it, and run the test with -update", err, file)
			}
		})
	}
}

// inside reads an SVG, and wants every place in its view.
func inside(t *testing.T, svg []byte) {
	t.Helper()
	var width, height float64
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			switch most := width; a.Name.Local {
			case "viewBox":
				if _, err := fmt.Sscanf(a.Value, "0 0 %g %g", &width, &height); err != nil {
					t.Fatal(err)
				}
			case "y", "y1", "y2", "cy":
				most = height
				fallthrough
			case "x", "x1", "x2", "cx":
				if v, err := strconv.ParseFloat(a.Value, 64); err != nil || !(v >= 0 && v <= most) {
					t.Errorf("%s has %s=%q, outside of 0 to %g", e.Name.Local, a.Name.Local, a.Value, most)
				}
			case "points":
				for p := range strings.FieldsSeq(a.Value) {
					var x, y float64
					if n, _ := fmt.Sscanf(p, "%g,%g", &x, &y); n != 2 || !(x >= 0 && x <= width && y >= 0 && y <= height) {
						t.Errorf("%s has the point %s, outside of %g by %g", e.Name.Local, p, width, height)
					}
				}
			}
		}
	}
	if width == 0 {
		t.Error("it has no viewBox")
	}
}
