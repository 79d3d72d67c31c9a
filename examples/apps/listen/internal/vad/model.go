package vad

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/onnx"
)

// What the models take.
const (
	Rate   = 16000 // samples in a second
	Window = 512   // samples of a window
	before = 64    // samples before it that are given again
	block  = 32    // windows at a time, where the model takes several
)

// A Detector is a model on a device. Any number of goroutines may use it.
type Detector struct {
	dev     *device.Device
	session *onnx.Session
	form    form
	rate    device.AnyTensor // what the input sr is given
}

// A form is how a model takes windows and state.
type form struct {
	name    string
	inputs  []string // in order
	windows int      // at a time
	states  []string // inputs that carry the state
	shape   []int    // of each
	out     string   // the output with probabilities
	next    []string // the outputs with the next state
}

// forms are the known ones.
var forms = []form{
	{"a model of single windows", []string{"input", "state", "sr"}, 1, []string{"state"}, []int{2, 1, 128}, "output", []string{"stateN"}},
	{"a model of sequences", []string{"input", "h", "c"}, block, []string{"h", "c"}, []int{1, 1, 128}, "speech_probs", []string{"hn", "cn"}},
}

// Open reads a model.
func Open(dev *device.Device, path string) (*Detector, error) {
	m, err := onnx.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, in := range m.Inputs() {
		names = append(names, in.Name)
	}
	slices.Sort(names)
	for _, f := range forms {
		if slices.Equal(names, slices.Sorted(slices.Values(f.inputs))) {
			return open(dev, m, f, path)
		}
	}
	return nil, fmt.Errorf("%s has the inputs %q, but Silero's models have %q or %q: the files silero_vad.onnx and silero_vad_16k_sequence.onnx are known to work",
		path, names, forms[0].inputs, forms[1].inputs)
}

func open(dev *device.Device, m *onnx.Model, f form, path string) (*Detector, error) {
	options := &onnx.Options{}
	d := &Detector{dev: dev, form: f}
	if slices.Contains(f.inputs, "sr") {
		options.Known = []string{"sr"} // the model computes other things for other rates
		rate, err := device.FromSlice(dev, []int64{Rate})
		if err != nil {
			return nil, err
		}
		d.rate = rate.Reshape()
	}
	var err error
	if d.session, err = m.Session(dev, options); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// Form says how the model takes windows.
func (d *Detector) Form() string { return d.form.name }

// A Stream is a sound of which windows are computed as they come. It is for one goroutine.
type Stream struct {
	d       *Detector
	state   []device.AnyTensor
	samples []float32 // the context of the next window, then samples without a probability
}

// Stream begins a sound.
func (d *Detector) Stream() *Stream {
	return &Stream{d: d, samples: make([]float32, before)}
}

// Write takes samples and gives the probabilities of the windows that are complete.
func (s *Stream) Write(ctx context.Context, samples []float32) ([]float32, error) {
	s.samples = append(s.samples, samples...)
	var out []float32
	n := s.d.form.windows
	for len(s.samples) >= before+n*Window {
		p, err := s.run(ctx, n)
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
	}
	return out, nil
}

// Flush gives the probabilities of the last windows, of which the last one is filled up with silence. The stream must not be used any more.
func (s *Stream) Flush(ctx context.Context) ([]float32, error) {
	n := (len(s.samples) - before + Window - 1) / Window
	if n == 0 {
		return nil, nil
	}
	s.samples = append(s.samples, make([]float32, s.d.form.windows*Window)...)
	p, err := s.run(ctx, s.d.form.windows)
	if err != nil {
		return nil, err
	}
	return p[:n], nil
}

// run computes the first n windows that wait.
func (s *Stream) run(ctx context.Context, n int) ([]float32, error) {
	f := s.d.form
	input := make([]float32, 0, n*(before+Window))
	for i := range n {
		input = append(input, s.samples[i*Window:(i+1)*Window+before]...)
	}
	s.samples = append(s.samples[:0], s.samples[n*Window:]...)
	x, err := device.FromSlice(s.d.dev, input, n, before+Window)
	if err != nil {
		return nil, err
	}
	inputs := map[string]device.AnyTensor{"input": x}
	if s.d.rate != nil {
		inputs["sr"] = s.d.rate
	}
	if s.state == nil {
		if s.state, err = s.d.silence(); err != nil {
			return nil, err
		}
	}
	for i, name := range f.states {
		inputs[name] = s.state[i]
	}
	results, err := s.d.session.Run(ctx, inputs)
	if err != nil {
		return nil, err
	}
	for i, name := range f.next {
		s.state[i] = results[name]
	}
	return probabilities(ctx, results[f.out], n)
}

// silence makes the state before the first window.
func (d *Detector) silence() (out []device.AnyTensor, err error) {
	for range d.form.states {
		t, err := device.NewTensor[float32](d.dev, d.form.shape...)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// probabilities reads n results, which must be probabilities: another model may have the same inputs.
func probabilities(ctx context.Context, t device.AnyTensor, n int) ([]float32, error) {
	x, ok := t.(*device.Tensor[float32])
	if !ok || len(x.Shape()) == 0 || x.Len() != n {
		return nil, fmt.Errorf("the model gives %v for %d windows: it is none of Silero's", t, n)
	}
	out := make([]float32, n)
	if err := x.Read(ctx, out); err != nil {
		return nil, err
	}
	for _, p := range out {
		if !(p >= 0 && p <= 1) {
			return nil, errors.New("the model gives " + fmt.Sprint(p) + " as a probability: it is none of Silero's")
		}
	}
	return out, nil
}
