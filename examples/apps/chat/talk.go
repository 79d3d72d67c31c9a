package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/cutile-go/cutile/examples/apps/internal/llama"
)

// request makes the request for a conversation.
func (c *chat) request(ids []int32, o options) llama.Request {
	return llama.Request{Prompt: ids, Max: o.max, Sample: o.choice.options(), Penalty: float32(o.choice.Penalty)}
}

// begin is a conversation with nothing but what the model is told about its part.
func begin(o options) []message {
	if o.system == "" {
		return nil
	}
	return []message{{"system", o.system}}
}

// once answers one question.
func once(ctx context.Context, c *chat, o options, out, messages io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	ids, _, _, err := c.fit(append(begin(o), message{"user", o.prompt}), o.max)
	if err != nil {
		return err
	}
	if c.template == nil {
		fmt.Fprint(out, o.prompt) // which the model continues
	}
	r, err := c.answer(ctx, c.request(ids, o), nil, func(text string) error {
		_, err := io.WriteString(out, text)
		return err
	})
	fmt.Fprintln(out)
	if err == nil && r.reason == llama.Length {
		fmt.Fprintf(messages, "(cut off after %d tokens: -max and -context set how many there may be)\n", r.made)
	}
	return err
}

const help = `/new forgets the conversation, /exit ends the program, and any other line is said to the model.`

// talk reads lines and answers each of them.
func talk(ctx context.Context, c *chat, o options, in io.Reader, out, messages io.Writer) error {
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	if c.template == nil {
		fmt.Fprintln(messages, "the model has no chat template: it continues each line")
	}
	fmt.Fprintln(messages, help)
	said, lines := begin(o), readLines(in)
	for {
		fmt.Fprint(out, "> ")
		var l line
		select {
		case l = <-lines:
		case <-interrupts:
			fmt.Fprintln(out)
			return nil
		case <-ctx.Done():
			return nil
		}
		if l.err != nil {
			if fmt.Fprintln(out); errors.Is(l.err, io.EOF) {
				return nil
			}
			return l.err
		}
		switch text := strings.TrimSpace(l.text); text {
		case "":
		case "/exit":
			return nil
		case "/new":
			said = begin(o)
		case "/help":
			fmt.Fprintln(messages, help)
		default:
			var err error
			if said, err = c.turn(ctx, said, text, o, interrupts, out, messages); err != nil {
				return err
			}
		}
	}
}

// turn answers a line, and gives the conversation with the answer. An interrupt ends the answer, not the conversation.
func (c *chat) turn(ctx context.Context, said []message, text string, o options, interrupts chan os.Signal, out, messages io.Writer) ([]message, error) {
	if c.template == nil {
		said = nil // each line is a text of its own
	}
	ids, kept, dropped, err := c.fit(append(said, message{"user", text}), o.max)
	if err != nil {
		fmt.Fprintln(messages, err) // the user may write less
		return said, nil
	}
	if dropped > 0 {
		fmt.Fprintf(messages, "(the conversation is too long: its %d oldest messages are forgotten)\n", dropped)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	r, err := c.answer(ctx, c.request(ids, o), nil, func(text string) error {
		_, err := io.WriteString(out, text)
		return err
	})
	fmt.Fprintln(out)
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(messages, "(stopped)")
	case err != nil:
		return nil, err
	case r.reason == llama.Length:
		fmt.Fprintf(messages, "(cut off after %d tokens)\n", r.made)
	}
	return append(kept, message{"assistant", r.text}), nil
}

// line is a line of the input, or the reason why there is none.
type line struct {
	text string
	err  error
}

// readLines reads in a goroutine, since a read of a terminal cannot be interrupted.
func readLines(in io.Reader) <-chan line {
	lines := make(chan line)
	go func() {
		s := bufio.NewScanner(in)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			lines <- line{text: s.Text()}
		}
		err := s.Err()
		if err == nil {
			err = io.EOF
		}
		lines <- line{err: err}
	}()
	return lines
}
