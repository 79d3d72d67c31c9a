package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile/examples/apps/internal/llama"
	"github.com/cutile-go/cutile/examples/apps/internal/loopback"
)

// server answers requests over HTTP.
type server struct {
	chat    *chat
	options options
	name    string // of the model
	started time.Time
	count   atomic.Int64
	log     *log.Logger
}

// serve serves until it is interrupted or ctx ends.
func serve(ctx context.Context, c *chat, o options, messages io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(messages, "serving at http://%s/v1/chat/completions; an interrupt ends it\n", listener.Addr())
	return newServer(c, o, messages).run(ctx, listener)
}

func newServer(c *chat, o options, messages io.Writer) *server {
	return &server{chat: c, options: o, name: filepath.Base(filepath.Clean(o.model)), started: time.Now(), log: log.New(messages, "chat: ", 0)}
}

// run serves at a listener until ctx ends. Then requests may go on for a while, and those that do not end are cancelled.
func (s *server) run(ctx context.Context, listener net.Listener) error {
	h := &http.Server{Handler: loopback.Guard(s.handler(), listener.Addr()), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 1 << 16, ErrorLog: s.log}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), s.options.grace)
	defer cancel()
	err := h.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		s.log.Printf("requests were cancelled that took longer than %v", s.options.grace)
		err = h.Close()
	}
	return err
}

func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	only := func(method string, f func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.Method != method && !(method == http.MethodGet && r.Method == http.MethodHead) {
				w.Header().Set("Allow", method)
				fail(w, &problem{http.StatusMethodNotAllowed, "invalid_request_error", fmt.Sprintf("%s takes %s, not %s", r.URL.Path, method, r.Method)})
				return
			}
			if err := f(w, r); err != nil {
				fail(w, err)
			}
		}
	}
	mux.HandleFunc("/v1/chat/completions", only(http.MethodPost, s.complete))
	mux.HandleFunc("/v1/models", only(http.MethodGet, s.models))
	mux.HandleFunc("/health", only(http.MethodGet, func(w http.ResponseWriter, _ *http.Request) error {
		write(w, http.StatusOK, map[string]string{"status": "ok"})
		return nil
	}))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, &problem{http.StatusNotFound, "invalid_request_error", fmt.Sprintf("there is no %q: there are /v1/chat/completions, /v1/models and /health", r.URL.Path)})
	})
	return mux
}

// write writes a value as JSON. A client that is gone does not get it, which is no error of the server.
func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

// fail writes an error in the form of OpenAI's interface.
func fail(w http.ResponseWriter, err error) {
	p := &problem{http.StatusInternalServerError, "server_error", err.Error()}
	var large *http.MaxBytesError
	var long *llama.TooLongError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &large):
		p = &problem{http.StatusRequestEntityTooLarge, "invalid_request_error", fmt.Sprintf("the body has more than %d bytes", maxBody)}
	case errors.As(err, &long):
		p = &problem{http.StatusBadRequest, "invalid_request_error", err.Error()}
	case errors.Is(err, llama.ErrBusy):
		w.Header().Set("Retry-After", "1")
		p = &problem{http.StatusTooManyRequests, "rate_limit_error", err.Error()}
	case errors.Is(err, llama.ErrClosed):
		p = &problem{http.StatusServiceUnavailable, "server_error", "the server is stopping"}
	case errors.Is(err, context.DeadlineExceeded):
		p = &problem{http.StatusGatewayTimeout, "server_error", "the request took too long"}
	}
	write(w, p.status, failure(p))
}

func failure(p *problem) any {
	return map[string]any{"error": map[string]any{"message": p.text, "type": p.kind, "param": nil, "code": nil}}
}

func (s *server) models(w http.ResponseWriter, _ *http.Request) error {
	write(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
		map[string]any{"id": s.name, "object": "model", "created": s.started.Unix(), "owned_by": "local"}}})
	return nil
}

// complete answers a conversation. The answer leaves the batch when the client goes.
func (s *server) complete(w http.ResponseWriter, r *http.Request) error {
	in, err := readCompletion(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	messages, err := in.conversation()
	if err != nil {
		return err
	}
	choice, err := in.choice(s.options.choice)
	if err != nil {
		return err
	}
	ids, err := s.chat.tokens(messages)
	if err != nil {
		return wrong("%v", err)
	}
	o := s.options
	o.max, o.choice = in.limit(o.max), choice
	ctx, cancel := context.WithTimeout(r.Context(), o.limit)
	defer cancel()
	base := reply{ID: fmt.Sprintf("chatcmpl-%d", s.count.Add(1)), Created: time.Now().Unix(), Model: s.name}
	if in.Stream {
		return s.stream(ctx, w, s.chat.request(ids, o), in, base)
	}
	res, err := s.chat.answer(ctx, s.chat.request(ids, o), in.Stop, func(string) error { return nil })
	if err != nil {
		return err
	}
	base.Object, base.Usage = "chat.completion", res.usage()
	base.Choices = []option{{Message: &message{"assistant", res.text}, Finish: &res.reason}}
	write(w, http.StatusOK, base)
	return nil
}

// maxWait is how long a client may take to receive a part of a stream.
const maxWait = 30 * time.Second

// stream answers with server-sent events. What fails before the first token has a status of its own.
func (s *server) stream(ctx context.Context, w http.ResponseWriter, r llama.Request, in *completion, base reply) error {
	base.Object = "chat.completion.chunk"
	control := http.NewResponseController(w)
	begun := false
	event := func(value any) error {
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		control.SetWriteDeadline(time.Now().Add(maxWait))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
			return err
		}
		return control.Flush()
	}
	part := func(o option) error {
		base.Choices = []option{o}
		return event(base)
	}
	begin := func() error {
		if begun {
			return nil
		}
		begun = true
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache")
		return part(option{Delta: &delta{Role: "assistant"}})
	}
	res, err := s.chat.answer(ctx, r, in.Stop, func(text string) error {
		if err := begin(); err != nil {
			return err
		}
		return part(option{Delta: &delta{Content: text}})
	})
	if err != nil {
		if !begun {
			return err
		}
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) { // else the client is gone
			event(failure(&problem{kind: "server_error", text: err.Error()}))
		}
		return nil
	}
	if err := begin(); err != nil {
		return nil // the client is gone
	}
	if err := part(option{Delta: &delta{}, Finish: &res.reason}); err != nil {
		return nil
	}
	if in.Options.Usage {
		base.Choices, base.Usage = []option{}, res.usage()
		event(base)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
	control.Flush()
	control.SetWriteDeadline(time.Time{}) // the connection may have further requests
	return nil
}
