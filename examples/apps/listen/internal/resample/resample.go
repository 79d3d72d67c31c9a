// Package resample changes the rate of sampled sound by a windowed sinc: each new sample is a weighted sum of old ones around it,
// with the weights of an ideal low-pass filter that a Kaiser window makes finite. What the lower rate cannot hold is attenuated by
// 100 dB.
//
// (J. F. Kaiser and R. W. Schafer, On the use of the I0-sinh window for spectrum analysis, 1980; A. V. Oppenheim and R. W. Schafer,
// Discrete-Time Signal Processing.)
package resample

import "math"

// The shape of the filter: β of 10 and 32 zero crossings on each side attenuate by 100 dB what is above the lower of both halves of
// the rates, and pass what is below 0.8 of it.
const (
	crossings = 32
	beta      = 10.056 // 0.1102·(100 - 8.7)
	cutoff    = 0.9    // of the lower half of the rates
	kept      = 1 << 22
)

// A Resampler changes the rate of a stream of samples.
type Resampler struct {
	from, to int64 // the rates, divided by their greatest common divisor
	reach    int64 // old samples on each side of a new one that count
	scale    float64
	phases   map[int64][]float32 // weights by the distance of a new sample to the old one before it, in units of 1/to

	in   []float32 // old samples, the first of which has the index base
	base int64
	next int64 // the index of the next new sample
}

// New makes a Resampler from one rate to another, both above 0. Before the first and after the last sample there is silence.
func New(from, to int) *Resampler {
	d := gcd(int64(from), int64(to))
	r := &Resampler{from: int64(from) / d, to: int64(to) / d, phases: map[int64][]float32{}}
	r.scale = cutoff * min(1, float64(to)/float64(from))
	r.reach = int64(math.Ceil(crossings / r.scale))
	r.base = -r.reach
	r.in = make([]float32, r.reach)
	return r
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Write appends to out the new samples that samples make possible.
func (r *Resampler) Write(out, samples []float32) []float32 {
	if r.from == r.to {
		return append(out, samples...)
	}
	r.in = append(r.in, samples...)
	return r.drain(out)
}

// Flush appends the last new samples: in all there are as many as take the time of the old ones, rounded up.
func (r *Resampler) Flush(out []float32) []float32 {
	if r.from == r.to {
		return out
	}
	total := r.base + int64(len(r.in))
	want := (total*r.to + r.from - 1) / r.from
	r.in = append(r.in, make([]float32, 2*r.reach+r.from/r.to+2)...)
	before := r.next
	out = r.drain(out)
	return out[:int64(len(out))-max(0, r.next-max(want, before))]
}

// drain computes the new samples for which all old ones are there, and drops the old ones that are not needed any more.
func (r *Resampler) drain(out []float32) []float32 {
	for {
		at := r.next * r.from / r.to // the old sample before the new one
		first := at - r.reach + 1 - r.base
		if first+2*r.reach > int64(len(r.in)) {
			drop := min(first, int64(len(r.in)))
			r.in = append(r.in[:0], r.in[drop:]...)
			r.base += drop
			return out
		}
		sum := 0.0
		for i, w := range r.weights(r.next * r.from % r.to) {
			sum += float64(w) * float64(r.in[first+int64(i)])
		}
		out = append(out, float32(sum))
		r.next++
	}
}

// weights gives the weights of the 2·reach old samples around a new one, for a distance to the one before it. Those of few distances
// are kept, as there are few where the rates have a large common divisor.
func (r *Resampler) weights(phase int64) []float32 {
	if w := r.phases[phase]; w != nil {
		return w
	}
	w := make([]float32, 2*r.reach)
	for i := range w {
		t := float64(int64(i)-r.reach+1) - float64(phase)/float64(r.to)
		w[i] = float32(r.scale * sinc(t*r.scale) * kaiser(t/float64(r.reach)))
	}
	if int64(len(r.phases)+1)*2*r.reach <= kept {
		r.phases[phase] = w
	}
	return w
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser is the window, from -1 to 1.
func kaiser(x float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(beta*math.Sqrt(1-x*x)) / bessel(beta)
}

// bessel is the modified Bessel function of the first kind and order 0, by its series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-17; k++ {
		term *= x * x / (4 * k * k)
		sum += term
	}
	return sum
}
