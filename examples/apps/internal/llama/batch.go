package llama

import (
	"context"
	"maps"
	"slices"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/sample"
)

// loop serves requests until ctx ends or the device fails.
func (e *Engine) loop(ctx context.Context) {
	defer close(e.done)
	err := ErrClosed
	for ctx.Err() == nil {
		if e.joining == nil && len(e.active) < len(e.kept) {
			e.admit(ctx)
		}
		if failed := e.step(ctx); failed != nil && ctx.Err() == nil {
			err = failed
			break
		}
	}
	e.mu.Lock()
	e.closed, e.err = true, err
	e.mu.Unlock() // from here on nobody queues
	if e.joining != nil {
		e.active = append(e.active, e.joining)
	}
	for len(e.queue) > 0 {
		e.active = append(e.active, <-e.queue)
	}
	for _, s := range e.active {
		s.end("", err)
	}
}

// admit takes a request from the queue. It waits for one if there is nothing else to do.
func (e *Engine) admit(ctx context.Context) {
	if len(e.active) > 0 {
		select {
		case e.joining = <-e.queue:
		default:
		}
	} else {
		select {
		case e.joining = <-e.queue:
		case <-ctx.Done():
		}
	}
	if s := e.joining; s != nil {
		slot := len(e.active)
		e.kept[slot] = e.kept[slot][:common(e.kept[slot], s.request.Prompt)]
		if p := s.request.Penalty; p > 0 && p != 1 {
			s.seen = map[int32]bool{}
			for _, id := range s.request.Prompt {
				s.seen[id] = true
			}
		}
	}
}

// common is how many tokens of a cache serve a prompt: those at the start of both, but not the last one of the prompt, whose logits
// are wanted.
func common(kept, prompt []int32) int {
	n := 0
	for n < len(kept) && n < len(prompt)-1 && kept[n] == prompt[n] {
		n++
	}
	return n
}

// step processes a part of the prompt that joins, and one token of each text of the batch.
func (e *Engine) step(ctx context.Context) error {
	if e.joining != nil {
		if err := e.join(ctx); err != nil {
			return err
		}
	}
	for i := len(e.active) - 1; i >= 0; i-- {
		if err := e.active[i].ctx.Err(); err != nil {
			if err := e.leave(ctx, i, "", context.Cause(e.active[i].ctx)); err != nil {
				return err
			}
		}
	}
	if len(e.active) == 0 {
		return nil
	}
	tokens, positions := make([]int32, len(e.active)), make([]int32, len(e.active))
	for i, s := range e.active {
		tokens[i], positions[i] = s.last, int32(len(e.kept[i]))
	}
	logits, err := e.model.Decode(ctx, tokens, positions)
	if err != nil {
		return err
	}
	for i, id := range tokens {
		e.kept[i] = append(e.kept[i], id)
	}
	return e.draw(ctx, logits, 0)
}

// join processes a part of the joining prompt. With the last part the text becomes one of the batch.
func (e *Engine) join(ctx context.Context) error {
	s, slot := e.joining, len(e.active)
	if s.ctx.Err() != nil {
		e.joining = nil
		s.end("", context.Cause(s.ctx))
		return nil
	}
	from := len(e.kept[slot])
	part := s.request.Prompt[from:min(from+e.model.Options().Chunk, len(s.request.Prompt))]
	logits, err := e.model.Prefill(ctx, slot, from, part)
	if err != nil {
		return err
	}
	e.kept[slot] = append(e.kept[slot], part...)
	if len(e.kept[slot]) < len(s.request.Prompt) {
		return nil
	}
	e.joining = nil
	e.active = append(e.active, s)
	return e.draw(ctx, logits, slot)
}

// draw draws the next tokens of the texts from slot on from their logits and passes them on.
func (e *Engine) draw(ctx context.Context, logits *cutile.Tensor[float32], slot int) error {
	texts := e.active[slot:]
	drawn := e.drawn.Narrow(0, 0, len(texts))
	greedy := func(s *Stream) bool { return s.seen == nil && s.request.Sample.Temperature == 0 }
	if !slices.ContainsFunc(texts, func(s *Stream) bool { return !greedy(s) }) {
		if err := sample.Run(ctx, logits.Device(), logits, drawn, sample.Options{}); err != nil {
			return err
		}
	} else {
		for i, s := range texts { // each has options of its own, and random numbers that do not depend on its row
			row := logits.Narrow(0, i, i+1)
			if s.seen != nil {
				if err := Discourage(ctx, row, slices.Sorted(maps.Keys(s.seen)), s.request.Penalty); err != nil {
					return err
				}
			}
			o := s.request.Sample
			o.Step = s.made
			if err := sample.Run(ctx, logits.Device(), row, drawn.Narrow(0, i, i+1), o); err != nil {
				return err
			}
		}
	}
	ids := make([]int32, len(texts))
	if err := drawn.Read(ctx, ids); err != nil {
		return err
	}
	for i := len(ids) - 1; i >= 0; i-- {
		if err := e.pass(ctx, slot+i, ids[i]); err != nil {
			return err
		}
	}
	return nil
}

// pass gives a token to the text in a slot, which may end by it.
func (e *Engine) pass(ctx context.Context, slot int, id int32) error {
	s := e.active[slot]
	if slices.Contains(s.request.Stop, id) {
		return e.leave(ctx, slot, Stopped, nil)
	}
	s.tokens <- id
	s.last = id
	s.made++
	if s.seen != nil {
		s.seen[id] = true
	}
	if s.made == s.request.Max {
		return e.leave(ctx, slot, Length, nil)
	}
	return nil
}

// leave ends the text in a slot. The last text of the batch moves there, and a joining one to the slot of that.
func (e *Engine) leave(ctx context.Context, slot int, reason Reason, failed error) error {
	e.active[slot].end(reason, failed)
	last := len(e.active) - 1
	e.active[slot] = e.active[last]
	e.active = e.active[:last]
	if err := e.move(ctx, last, slot); err != nil || e.joining == nil {
		return err
	}
	return e.move(ctx, last+1, last)
}

// move copies what a slot has to another one.
func (e *Engine) move(ctx context.Context, from, to int) error {
	if from == to {
		return nil
	}
	e.kept[to] = append(e.kept[to][:0], e.kept[from]...)
	return e.model.Move(ctx, from, to, len(e.kept[from]))
}
