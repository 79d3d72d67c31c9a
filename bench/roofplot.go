package bench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// dot is a result in the plot of a roof.
type dot struct{ intensity, rate float64 }

// dots are the results that have a place beside the roof, by their names.
func (r *Report) dots() (names []entry, all [][]dot) {
	for at, name := range r.names() {
		var list []dot
		for i := range r.Rows {
			x := r.Rows[i].result(name)
			if x != nil && x.Device == r.Roof.Device && x.Bytes > 0 && x.Rate() > 0 {
				list = append(list, dot{float64(x.Flops()) / float64(x.Bytes), x.Rate()})
			}
		}
		if len(list) > 0 {
			names, all = append(names, entry{name, styleOf(at)}), append(all, list)
		}
	}
	return names, all
}

// peaks are those of the kinds of operations that take longest in some result; the greatest one where there is none.
func (r *Report) peaks() (list []Peak) {
	for _, row := range r.Rows {
		for i := range row.Results {
			bound, _ := r.Roof.least(0, row.Results[i].Ops)
			for _, p := range r.Roof.Peaks {
				if bound == p.Kind+" "+p.Type && !slices.Contains(list, p) {
					list = append(list, p)
				}
			}
		}
	}
	if len(list) == 0 && len(r.Roof.Peaks) > 0 {
		list = []Peak{slices.MaxFunc(r.Roof.Peaks, func(a, b Peak) int { return compareFloats(a.Rate, b.Rate) })}
	}
	slices.SortFunc(list, func(a, b Peak) int { return compareFloats(b.Rate, a.Rate) })
	return list
}

// WriteRoof writes a plot of operations a second over the operations for each byte, as SVG, with the roof: the bandwidth, which bounds work
// with few operations, and the peaks of the kinds of operations that the results have. Both axes are logarithmic. Of p it takes title and size.
func (r *Report) WriteRoof(w io.Writer, p Plot) error {
	p.Y = Rate
	if err := p.complete(r); err != nil {
		return err
	}
	if r.Roof == nil || r.Roof.Bandwidth <= 0 {
		return errors.New("bench: the report has no roof: measure it with Roof, and give it as Options.Roof")
	}
	return r.writeRoof(w, p)
}

func (r *Report) writeRoof(w io.Writer, p Plot) error {
	names, all := r.dots()
	if len(names) == 0 {
		return errors.New("bench: there is nothing to plot: no result on the roof's device has bytes and operations")
	}
	peaks := r.peaks()
	var xs, ys []float64
	for _, list := range all {
		for _, d := range list {
			xs, ys = append(xs, d.intensity*0.8, d.intensity*1.5), append(ys, d.rate)
		}
	}
	for _, k := range peaks {
		ridge := k.Rate / r.Roof.Bandwidth
		xs, ys = append(xs, ridge/4, ridge*4), append(ys, k.Rate*1.6)
	}
	x := newAxis(xs, true, false)
	ys = append(ys, min(slices.Max(ys), x.lo*r.Roof.Bandwidth*2)) // so that the bandwidth is seen
	y := newAxis(ys, true, false)
	f := newFrame(p.Width, p.Height, x, y, labels{title: p.Title, x: "operations for each byte", y: quantities[Rate].label, tickX: short,
		tickY: quantities[Rate].tick, series: names})
	f.roof(r.Roof, peaks)
	for i, list := range all {
		f.dots(list, names[i].style)
	}
	return f.write(w, "roof of "+r.Roof.Device)
}

const roofLine = `stroke="#222" stroke-width="1.8"`

// roof draws the bandwidth up to the highest peak, and each peak from there.
func (f *frame) roof(r *Roofline, peaks []Peak) {
	top := f.y.hi
	if len(peaks) > 0 {
		top = peaks[0].Rate
	}
	from := max(f.x.lo, f.y.lo/r.Bandwidth)
	to := min(f.x.hi, top/r.Bandwidth)
	if to > from {
		a, b := f.place(from, from*r.Bandwidth), f.place(to, to*r.Bandwidth)
		f.line(a[0], a[1], b[0], b[1], roofLine)
		turn := math.Atan2(b[1]-a[1], b[0]-a[0]) * 180 / math.Pi
		f.above((a[0]+b[0])/2, (a[1]+b[1])/2, turn, fmt.Sprintf("memory %s", unit(r.Bandwidth, "B/s")))
	}
	last := math.Inf(-1)
	for _, k := range peaks {
		ridge := max(f.x.lo, min(f.x.hi, k.Rate/r.Bandwidth))
		a, b := f.place(ridge, k.Rate), f.place(f.x.hi, k.Rate)
		f.line(a[0], a[1], b[0], b[1], roofLine)
		y := a[1] - 6
		if y < last+textSize+2 {
			y = a[1] + textSize + 4 // below the line, as the text of the line above is there
		}
		last = y
		f.text(b[0]-6, y, "end", fmt.Sprintf("%s %s %s", k.Kind, k.Type, unit(k.Rate, "FLOP/s")), "")
	}
}

// above writes along a line.
func (f *frame) above(x, y, turn float64, s string) {
	f.text(0, 0, "middle", s, fmt.Sprintf(`transform="translate(%s %s) rotate(%s) translate(0 -6)"`, pixels(x), pixels(y), pixels(turn)))
}

// dots draws the results of a series, with a thin line from one to the next.
func (f *frame) dots(list []dot, s style) {
	var at [][2]float64
	for _, d := range list {
		at = append(at, f.place(d.intensity, d.rate))
	}
	if len(at) > 1 {
		f.element("polyline", `points="%s" fill="none" stroke="%s" stroke-width="1"`, points(at), s.colour)
	}
	for _, p := range at {
		f.point(p[0], p[1], s)
	}
}
