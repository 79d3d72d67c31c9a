package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"
)

// print prints segments as text.
func (h *heard) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s, %.2f s\n", h.name, h.format, seconds(h.samples))
	total := 0
	for i, s := range h.segments {
		fmt.Fprintf(out, "%4d  %s - %s  %6.2f s  probability %.2f\n", i+1, clock(s.Start), clock(s.End), seconds(s.End-s.Start), h.mean(s.Start, s.End))
		total += s.End - s.Start
	}
	share := 0.0
	if h.samples > 0 {
		share = 100 * float64(total) / float64(h.samples)
	}
	fmt.Fprintf(out, "%d segments, %.2f s of speech, %.0f %%; heard in %.2f s\n", len(h.segments), seconds(total), share, h.took.Seconds())
}

// clock formats the time of a sample as 0:00:01.25.
func clock(sample int) string {
	d := time.Duration(math.Round(seconds(sample)*100)) * 10 * time.Millisecond
	return fmt.Sprintf("%d:%02d:%05.2f", int(d.Hours()), int(d.Minutes())%60, (d % time.Minute).Seconds())
}

// mean is the mean probability of windows.
func (h *heard) mean(start, end int) float64 {
	sum, n := 0.0, 0
	for i := start / window; i*window < end && i < len(h.probabilities); i++ {
		sum += float64(h.probabilities[i])
		n++
	}
	return sum / float64(max(n, 1))
}

// A jsonSegment is a segment as -json prints it: times in seconds.
type jsonSegment struct {
	Start       float64 `json:"start"`
	End         float64 `json:"end"`
	Probability float64 `json:"probability"` // the mean of its windows
}

// printJSON prints all that was found out as JSON.
func (h *heard) printJSON(out io.Writer) error {
	segments := make([]jsonSegment, len(h.segments))
	for i, s := range h.segments {
		segments[i] = jsonSegment{round(seconds(s.Start)), round(seconds(s.End)), round(h.mean(s.Start, s.End))}
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"file": h.name, "rate": h.format.Rate, "channels": h.format.Channels, "seconds": round(seconds(h.samples)), "segments": segments})
}

// round leaves three digits behind the point.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
