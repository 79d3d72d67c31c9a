package onnx_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/onnx"
)

// TestStorm builds each operator many times with inputs and attributes at random, right or wrong: whatever they are, the answer must
// not be a message that admits a bug.
func TestStorm(t *testing.T) {
	dev := open(t)
	r := rand.New(rand.NewPCG(5, 6))
	rounds := 60
	if testing.Short() {
		rounds = 10
	}
	for _, name := range onnx.Operators() {
		for range rounds {
			data := stormModel(r, name)
			m, err := onnx.Parse(data)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := onnx.Build(t.Context(), m, dev, 1<<16); err != nil && strings.Contains(err.Error(), "BUG") {
				t.Errorf("%s: %v\ninputs %v\n%q", name, err, m.Inputs(), data)
				break
			}
		}
	}
}

var (
	stormInts = []string{"axis", "block_size", "keepdims", "batch_dims", "batch_axis", "time_axis", "group", "num_groups", "blocksize", "ceil_mode",
		"transA", "q_num_heads", "kv_num_heads", "num_heads", "is_causal", "size", "p", "to", "k", "hidden_size", "layout", "num_outputs",
		"num_scan_inputs", "exclusive", "select_last_index", "storage_order", "count_include_pad", "antialias", "rotary_embedding_dim",
		"value_int", "align_corners", "training_mode", "start", "ignore_index", "linear_before_reset", "upper", "new_axis", "interleaved"}
	stormLists = []string{"axes", "pads", "strides", "dilations", "kernel_shape", "output_padding", "output_shape", "perm", "split", "starts", "ends", "value_ints"}
	stormTexts = map[string][]string{"mode": {"reflect", "linear", "cubic", "edge", "wrap", "circular", "CRD"}, "auto_pad": {"SAME_UPPER", "VALID"}, "direction": {"reverse", "bidirectional", "LEFT"},
		"reduction": {"add", "none", "mean"}, "equation": {"ij,jk->ik", "ii->i", "...i,...i->...", "i,j", "bij,bjk"}, "padding_mode": {"reflection", "border"},
		"coordinate_transformation_mode": {"align_corners", "half_pixel", "asymmetric", "tf_crop_and_resize"}}
)

// stormModel is a model of one node.
func stormModel(r *rand.Rand, name string) []byte {
	g := graphProto{outputs: []message{infoProto("y0", 1)}}
	var inputs []string
	rank := r.IntN(5)
	elem := []int64{1, 1, 1, 7, 6, 9, 3, 10}[r.IntN(8)]
	for i := range r.IntN(7) {
		if r.IntN(4) == 0 {
			rank = r.IntN(5)
		}
		if r.IntN(3) == 0 {
			elem = []int64{1, 7, 6, 9, 2, 11}[r.IntN(6)]
		}
		dims := make([]int64, rank)
		for k := range dims {
			dims[k] = int64([]int{2, 2, 2, 1, 3, 4, 0}[r.IntN(7)])
		}
		input := fmt.Sprintf("x%d", i)
		switch r.IntN(6) {
		case 0:
			input = ""
		case 1, 2: // known integers
			raw := make([]byte, 8*r.IntN(5))
			for k := 0; k < len(raw); k += 8 {
				x := r.IntN(6) - 2
				for b := range 8 {
					raw[k+b] = byte(x >> (8 * b))
				}
			}
			g.initializers = append(g.initializers, tensorProto(input, 7, raw, int64(len(raw)/8)))
		default:
			g.inputs = append(g.inputs, infoProto(input, elem, dims...))
		}
		inputs = append(inputs, input)
	}
	var attributes []message
	for _, a := range stormInts {
		if r.IntN(6) == 0 {
			attributes = append(attributes, attribute(a, r.IntN(6)-2))
		}
	}
	for _, a := range stormLists {
		if r.IntN(6) == 0 {
			list := make([]int, 1+r.IntN(4))
			for i := range list {
				list[i] = r.IntN(5) - 1
			}
			attributes = append(attributes, attribute(a, list))
		}
	}
	for _, a := range slices.Sorted(maps.Keys(stormTexts)) {
		values := stormTexts[a]
		if r.IntN(3) == 0 {
			attributes = append(attributes, attribute(a, values[r.IntN(len(values))]))
		}
	}
	domain, op := "", name
	if i := strings.LastIndex(name, "."); i >= 0 {
		domain, op = name[:i], name[i+1:]
	}
	g.nodes = []message{nodeProto(op, inputs, []string{"y0", "y1"}, attributes...).text(7, domain)}
	opsets := []int64{9, 10, 13, 18, 23, 26}
	return message(modelProto(g, opsets[r.IntN(len(opsets))]))
}
