package main

import (
	"fmt"
	"math"
	"strings"
)

// The size of the plot and of its margins.
const (
	plotWidth, plotHeight = 720.0, 400.0
	plotLeft, plotBottom  = 56.0, 40.0
	plotTop, plotRight    = 24.0, 16.0
)

// plot draws the losses as SVG: a line for the batches, smoothed by the mean of neighbours, and dots for what is held out.
func plot(history []point, steps int) string {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range history {
		low, high = min(low, p.Loss), max(high, p.Loss)
		if p.Held > 0 {
			low, high = min(low, p.Held), max(high, p.Held)
		}
	}
	if len(history) == 0 {
		low, high = 0, 1
	}
	low, high = math.Floor(low*2)/2, math.Ceil(high*2)/2
	if high == low {
		high++
	}
	x := func(step int) float64 {
		return plotLeft + float64(step)/float64(max(steps, 1))*(plotWidth-plotLeft-plotRight)
	}
	y := func(loss float64) float64 {
		return plotTop + (high-loss)/(high-low)*(plotHeight-plotTop-plotBottom)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="white"/>`+"\n", plotWidth, plotHeight)
	for l := low; l <= high+1e-9; l += (high - low) / 5 {
		fmt.Fprintf(&b, `<path d="M%.1f %.1fH%.1f" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="end">%.1f</text>`+"\n",
			plotLeft, y(l), plotWidth-plotRight, plotLeft-6, y(l)+4, l)
	}
	for i := range 6 {
		step := steps * i / 5
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">%d</text>`+"\n", x(step), plotHeight-plotBottom+18, step)
	}
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="middle">step</text><text x="%.1f" y="16">loss: batches (line), held out (dots)</text>`+"\n",
		(plotLeft+plotWidth)/2, plotHeight-6, plotLeft)
	b.WriteString(`<path fill="none" stroke="#1f6feb" stroke-width="1.5" d="`)
	for i, p := range smooth(history) {
		fmt.Fprintf(&b, "%c%.1f %.1f", "ML"[min(i, 1)], x(p.Step), y(p.Loss))
	}
	b.WriteString("\"/>\n")
	for _, p := range history {
		if p.Held > 0 {
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3.5" fill="#d1242f"/>`+"\n", x(p.Step), y(p.Held))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// smooth gives means of losses of up to 9 neighbouring steps.
func smooth(history []point) []point {
	out := make([]point, len(history))
	for i := range history {
		from, to := max(i-4, 0), min(i+5, len(history))
		var sum float64
		for _, p := range history[from:to] {
			sum += p.Loss
		}
		out[i] = point{Step: history[i].Step, Loss: sum / float64(to-from)}
	}
	return out
}
