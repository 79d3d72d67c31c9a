package main

import (
	"context"
	"io/fs"
	"strings"

	"github.com/cutile-go/cutile/examples/apps/internal/llama"
	"github.com/cutile-go/cutile/kernels/sample"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// memory is a llama.Source of the parameters as they are now.
type memory struct {
	all []parameter
	x   []float32
}

func (m *memory) find(name string) (parameter, error) {
	for _, p := range m.all {
		if p.name == name {
			return p, nil
		}
	}
	return parameter{}, fs.ErrNotExist
}

// Shape implements llama.Source.
func (m *memory) Shape(name string) ([]int, error) {
	p, err := m.find(name)
	if err != nil || p.deviation == 0 {
		return []int{p.cols}, err
	}
	return []int{p.rows, p.cols}, nil
}

// Floats implements llama.Source.
func (m *memory) Floats(name string) ([]float32, error) {
	p, err := m.find(name)
	return m.x[p.from : p.from+p.rows*p.cols : p.from+p.rows*p.cols], err
}

// Close implements llama.Source.
func (m *memory) Close() error { return nil }

// text continues the plan's prompt with the parameters as they are now, by the decoder that also runs in chat.
func (t *trainer) text(ctx context.Context, tok *tokenizer.Tokenizer, tokens int) (string, error) {
	x, err := t.p.all.Slice()
	if err != nil {
		return "", err
	}
	all, _, _ := t.shape.layout()
	model, err := llama.New(ctx, t.dev, t.shape.config(), &memory{all, x}, llama.Options{Format: llama.F32, Slots: 1})
	if err != nil {
		return "", err
	}
	defer model.Close()
	prompt, err := tok.Encode(t.plan.Prompt)
	if err != nil {
		return "", err
	}
	engine, err := llama.NewEngine(t.dev, model, 1)
	if err != nil {
		return "", err
	}
	defer engine.Close()
	s, err := engine.Start(ctx, llama.Request{Prompt: prompt.IDs, Max: tokens, Stop: t.shape.config().EOS,
		Sample: sample.Options{Temperature: 0.8, TopP: 0.95, Seed: int(t.plan.Seed & 0x7fffffff)}})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(t.plan.Prompt)
	stream := tok.NewStream(true)
	for id, ok := s.Next(); ok; id, ok = s.Next() {
		part, err := stream.Step(id)
		if err != nil {
			return "", err
		}
		b.WriteString(part)
	}
	part, err := stream.Flush()
	b.WriteString(part)
	if err == nil {
		err = s.Err()
	}
	return b.String(), err
}
