package vad

import "math"

// A Rule says which windows make a segment of speech. Times are in samples at Rate.
type Rule struct {
	Threshold  float64 // speech begins at this probability
	Leave      float64 // and may end below this one; 0 stands for Threshold - 0.15, but at least 0.01
	MinSpeech  float64 // shorter segments are dropped
	MinSilence float64 // a segment ends when it has been silent for so long
	Pad        float64 // is added before and behind
	MaxSpeech  float64 // longer segments are cut, where they were silent for longest; 0 stands for no limit
}

// DefaultRule is Silero's: 250 ms of speech, 100 ms of silence, 30 ms around.
var DefaultRule = Rule{Threshold: 0.5, MinSpeech: 0.250 * Rate, MinSilence: 0.100 * Rate, Pad: 0.030 * Rate}

// A Segment is a part of a sound, from the sample Start up to End.
type Segment struct{ Start, End int }

// pause is how long a silence must be at least, in samples, for a segment that is too long to be cut there.
const pause = 0.098 * Rate

// A joiner joins windows to segments.
type joiner struct {
	Rule
	segments []Segment
	inside   bool
	start    int    // of the segment that is going on
	silent   int    // where the silence in it began; 0 stands for none
	pauses   []span // long silences in it
}

// A span is a silence.
type span struct{ start, length int }

// Segments gives the segments of speech of a sound of so many samples, whose windows have these probabilities.
func Segments(probabilities []float32, samples int, rule Rule) []Segment {
	if rule.Leave == 0 {
		rule.Leave = max(rule.Threshold-0.15, 0.01)
	}
	j := joiner{Rule: rule}
	for i, p := range probabilities {
		j.window(i*Window, float64(p))
	}
	if j.inside && float64(samples-j.start) > j.MinSpeech {
		j.segments = append(j.segments, Segment{j.start, samples})
	}
	j.pad(samples)
	return j.segments
}

// window takes the probability of the window that begins at a sample.
func (j *joiner) window(at int, p float64) {
	speech := p >= j.Threshold
	if speech && j.silent != 0 {
		if n := at - j.silent; float64(n) > pause {
			j.pauses = append(j.pauses, span{j.silent, n})
		}
		j.silent = 0
	}
	if speech && !j.inside {
		j.inside, j.start = true, at
		return
	}
	if j.inside && float64(at-j.start) > j.longest() && j.cut(at) {
		return
	}
	if j.inside && p < j.Leave {
		j.silence(at)
	}
}

// longest is how long a segment may get before padding is added to it.
func (j *joiner) longest() float64 {
	if j.MaxSpeech == 0 {
		return math.Inf(1)
	}
	return j.MaxSpeech - Window - 2*j.Pad
}

// cut ends a segment that is too long: before its longest pause, behind which the next one begins, or here if it has none. It
// reports whether the window is dealt with.
func (j *joiner) cut(at int) bool {
	pauses := j.pauses
	j.pauses = nil
	if len(pauses) == 0 {
		j.segments = append(j.segments, Segment{j.start, at})
		j.inside, j.silent = false, 0
		return true
	}
	best := pauses[0]
	for _, s := range pauses[1:] {
		if s.length > best.length {
			best = s
		}
	}
	j.segments = append(j.segments, Segment{j.start, best.start})
	j.start, j.silent = best.start+best.length, 0
	return false
}

// silence takes a window without speech inside of a segment, which ends when the silence is long enough.
func (j *joiner) silence(at int) {
	if j.silent == 0 {
		j.silent = at
	}
	if float64(at-j.silent) < j.MinSilence {
		return
	}
	if float64(j.silent-j.start) > j.MinSpeech {
		j.segments = append(j.segments, Segment{j.start, j.silent})
	}
	j.inside, j.silent, j.pauses = false, 0, nil
}

// pad makes segments longer on both sides; two that would overlap meet in the middle.
func (j *joiner) pad(samples int) {
	for i := range j.segments {
		s := &j.segments[i]
		if i == 0 {
			s.Start = int(max(0, float64(s.Start)-j.Pad))
		}
		if i == len(j.segments)-1 {
			s.End = int(min(float64(samples), float64(s.End)+j.Pad))
			break
		}
		next := &j.segments[i+1]
		if gap := next.Start - s.End; float64(gap) < 2*j.Pad {
			half := int(math.Floor(float64(gap) / 2))
			s.End += half
			next.Start = max(0, next.Start-half)
		} else {
			s.End = int(min(float64(samples), float64(s.End)+j.Pad))
			next.Start = int(max(0, float64(next.Start)-j.Pad))
		}
	}
}
