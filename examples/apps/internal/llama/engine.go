package llama

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/sample"
)

// ErrBusy is the error of a request that does not fit the queue.
var ErrBusy = errors.New("too many requests wait already")

// ErrClosed is the error of requests to an engine that is closed.
var ErrClosed = errors.New("the engine is closed")

// TooLongError says that a prompt leaves no room for an answer.
type TooLongError struct{ Prompt, Room int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the prompt has %d tokens, and there is room for %d with the answer", e.Prompt, e.Room)
}

// Request asks for the continuation of a text.
type Request struct {
	Prompt  []int32
	Max     int            // tokens to make at most; 0 for as many as there is room for
	Stop    []int32        // tokens that end the text; they are not part of it
	Sample  sample.Options // the field Step is set by the engine
	Penalty float32        // divides the logits of tokens that are in the text already; 0 and 1 do nothing
}

// Engine computes texts for many users: those that are ready are decoded in one batch, which texts join and leave at any time.
// Its methods may be called from several goroutines. A text does not depend on the other ones in the batch.
type Engine struct {
	model Model
	drawn *cutile.Tensor[int32]
	queue chan *Stream
	stop  context.CancelFunc
	done  chan struct{}

	mu     sync.Mutex // for closed and err
	closed bool
	err    error

	// What follows is for the goroutine of loop alone. The text i is in slot i.
	active  []*Stream
	joining *Stream   // whose prompt is being processed, in the slot behind those of active
	kept    [][]int32 // for each slot the tokens of which the cache has keys and values, also of texts that have ended
}

// NewEngine starts an engine with a queue for some requests beside those that are being decoded. Close ends it.
func NewEngine(dev *cutile.Device, m Model, queue int) (*Engine, error) {
	drawn, err := cutile.NewTensor[int32](dev, m.Options().Slots)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	e := &Engine{model: m, drawn: drawn, queue: make(chan *Stream, max(queue, 1)), stop: stop, done: make(chan struct{}),
		kept: make([][]int32, m.Options().Slots)}
	go e.loop(ctx)
	return e, nil
}

// Close ends all texts and the engine.
func (e *Engine) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.stop()
	<-e.done
}

// Start queues a request. The text ends when ctx does. The error is ErrBusy if the queue is full, and TooLongError if there is
// no room for the text.
func (e *Engine) Start(ctx context.Context, r Request) (*Stream, error) {
	room := e.model.Options().Room
	if len(r.Prompt) == 0 {
		return nil, errors.New("the prompt has no tokens")
	}
	if len(r.Prompt) >= room {
		return nil, &TooLongError{len(r.Prompt), room}
	}
	for i, id := range r.Prompt {
		if id < 0 || int(id) >= e.model.Config().Vocab {
			return nil, fmt.Errorf("token %d of the prompt is %d: the model has %d tokens, so the tokenizer is not the model's", i, id, e.model.Config().Vocab)
		}
	}
	if left := room - len(r.Prompt); r.Max <= 0 || r.Max > left {
		r.Max = left
	}
	s := &Stream{ctx: ctx, request: r, tokens: make(chan int32, r.Max)}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return nil, e.err
	}
	if e.closed {
		return nil, ErrClosed
	}
	select {
	case e.queue <- s:
		return s, nil
	default:
		return nil, ErrBusy
	}
}

// Reason says why a text ended.
type Reason string

// The reasons.
const (
	Stopped Reason = "stop"   // the model ended the text
	Length  Reason = "length" // there were as many tokens as were asked for, or as there is room for
)

// Stream is a text that is being made. It is for one goroutine.
type Stream struct {
	ctx     context.Context
	request Request
	tokens  chan int32 // has room for all, so that the engine never waits
	made    int
	last    int32
	seen    map[int32]bool // with a penalty
	reason  Reason
	err     error // reason and err are set before tokens is closed
}

// Next waits for the next token. ok is false at the end: then Err and Reason tell why.
func (s *Stream) Next() (id int32, ok bool) {
	id, ok = <-s.tokens
	return id, ok
}

// Err is why the text ended before its time, such as that the context did; nil at its proper end. It is set after the last token.
func (s *Stream) Err() error { return s.err }

// Reason is why the text ended. It is set after the last token.
func (s *Stream) Reason() Reason { return s.reason }

// end closes the stream.
func (s *Stream) end(reason Reason, err error) {
	s.reason, s.err = reason, err
	close(s.tokens)
}
