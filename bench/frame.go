package bench

import "math"

// frame is a plot's area with its axes.
type frame struct {
	canvas
	x, y                     axis
	left, right, top, bottom float64
}

// The sizes of plots.
const (
	defaultWidth, defaultHeight = 760, 460
	leastSize, mostSize         = 200, 10_000
	longestName                 = 32 // letters of a name in a legend
	legendPart                  = 0.38
	legendSpace                 = 44 // pixels beside the name
	tickSpace                   = 45 // pixels from one tick of the y axis to the next, at least
)

// labels are the texts of a plot.
type labels struct {
	title, x, y string
	tickX       func(float64) string
	tickY       func(float64) string
	atX         []float64 // ticks of the x axis; nil for round ones
	series      []entry
}

// entry is a series in the legend.
type entry struct {
	name  string
	style style
}

// newFrame makes room for the texts and draws the axes.
func newFrame(width, height int, x, y axis, l labels) *frame {
	f := &frame{canvas: canvas{width: width, height: height}, x: x, y: y, top: 20, bottom: float64(height) - 48}
	if l.title != "" {
		f.top = 40
		f.text(float64(width)/2, 24, "middle", l.title, `font-size="15" font-weight="bold"`)
	}
	longest := min(longestName, int((float64(width)*legendPart-legendSpace)/charWidth))
	legend := 0.0
	for i := range l.series {
		l.series[i].name = shortened(l.series[i].name, longest)
		legend = max(legend, textWidth(l.series[i].name)+legendSpace)
	}
	f.right = float64(width) - max(16, legend)
	f.y.from, f.y.to = f.bottom, f.top
	ticks := f.y.ticks(max(2, int((f.bottom-f.top)/tickSpace)))
	widest := 0.0
	for _, v := range ticks {
		widest = max(widest, textWidth(l.tickY(v)))
	}
	f.left = 34 + widest
	f.x.from, f.x.to = f.left, f.right
	f.drawY(ticks, l.tickY)
	f.drawX(l)
	f.element("rect", `x="%s" y="%s" width="%s" height="%s" fill="none" stroke="#444"`, pixels(f.left), pixels(f.top), pixels(f.right-f.left), pixels(f.bottom-f.top))
	f.text((f.left+f.right)/2, f.bottom+38, "middle", l.x, "")
	f.text(0, 0, "middle", l.y, `transform="translate(16 `+pixels((f.top+f.bottom)/2)+`) rotate(-90)"`)
	f.legend(l.series)
	return f
}

const gridLine = `stroke="#ddd"`

func (f *frame) drawY(ticks []float64, text func(float64) string) {
	for _, v := range ticks {
		y, ok := f.y.at(v)
		if !ok {
			continue
		}
		f.line(f.left, y, f.right, y, gridLine)
		f.text(f.left-6, y+4, "end", text(v), "")
	}
}

// drawX draws the ticks of the x axis, as many as have room.
func (f *frame) drawX(l labels) {
	ticks := l.atX
	if ticks == nil {
		ticks = f.x.ticks(max(2, int((f.right-f.left)/80)))
	}
	end := math.Inf(-1) // of the last text
	for _, v := range ticks {
		x, ok := f.x.at(v)
		if !ok {
			continue
		}
		s := l.tickX(v)
		f.line(x, f.bottom, x, f.bottom+4, `stroke="#444"`)
		f.line(x, f.top, x, f.bottom, gridLine)
		if half := textWidth(s) / 2; x-half > end+6 {
			f.text(x, f.bottom+18, "middle", s, "")
			end = x + half
		}
	}
}

// legend shows the names of series at the right, as many as have room.
func (f *frame) legend(series []entry) {
	for i, s := range series {
		y := f.top + 10 + float64(i)*lineSpace
		x := f.right + 12
		if y+lineSpace > f.bottom && i+1 < len(series) {
			f.text(x, y+4, "start", "and others", "")
			return
		}
		f.line(x, y, x+20, y, s.style.stroke())
		f.point(x+10, y, s.style)
		f.text(x+26, y+4, "start", s.name, "")
	}
}
