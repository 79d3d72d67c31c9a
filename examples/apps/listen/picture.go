package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/cutile-go/cutile/examples/apps/listen/internal/vad"
)

// window is the number of samples of a window.
const window = vad.Window

// The places of a picture, in pixels.
const (
	left, plot     = 52, 1000 // the margin, and the width of the plots
	waveTop, waveH = 56, 150
	probTop, probH = 236, 110
	bottom         = probTop + probH
	width, height  = left + plot + 20, bottom + 44
	maxColumns     = plot // points of a curve
)

// style has light colours, and dark ones where the viewer prefers them.
const style = `text{font:12px system-ui,"DejaVu Sans",sans-serif;fill:#5c626b}.title{font-size:15px;font-weight:600;fill:#1d1f23}` +
	`.back{fill:#fff}.line{stroke:#dfe1e5}.wave{fill:#5a7ea8}.speech{fill:#2f9e63;fill-opacity:.16}.edge{fill:#2f9e63}` +
	`.curve{fill:none;stroke:#c2571a;stroke-width:1.5;stroke-linejoin:round}.limit{stroke:#c2571a;stroke-dasharray:4 4;stroke-opacity:.6}` +
	`@media(prefers-color-scheme:dark){text{fill:#a0a6b0}.title{fill:#e6e7ea}.back{fill:#16181c}.line{stroke:#343942}.wave{fill:#7fa6d6}` +
	`.speech{fill:#4cc38a;fill-opacity:.18}.edge{fill:#4cc38a}.curve,.limit{stroke:#f0965a}}`

// picture draws the wave of a sound, the probability of speech and the segments, as SVG.
func picture(h *heard, threshold float64) []byte {
	var b bytes.Buffer
	total := max(h.samples, 1)
	x := func(sample int) float64 { return left + plot*float64(sample)/float64(total) }
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`, width, height, width, height)
	speech := 0
	for _, s := range h.segments {
		speech += s.End - s.Start
	}
	title := fmt.Sprintf("%s: %d segments, %.1f of %.1f s are speech", clean(h.name), len(h.segments), seconds(speech), seconds(h.samples))
	fmt.Fprintf(&b, "<title>%s</title><style>%s</style>\n<rect class=\"back\" width=\"%d\" height=\"%d\"/>\n<text class=\"title\" x=\"%d\" y=\"26\">%s</text>\n",
		html.EscapeString(title), style, width, height, left, html.EscapeString(title))
	for _, s := range h.segments {
		w := x(s.End) - x(s.Start)
		fmt.Fprintf(&b, `<rect class="speech" x="%.2f" y="%d" width="%.2f" height="%d"><title>%s - %s</title></rect><rect class="edge" x="%.2f" y="%d" width="%.2f" height="3"/>`+"\n",
			x(s.Start), waveTop-8, w, bottom-waveTop+8, clock(s.Start), clock(s.End), x(s.Start), waveTop-8, w)
	}
	axes(&b, seconds(h.samples), threshold)
	wave(&b, h)
	curve(&b, h, x)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// clean leaves out what XML does not allow in texts.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// axes draws lines with their numbers.
func axes(b *bytes.Buffer, duration, threshold float64) {
	line := func(class string, y float64, label string) {
		fmt.Fprintf(b, `<line class="%s" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, class, left, left+plot, y, y)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, y+4, label)
	}
	line("line", waveTop+waveH/2, "0")
	for _, p := range []float64{0, 0.5, 1} {
		line("line", probTop+probH*(1-p), fmt.Sprint(p))
	}
	line("limit", probTop+probH*(1-threshold), "")
	step := tick(duration)
	for i := 0; float64(i)*step <= duration; i++ {
		at := left + plot*float64(i)*step/max(duration, 1e-9)
		fmt.Fprintf(b, `<line class="line" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			at, at, bottom, bottom+5, at, bottom+20, label(float64(i)*step, step))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end">time in seconds</text>`+"\n", left+plot, bottom+38)
	for _, text := range []struct {
		y    int
		text string
	}{{waveTop - 12, "sound"}, {probTop - 6, "probability of speech"}} {
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", left, text.y, text.text)
	}
}

// tick is the distance of numbers on the axis of time: 1, 2 or 5 times a power of ten, so that there are about ten.
func tick(duration float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(duration, 0.01)/10)))
	for _, m := range []float64{1, 2, 5} {
		if duration/(m*power) <= 11 {
			return m * power
		}
	}
	return 10 * power
}

func label(t, step float64) string {
	return fmt.Sprintf("%.*f", max(0, int(-math.Floor(math.Log10(step)+1e-9))), t)
}

// wave draws the least and the greatest samples, so loud that the greatest fills the plot.
func wave(b *bytes.Buffer, h *heard) {
	loudest := float32(1e-3)
	for _, p := range h.loudness {
		loudest = max(loudest, p.high, -p.low)
	}
	columns := min(len(h.loudness), maxColumns)
	upper, lower := make([]string, columns), make([]string, columns)
	for c := range columns {
		part := h.loudness[c*len(h.loudness)/columns : (c+1)*len(h.loudness)/columns]
		p := part[0]
		for _, q := range part {
			p = peak{min(p.low, q.low), max(p.high, q.high)}
		}
		at := left + plot*(float64(c)+0.5)/float64(columns)
		y := func(v float32) float64 { return waveTop + waveH/2*(1-float64(v/loudest)) }
		upper[c] = fmt.Sprintf("%.1f %.1f", at, y(p.high)-0.4)
		lower[columns-1-c] = fmt.Sprintf("%.1f %.1f", at, y(p.low)+0.4) // the path goes back along the lower edge
	}
	if columns > 0 {
		fmt.Fprintf(b, `<path class="wave" d="M%sL%sZ"/>`+"\n", strings.Join(upper, "L"), strings.Join(lower, "L"))
	}
}

// curve draws the probabilities: of windows that share a place, the greatest.
func curve(b *bytes.Buffer, h *heard, x func(int) float64) {
	columns := min(len(h.probabilities), maxColumns)
	if columns == 0 {
		return
	}
	b.WriteString(`<polyline class="curve" points="`)
	for c := range columns {
		from, to := c*len(h.probabilities)/columns, (c+1)*len(h.probabilities)/columns
		p := float32(0)
		for _, q := range h.probabilities[from:to] {
			p = max(p, q)
		}
		fmt.Fprintf(b, "%.1f,%.1f ", min(x((from+to)*window/2), left+plot), probTop+probH*(1-float64(p)))
	}
	b.WriteString(`"/>` + "\n")
}
