package bench

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Quantity is what a plot shows of results.
type Quantity string

// The quantities.
const (
	Time      Quantity = "time"      // of a launch
	Rate      Quantity = "flops"     // floating-point operations a second
	Bandwidth Quantity = "bytes"     // bytes a second
	Speedup   Quantity = "speedup"   // how many times as fast as the first case
	RoofPart  Quantity = "roof-part" // the part of the roof
)

// Plot says what a plot shows, and how.
type Plot struct {
	Title string // "" for that of the report
	// Y is the quantity; "" for operations a second where these are known, else bytes a second, else times.
	Y          Quantity
	LogX, LogY bool // logarithmic axes: values of 0 and less have no place on them and are left out
	// Width and Height are in pixels; 0 for 760 and 460. The image scales without loss.
	Width, Height int
}

// drawn says how a quantity is drawn.
type drawn struct {
	label string
	tick  func(float64) string
	value func(*Result) (low, mid, high float64) // mid is 0 where it is not known
}

// ofTime is a quantity that is so much work for each second.
func ofTime(label, of string, work func(*Result) float64) drawn {
	return drawn{label, tick(of), func(r *Result) (low, mid, high float64) {
		if r.Time == nil {
			return 0, 0, 0
		}
		n := work(r)
		return per(n, r.Time.P80), per(n, r.Time.Median), per(n, r.Time.P20)
	}}
}

var quantities = map[Quantity]drawn{
	Time: {"time of a launch", tick("s"), func(r *Result) (low, mid, high float64) {
		if r.Time == nil {
			return 0, 0, 0
		}
		return r.Time.P20, r.Time.Median, r.Time.P80
	}},
	Rate:      ofTime("operations a second", "FLOP/s", func(r *Result) float64 { return float64(r.Flops()) }),
	Bandwidth: ofTime("bytes a second", "B/s", func(r *Result) float64 { return float64(r.Bytes) }),
	Speedup: {"times as fast", short, func(r *Result) (low, mid, high float64) {
		if r.Speedup == nil {
			return 0, 0, 0
		}
		return r.Speedup.Low, r.Speedup.Median, r.Speedup.High
	}},
	RoofPart: ofTime("part of the roof in percent", "%", func(r *Result) float64 { return 100 * r.Part * r.Seconds() }),
}

// Quantities lists the names of the quantities.
func Quantities() []Quantity { return []Quantity{Time, Rate, Bandwidth, Speedup, RoofPart} }

// complete checks what is asked for and sets the defaults.
func (p *Plot) complete(r *Report) error {
	set(&p.Width, defaultWidth)
	set(&p.Height, defaultHeight)
	set(&p.Title, r.Title)
	for _, n := range []int{p.Width, p.Height} {
		if n < leastSize || n > mostSize {
			return fmt.Errorf("bench: a plot of %d by %d pixels: sides are from %d to %d", p.Width, p.Height, leastSize, mostSize)
		}
	}
	if p.Y != "" {
		if _, ok := quantities[p.Y]; !ok {
			return fmt.Errorf("bench: there is no quantity %q to plot: it is one of %v", p.Y, Quantities())
		}
		return nil
	}
	for _, q := range []Quantity{Rate, Bandwidth, Time} {
		if p.Y = q; r.knows(q) {
			break
		}
	}
	return nil
}

// knows reports whether all results that have times have a quantity.
func (r *Report) knows(q Quantity) bool {
	for _, row := range r.Rows {
		for i := range row.Results {
			if _, mid, _ := quantities[q].value(&row.Results[i]); row.Results[i].Time != nil && mid == 0 {
				return false
			}
		}
	}
	return true
}

// value is a point of a series.
type value struct {
	x, low, mid, high float64
	missing           bool
}

// line is a series: its points, one for each row, in order of x.
type line struct {
	name   string
	style  style
	values []value
}

// lines are the series of which something is known. A series looks the same in all plots of a report.
func (r *Report) lines(q Quantity) (all []line) {
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return compareFloats(a.X, b.X) })
	for at, name := range r.names() {
		var list []value
		known := false
		for i := range rows {
			v := value{x: rows[i].X, missing: true}
			if x := rows[i].result(name); x != nil {
				v.low, v.mid, v.high = quantities[q].value(x)
				v.missing = v.mid == 0
			}
			known = known || !v.missing
			list = append(list, v)
		}
		if known {
			all = append(all, line{name, styleOf(at), list})
		}
	}
	return all
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// WriteSVG writes a plot of a quantity over the parameter, as SVG: a line for each series through the medians, in a band in which three fifths
// of the samples lie; of ratios, it is their interval. A line has a gap where a value is missing. A report of one comparison has a
// point with its range for each case.
func (r *Report) WriteSVG(w io.Writer, p Plot) error {
	if err := p.complete(r); err != nil {
		return err
	}
	all := r.lines(p.Y)
	if r.Param == "" {
		apart(all)
	}
	var xs, ys []float64
	for _, s := range all {
		for _, v := range s.values {
			xs = append(xs, v.x)
			if !v.missing {
				ys = append(ys, v.low, v.mid, v.high)
			}
		}
	}
	l := r.labels(p, xs, all)
	if r.Param == "" {
		xs = []float64{0.5, float64(len(all)) + 0.5}
	}
	x, y := newAxis(xs, p.LogX && r.Param != "", false), newAxis(ys, p.LogY, true)
	if !slices.ContainsFunc(ys, y.has) {
		return fmt.Errorf("bench: there is nothing to plot: no result has a value of %s", quantities[p.Y].label)
	}
	f := newFrame(p.Width, p.Height, x, y, l)
	if len(all) <= len(styles) { // more bands hide one another
		for _, s := range all {
			f.band(s)
		}
	}
	for _, s := range all {
		f.medians(s)
	}
	return f.write(w, strings.Join([]string{p.Title, l.y}, ": "))
}

// labels are the texts of a plot over some values of the parameter.
func (r *Report) labels(p Plot, xs []float64, all []line) labels {
	q := quantities[p.Y]
	l := labels{title: p.Title, x: r.Param, y: q.label, tickX: short, tickY: q.tick}
	for _, s := range all {
		l.series = append(l.series, entry{s.name, s.style})
	}
	const most = 12 // ticks at the values themselves
	l.atX = slices.Compact(slices.Sorted(slices.Values(xs)))
	if r.Param == "" {
		l.atX, l.x = []float64{}, r.Device
	} else if len(l.atX) > most {
		l.atX = nil
	}
	if p.Y == Speedup {
		l.y += " as " + shortened(r.first(), longestName)
	}
	return l
}

// apart places the cases of one comparison beside each other.
func apart(all []line) {
	for i := range all {
		for k := range all[i].values {
			all[i].values[k].x = float64(i + 1)
		}
	}
}

// runs are the parts of a series between missing values and those without a place.
func (f *frame) runs(list []value, each func(part []value)) {
	var part []value
	for _, v := range list {
		_, okX := f.x.at(v.x)
		_, okY := f.y.at(v.mid)
		if !v.missing && okX && okY {
			part = append(part, v)
			continue
		}
		if len(part) > 0 {
			each(part)
		}
		part = nil
	}
	if len(part) > 0 {
		each(part)
	}
}

// place is that of a value, whose y is at least the bottom.
func (f *frame) place(x, y float64) [2]float64 {
	px, _ := f.x.at(x)
	py, ok := f.y.at(y)
	if !ok {
		py = f.bottom
	}
	return [2]float64{px, min(py, f.bottom)}
}

// band draws the ranges of a series: an area, and a line for a point without neighbours.
func (f *frame) band(l line) {
	s := l.style
	f.runs(l.values, func(part []value) {
		if len(part) == 1 {
			v := part[0]
			low, high := f.place(v.x, v.low), f.place(v.x, v.high)
			for _, p := range [][2]float64{low, high} {
				f.line(p[0]-5, p[1], p[0]+5, p[1], `stroke="`+s.colour+`" stroke-width="1.5"`)
			}
			f.line(low[0], low[1], high[0], high[1], `stroke="`+s.colour+`" stroke-width="1.5"`)
			return
		}
		var edge [][2]float64
		for _, v := range part {
			edge = append(edge, f.place(v.x, v.high))
		}
		for _, v := range slices.Backward(part) {
			edge = append(edge, f.place(v.x, v.low))
		}
		f.element("polygon", `points="%s" fill="%s" fill-opacity="0.15"`, points(edge), s.colour)
	})
}

// medians draws the medians of a series.
func (f *frame) medians(l line) {
	f.runs(l.values, func(part []value) {
		var mid [][2]float64
		for _, v := range part {
			mid = append(mid, f.place(v.x, v.mid))
		}
		if len(mid) > 1 {
			f.element("polyline", `points="%s" %s`, points(mid), l.style.stroke())
		}
		for _, p := range mid {
			f.point(p[0], p[1], l.style)
		}
	})
}
