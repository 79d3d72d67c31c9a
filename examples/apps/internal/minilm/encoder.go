package minilm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/graph"
	"github.com/cutile-go/cutile/models/safetensors"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// MaxTokens is how many tokens of a text count, two special ones among them: what is behind them is cut off. The model was made
// for texts of this length.
const MaxTokens = 256

// lengths are those to which sequences are padded: close to each other where texts are short, as queries are.
var lengths = []int{16, 24, 32, 48, 64, 96, 128, 192, 256}

// Sequences are computed together by the powers of two up to maxRows, with at most maxTokens tokens: of more, a device has no use.
const (
	maxRows   = 64
	maxTokens = 1024
)

// Files are the names of the files in the folder of a model.
var Files = []string{"config.json", "model.safetensors", "tokenizer.json"}

// An Encoder computes embeddings on a device. Any number of goroutines may use it.
type Encoder struct {
	dev      *device.Device
	config   config
	tok      *tokenizer.Tokenizer
	weights  []device.AnyTensor
	identity string
	longest  int

	mu       sync.Mutex
	programs map[shape]*program
}

// A program is compiled by the first that needs it, while others wait.
type program struct {
	sync.Mutex
	*graph.Program
}

// Open reads the model in a folder that has the Files, and copies its weights to the device.
func Open(dev *device.Device, dir string) (*Encoder, error) {
	e := &Encoder{dev: dev, programs: map[shape]*program{}}
	var err error
	if e.config, err = readConfig(filepath.Join(dir, Files[0])); err != nil {
		return nil, err
	}
	e.longest = min(MaxTokens, e.config.Positions)
	if e.identity, err = identity(dir); err != nil {
		return nil, err
	}
	if e.tok, err = tokenizer.Load(filepath.Join(dir, Files[2])); err != nil {
		return nil, err
	}
	if n := e.tok.VocabSize(); n > e.config.Vocab {
		return nil, fmt.Errorf("%s has %d tokens, but the model only %d: they do not belong together", Files[2], n, e.config.Vocab)
	}
	path := filepath.Join(dir, Files[1])
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if e.weights, err = load(dev, f, weightsOf(e.config)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// identity is a hash of the files: embeddings of different models have nothing to do with each other.
func identity(dir string) (string, error) {
	h := sha256.New()
	for _, name := range Files {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		_, err = io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Identity tells models apart: it is a hash of the model's files.
func (e *Encoder) Identity() string { return e.identity }

// Dim is the number of elements of an embedding.
func (e *Encoder) Dim() int { return e.config.Hidden }

// Tokens counts the tokens of a text, without special ones.
func (e *Encoder) Tokens(text string) (int, error) {
	enc, err := e.tok.Encode(text, tokenizer.WithoutTruncation(), tokenizer.WithoutPadding(), tokenizer.WithoutSpecialTokens())
	if err != nil {
		return 0, err
	}
	return enc.Len(), nil
}

// Encode computes the embeddings of texts, in their order. Each has Dim elements and length 1. ctx ends the wait for the device.
func (e *Encoder) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	encs, err := e.tok.EncodeBatch(texts, tokenizer.WithoutPadding(), tokenizer.WithTruncation(tokenizer.Truncation{MaxLength: e.longest}))
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for s, batch := range batches(encs, e.longest) {
		if err := e.run(ctx, s, encs, batch, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// batches gives the shapes to compute, each with the indices of its texts: those of one length together, long ones first.
func batches(encs []*tokenizer.Encoding, longest int) func(yield func(shape, []int) bool) {
	groups := map[int][]int{}
	for i, enc := range encs {
		at, _ := slices.BinarySearch(lengths, enc.Len())
		length := min(lengths[at], longest)
		groups[length] = append(groups[length], i)
	}
	return func(yield func(shape, []int) bool) {
		for _, length := range slices.Backward(lengths) {
			group := groups[min(length, longest)]
			delete(groups, min(length, longest))
			for len(group) > 0 {
				s := shape{fitting(length, len(group)), min(length, longest)}
				n := min(s.rows, len(group))
				if !yield(s, group[:n]) {
					return
				}
				group = group[n:]
			}
		}
	}
}

// fitting chooses the number of rows for n sequences of a length: the largest of which they fill at least five eighths, as rows that
// are not needed take as much time as the others.
func fitting(length, n int) int {
	r := 1
	for 2*r <= min(maxRows, maxTokens/length) && 8*n >= 5*2*r {
		r *= 2
	}
	return r
}

// run computes a batch and puts the embeddings where they belong.
func (e *Encoder) run(ctx context.Context, s shape, encs []*tokenizer.Encoding, batch []int, out [][]float32) error {
	p, err := e.program(ctx, s)
	if err != nil {
		return err
	}
	ids, counts := make([]int32, s.rows*s.length), make([]int32, s.rows)
	for r := range counts {
		counts[r] = 1 // a row that is not needed has one token, as the mean of none is a NaN
	}
	for r, i := range batch {
		counts[r] = int32(copy(ids[r*s.length:(r+1)*s.length], encs[i].IDs))
	}
	args, err := e.arguments(s, ids, counts)
	if err != nil {
		return err
	}
	results, err := p.Run(ctx, e.dev, args...)
	if err != nil {
		return err
	}
	defer results[0].Close()
	if err := e.dev.Sync(ctx); err != nil {
		return err
	}
	data, err := results[0].(*device.Tensor[float32]).Slice()
	if err != nil {
		return err
	}
	for r, i := range batch {
		out[i] = slices.Clone(data[r*e.Dim() : (r+1)*e.Dim()])
	}
	return nil
}

func (e *Encoder) arguments(s shape, ids, counts []int32) ([]device.AnyTensor, error) {
	x, err := device.FromSlice(e.dev, ids, s.rows, s.length)
	if err != nil {
		return nil, err
	}
	n, err := device.FromSlice(e.dev, counts, s.rows)
	if err != nil {
		return nil, err
	}
	return append([]device.AnyTensor{x, n}, e.weights...), nil
}

// program gives the program for a shape.
func (e *Encoder) program(ctx context.Context, s shape) (*graph.Program, error) {
	e.mu.Lock()
	p := e.programs[s]
	if p == nil {
		p = &program{}
		e.programs[s] = p
	}
	e.mu.Unlock()
	p.Lock()
	defer p.Unlock()
	if p.Program == nil {
		made, err := compile(ctx, e.dev, e.config, s)
		if err != nil {
			return nil, err
		}
		p.Program = made
	}
	return p.Program, nil
}
