package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/examples/apps/internal/llama"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// chat is a model with its tokenizer and its template.
type chat struct {
	engine    *llama.Engine
	config    llama.Config
	tokenizer *tokenizer.Tokenizer
	template  *template // nil to continue texts
	addBOS    bool      // texts without a template begin with BOS
	room      int       // tokens of a conversation
}

// tokens gives those of a conversation up to the model's answer.
func (c *chat) tokens(messages []message) ([]int32, error) {
	if c.template == nil {
		var text []string
		for _, m := range messages {
			text = append(text, m.Content)
		}
		enc, err := c.tokenizer.Encode(strings.Join(text, "\n"))
		if err != nil {
			return nil, err
		}
		ids := enc.IDs
		if bos := c.config.BOS; bos >= 0 && (len(ids) == 0 || c.addBOS && ids[0] != bos) {
			ids = append([]int32{bos}, ids...)
		}
		return ids, nil
	}
	text, err := c.template.text(messages)
	if err != nil {
		return nil, fmt.Errorf("the chat template: %w", err)
	}
	enc, err := c.tokenizer.Encode(text, tokenizer.WithoutSpecialTokens()) // the template writes them
	if err != nil {
		return nil, err
	}
	return enc.IDs, nil
}

// fit gives the tokens of a conversation that leave room for an answer: the oldest messages, but for that of the system, are left
// out if need be. dropped says how many.
func (c *chat) fit(messages []message, answer int) (ids []int32, kept []message, dropped int, err error) {
	most := c.room - min(answer, max(c.room/4, 1))
	first := 0
	if len(messages) > 0 && messages[0].Role == "system" {
		first = 1
	}
	for {
		if ids, err = c.tokens(messages); err != nil || len(ids) <= most {
			return ids, messages, dropped, err
		}
		if len(messages) <= first+1 {
			return nil, nil, 0, fmt.Errorf("the message has %d tokens with what goes with it, and there is room for %d: write less, or take a larger -context", len(ids), most)
		}
		n := min(2, len(messages)-first-1) // a question and its answer
		messages = append(append([]message(nil), messages[:first]...), messages[first+n:]...)
		dropped += n
	}
}

// result is what is known at the end of an answer.
type result struct {
	reason   llama.Reason
	text     string
	prompted int // tokens of the prompt
	made     int // tokens of the answer
}

// answer makes an answer and passes its text on in parts, each of which is UTF-8. It ends before the first of the stop texts.
func (c *chat) answer(ctx context.Context, r llama.Request, stops []string, pass func(string) error) (result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // leaves the batch
	r.Stop = c.config.EOS
	res := result{prompted: len(r.Prompt)}
	s, err := c.engine.Start(ctx, r)
	if err != nil {
		return res, err
	}
	stream, hold := c.tokenizer.NewStream(true), holder{stops: stops}
	give := func(text string, last bool) error {
		ready := hold.add(text, last)
		res.text += ready
		if ready == "" {
			return nil
		}
		return pass(ready)
	}
	for id, ok := s.Next(); ok; id, ok = s.Next() {
		res.made++
		text, err := stream.Step(id)
		if err == nil {
			err = give(text, false)
		}
		if err != nil {
			return res, err
		}
		if hold.found {
			res.reason = llama.Stopped
			return res, nil
		}
	}
	if res.reason = s.Reason(); s.Err() != nil {
		return res, s.Err()
	}
	text, err := stream.Flush()
	if err == nil {
		err = give(text, true)
	}
	return res, err
}

// holder keeps back text that may be the start of a stop text.
type holder struct {
	stops []string
	kept  string
	found bool
}

// add gives the text that is ready: up to a stop text, or up to what may become one.
func (h *holder) add(text string, last bool) string {
	h.kept += text
	cut := len(h.kept)
	for _, s := range h.stops {
		if i := strings.Index(h.kept, s); i >= 0 && (!h.found || i < cut) {
			cut, h.found = i, true
		}
	}
	if !h.found && !last {
		for _, s := range h.stops {
			for n := min(len(s)-1, len(h.kept)); n > 0; n-- {
				if strings.HasSuffix(h.kept, s[:n]) {
					cut = min(cut, len(h.kept)-n)
					break
				}
			}
		}
	}
	ready := h.kept[:cut]
	h.kept = h.kept[cut:]
	return ready
}
