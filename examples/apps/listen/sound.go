package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/cutile-go/cutile/examples/apps/listen/internal/resample"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/vad"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/wav"
)

//go:embed testdata/speech.wav
var recording []byte

// A sound is a WAV file that is open.
type sound struct {
	*wav.Reader
	io.Closer
	name string
}

// openSound opens the only file, or the recording in the program if there is none.
func openSound(files []string) (*sound, error) {
	if len(files) == 0 {
		r, err := wav.New(bytes.NewReader(recording), int64(len(recording)))
		return &sound{r, io.NopCloser(nil), "(the recording in the program)"}, err
	}
	f, err := os.Open(files[0])
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	var r *wav.Reader
	if err == nil {
		r, err = wav.New(f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", files[0], err)
	}
	return &sound{r, f, files[0]}, nil
}

// A heard is what was found out about a sound.
type heard struct {
	name          string
	format        wav.Format
	samples       int       // at vad.Rate
	probabilities []float32 // of each window
	loudness      []peak    // of each window
	segments      []vad.Segment
	took          time.Duration
}

// A peak is the least and the greatest sample of a window.
type peak struct{ low, high float32 }

// longest is how long a sound may be.
const longest = 24 * time.Hour

// listen reads a sound, changes its rate, and runs the model. It keeps a few numbers of each window, and no samples.
func listen(ctx context.Context, d *vad.Detector, in *sound) (*heard, error) {
	if in.Seconds() > longest.Seconds() {
		return nil, fmt.Errorf("the sound takes %.0f s, at most %.0f are supported", in.Seconds(), longest.Seconds())
	}
	start := time.Now()
	h := &heard{name: in.name, format: in.Format}
	rate, stream := resample.New(in.Rate, vad.Rate), d.Stream()
	take := func(samples []float32) error {
		h.measure(samples)
		p, err := stream.Write(ctx, samples)
		h.probabilities = append(h.probabilities, p...)
		return err
	}
	buffer, changed := make([]float32, 4096), []float32{}
	for {
		n, err := in.Read(buffer)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		changed = rate.Write(changed[:0], buffer[:n])
		if err := take(changed); err != nil {
			return nil, err
		}
	}
	if err := take(rate.Flush(nil)); err != nil {
		return nil, err
	}
	p, err := stream.Flush(ctx)
	h.probabilities = append(h.probabilities, p...)
	h.took = time.Since(start)
	return h, err
}

// measure notes how loud windows are.
func (h *heard) measure(samples []float32) {
	for _, x := range samples {
		if h.samples%vad.Window == 0 {
			h.loudness = append(h.loudness, peak{x, x})
		}
		last := &h.loudness[len(h.loudness)-1]
		last.low, last.high = min(last.low, x), max(last.high, x)
		h.samples++
	}
}

// seconds is the time of a sample.
func seconds(sample int) float64 { return float64(sample) / vad.Rate }
