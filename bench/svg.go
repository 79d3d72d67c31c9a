package bench

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// The text of plots, in pixels.
const (
	textSize  = 12
	charWidth = 6.8 // of a usual letter, and not less
	lineSpace = 18
)

// style is how a series looks: by colour, of different lightness so that they differ in grey, too, by dashes and by the form of its points.
type style struct{ colour, dash, form string }

// styles are taken in turn.
var styles = []style{
	{"#12356b", "", "circle"}, {"#e07b00", "7 3", "square"}, {"#00897b", "2 3", "up"}, {"#b3263c", "9 3 2 3", "diamond"},
	{"#7fb2e5", "12 4", "down"}, {"#5c4a1f", "4 2", "cross"}, {"#c58bd6", "", "square"}, {"#6b6b6b", "7 3", "circle"},
}

func styleOf(i int) style { return styles[i%len(styles)] }

// canvas collects the elements of an SVG.
type canvas struct {
	width, height int
	strings.Builder
}

// element adds an element with attributes in the form of Printf.
func (c *canvas) element(name, attrs string, args ...any) {
	fmt.Fprintf(c, "<%s %s/>\n", name, fmt.Sprintf(attrs, args...))
}

// text adds a text; anchor is start, middle or end, and more has further attributes.
func (c *canvas) text(x, y float64, anchor, text, more string) {
	fmt.Fprintf(c, `<text x="%s" y="%s" text-anchor="%s"%s>%s</text>`+"\n", pixels(x), pixels(y), anchor, spaced(more), escaped(text))
}

func spaced(s string) string {
	if s == "" {
		return ""
	}
	return " " + s
}

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

// pixels is a place with as many digits as can be seen.
func pixels(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
}

// line adds a straight line.
func (c *canvas) line(x1, y1, x2, y2 float64, attrs string) {
	c.element("line", `x1="%s" y1="%s" x2="%s" y2="%s" %s`, pixels(x1), pixels(y1), pixels(x2), pixels(y2), attrs)
}

// points is a list of places.
func points(list [][2]float64) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(pixels(p[0]) + "," + pixels(p[1]))
	}
	return b.String()
}

// stroke are the attributes of a series' line.
func (s style) stroke() string {
	if s.dash == "" {
		return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2"`, s.colour)
	}
	return fmt.Sprintf(`fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"`, s.colour, s.dash)
}

// forms are the outlines of points, around the origin.
var forms = map[string][][2]float64{
	"square": {{-3.5, -3.5}, {3.5, -3.5}, {3.5, 3.5}, {-3.5, 3.5}}, "up": {{0, -5}, {4.5, 3.5}, {-4.5, 3.5}}, "down": {{0, 5}, {4.5, -3.5}, {-4.5, -3.5}},
	"diamond": {{0, -5}, {5, 0}, {0, 5}, {-5, 0}},
	"cross":   {{-1.5, -4.5}, {1.5, -4.5}, {1.5, -1.5}, {4.5, -1.5}, {4.5, 1.5}, {1.5, 1.5}, {1.5, 4.5}, {-1.5, 4.5}, {-1.5, 1.5}, {-4.5, 1.5}, {-4.5, -1.5}, {-1.5, -1.5}},
}

// point adds a point of a series.
func (c *canvas) point(x, y float64, s style) {
	form, ok := forms[s.form]
	if !ok {
		c.element("circle", `cx="%s" cy="%s" r="4" fill="%s" stroke="#fff" stroke-width="0.8"`, pixels(x), pixels(y), s.colour)
		return
	}
	moved := make([][2]float64, len(form))
	for i, p := range form {
		moved[i] = [2]float64{x + p[0], y + p[1]}
	}
	c.element("polygon", `points="%s" fill="%s" stroke="#fff" stroke-width="0.8"`, points(moved), s.colour)
}

// write writes the SVG.
func (c *canvas) write(w io.Writer, title string) error {
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="Helvetica, Arial, sans-serif" font-size="%d" fill="#222">
<title>%s</title>
<rect width="%d" height="%d" fill="#fff"/>
%s</svg>
`, c.width, c.height, c.width, c.height, textSize, escaped(title), c.width, c.height, c.String())
	return err
}

// textWidth is about how wide a text is.
func textWidth(s string) float64 { return charWidth * float64(utf8.RuneCountInString(s)) }

// shortened cuts a text that is too long, in its middle, where names of kernels differ least.
func shortened(s string, most int) string {
	r := []rune(s)
	if most = max(most, 3); len(r) <= most {
		return s
	}
	return string(r[:most/2]) + "…" + string(r[len(r)-(most-most/2-1):])
}
