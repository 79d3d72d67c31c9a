package main

import "math"

// reference computes the loss of the network in float64, with plain loops. It shares the layout of parameters with the program and
// nothing else.
type reference struct {
	shape         shape
	windows, span int
	p             []float64
	at            map[string]parameter
}

func (r *reference) row(name string, i int) []float64 {
	p := r.at[name]
	return r.p[p.from+i*p.cols : p.from+(i+1)*p.cols]
}

// linear multiplies a vector by a matrix of the checkpoint.
func (r *reference) linear(name string, x []float64) []float64 {
	y := make([]float64, r.at[name].rows)
	for i := range y {
		for j, w := range r.row(name, i) {
			y[i] += w * x[j]
		}
	}
	return y
}

func (r *reference) norm(name string, x []float64) []float64 {
	var squares float64
	for _, v := range x {
		squares += v * v
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = v / math.Sqrt(squares/float64(len(x))+1e-5) * r.row(name, 0)[i]
	}
	return y
}

// rotate turns the pairs of each head by the angles of a position.
func (r *reference) rotate(x []float64, position int) {
	d := r.shape.HeadDim
	for h := 0; h < len(x); h += d {
		for i := range d / 2 {
			s, c := math.Sincos(float64(position) * math.Pow(10000, -2*float64(i)/float64(d)))
			a, b := x[h+i], x[h+i+d/2]
			x[h+i], x[h+i+d/2] = a*c-b*s, b*c+a*s
		}
	}
}

// attend gives the mix of values for the last of some queries.
func (r *reference) attend(q []float64, keys, values [][]float64) []float64 {
	d, share := r.shape.HeadDim, r.shape.Heads/r.shape.Groups
	out := make([]float64, len(q))
	for h := range r.shape.Heads {
		g := h / share * d
		weights, sum := make([]float64, len(keys)), 0.0
		for t, k := range keys {
			for i := range d {
				weights[t] += q[h*d+i] * k[g+i]
			}
			weights[t] = math.Exp(weights[t] / math.Sqrt(float64(d)))
			sum += weights[t]
		}
		for t, v := range values {
			for i := range d {
				out[h*d+i] += weights[t] / sum * v[g+i]
			}
		}
	}
	return out
}

// add adds y to x.
func add(x, y []float64) {
	for i := range x {
		x[i] += y[i]
	}
}

// loss is the mean over the tokens of a batch.
func (r *reference) loss(ids, targets []int32) float64 {
	var total float64
	for w := range r.windows {
		total += r.window(ids[w*r.span:][:r.span], targets[w*r.span:][:r.span])
	}
	return total / float64(len(ids))
}

// window is the sum of the losses of one sequence.
func (r *reference) window(ids, targets []int32) (total float64) {
	all, _, _ := r.shape.layout()
	keys, values := make([][][]float64, r.shape.Layers), make([][][]float64, r.shape.Layers)
	for t, id := range ids {
		x := append([]float64(nil), r.row("model.embed_tokens.weight", int(id))...)
		for l := range r.shape.Layers {
			name := func(n string) string { return all[1+7*l].name[:len("model.layers.0.")] + n }
			h := r.norm(name("input_layernorm.weight"), x)
			q, k := r.linear(name("self_attn.q_proj.weight"), h), r.linear(name("self_attn.k_proj.weight"), h)
			r.rotate(q, t)
			r.rotate(k, t)
			keys[l], values[l] = append(keys[l], k), append(values[l], r.linear(name("self_attn.v_proj.weight"), h))
			add(x, r.linear(name("self_attn.o_proj.weight"), r.attend(q, keys[l], values[l])))
			h = r.norm(name("post_attention_layernorm.weight"), x)
			gate, up := r.linear(name("mlp.gate_proj.weight"), h), r.linear(name("mlp.up_proj.weight"), h)
			for i, g := range gate {
				up[i] *= g / (1 + math.Exp(-g))
			}
			add(x, r.linear(name("mlp.down_proj.weight"), up))
		}
		logits := r.linear("model.embed_tokens.weight", r.norm("model.norm.weight", x))
		var sum float64
		for _, y := range logits {
			sum += math.Exp(y)
		}
		total += math.Log(sum) - logits[targets[t]]
	}
	return total
}
