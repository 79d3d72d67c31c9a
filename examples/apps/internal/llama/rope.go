package llama

import (
	"fmt"
	"math"
)

// Rope says by which angles pairs of numbers of a head are rotated.
type Rope struct {
	Theta  float64 // the base: pair i turns by Theta^(-2i/dim) with each position
	Linear float64 // divides positions; 1 for none
	Llama3 *Llama3
	// Factors, unless nil, divides the angle of each pair: GGUF files have such numbers in a tensor.
	Factors []float32
}

// Llama3 is the scaling of Llama 3.1: slow pairs turn more slowly, fast ones as before, with a transition between. (Meta, Llama 3.1,
// 2024.)
type Llama3 struct {
	Factor, Low, High float64
	Original          float64 // positions that the model was first trained for
}

// rawRope is rope_scaling or rope_parameters of config.json.
type rawRope struct {
	Theta    *float64 `json:"rope_theta"`
	Type     string   `json:"rope_type"`
	OldType  string   `json:"type"`
	Factor   *float64 `json:"factor"`
	Low      *float64 `json:"low_freq_factor"`
	High     *float64 `json:"high_freq_factor"`
	Original *float64 `json:"original_max_position_embeddings"`
	Partial  *float64 `json:"partial_rotary_factor"`
}

func (in *raw) rope() (Rope, error) {
	r := Rope{Theta: or(in.Theta, 10000), Linear: 1}
	for _, s := range []*rawRope{in.Scaling, in.Parameters} {
		if s == nil {
			continue
		}
		r.Theta = or(s.Theta, r.Theta)
		if err := r.scale(s); err != nil {
			return r, err
		}
	}
	if !(r.Theta > 0 && r.Theta < 1e12) {
		return r, fmt.Errorf("rope_theta is %g, expected a number above 0 and below 1e12", r.Theta)
	}
	return r, nil
}

// scale takes one of the kinds of scaling.
func (r *Rope) scale(s *rawRope) error {
	kind := s.Type
	if kind == "" {
		kind = s.OldType
	}
	if or(s.Partial, 1) != 1 {
		return fmt.Errorf("partial_rotary_factor is %g: only whole heads are rotated here", *s.Partial)
	}
	factor := or(s.Factor, 1)
	if !(factor > 0 && factor < 1e9) {
		return fmt.Errorf("the factor of rope_scaling is %g, expected a positive number", factor)
	}
	switch kind {
	case "", "default":
	case "linear":
		r.Linear = factor
	case "llama3":
		l := &Llama3{Factor: factor, Low: or(s.Low, 0), High: or(s.High, 0), Original: or(s.Original, 0)}
		if !(l.Low > 0 && l.High > l.Low && l.Original >= 1) {
			return fmt.Errorf("rope_scaling of kind llama3 has low_freq_factor %g, high_freq_factor %g and original_max_position_embeddings %g, expected positive numbers of which the second is greater than the first", l.Low, l.High, l.Original)
		}
		r.Llama3 = l
	default:
		return fmt.Errorf("rope_scaling is of the kind %q: default, linear and llama3 are supported", kind)
	}
	return nil
}

// frequencies gives the angle by which each pair of a head turns with a position.
func (r Rope) frequencies(dim int) []float64 {
	f := make([]float64, dim/2)
	for i := range f {
		f[i] = math.Pow(r.Theta, -2*float64(i)/float64(dim)) / r.Linear
		if r.Llama3 != nil {
			f[i] = r.Llama3.slow(f[i])
		}
		if r.Factors != nil {
			f[i] /= float64(r.Factors[i])
		}
	}
	return f
}

// slow gives the frequency that replaces one.
func (l Llama3) slow(f float64) float64 {
	turns := l.Original * f / (2 * math.Pi) // over the positions that the model was first trained for
	part := (turns - l.Low) / (l.High - l.Low)
	part = max(0, min(part, 1))
	return f * (part + (1-part)/l.Factor)
}

// tables gives the cosines and sines for positions up to room, [room, dim/2].
func (r Rope) tables(room, dim int) (cos, sin []float32) {
	f := r.frequencies(dim)
	cos, sin = make([]float32, 0, room*len(f)), make([]float32, 0, room*len(f))
	for p := range room {
		for _, w := range f {
			s, c := math.Sincos(float64(p) * w)
			cos, sin = append(cos, float32(c)), append(sin, float32(s))
		}
	}
	return cos, sin
}
