package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/cutile-go/cutile/examples/apps/internal/loopback"
)

// serve is the command serve. It returns when ctx has ended and the requests that were running have been answered.
func (p *program) serve(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:8080", "where to listen; port 0 takes a free one")
	rest, err := parse(flags, args, p.out, "search serve serves a web page and an API.\n")
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return misuse("%q is no flag of serve", rest[0])
	}
	dev, model, err := p.open()
	if err != nil {
		return err
	}
	defer dev.Close()
	working, stop := context.WithCancel(context.WithoutCancel(ctx)) // requests are answered to the end
	defer stop()
	s, err := newServer(working, dev, model, p.index)
	if err != nil {
		return err
	}
	if err := s.warm(ctx); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "http://%s searches %d passages of %s on %s\n", listener.Addr(), len(s.index.Load().items), s.index.Load().head.Folder, dev.Name())
	go s.watch(working, 2*time.Second, func(err error) { fmt.Fprintln(p.err, "search:", err) })
	return s.listen(ctx, listener, 15*time.Second)
}

// warm compiles what queries need before the first one comes, for as many words as they have, alone and together.
func (s *server) warm(ctx context.Context) error {
	for _, words := range []int{10, 18, 26} {
		for n := 1; n <= maxBatch; n *= 2 {
			queries := slices.Repeat([]string{strings.Repeat("light ", words)}, n)
			vectors, err := s.model.Encode(ctx, queries)
			if err != nil {
				return err
			}
			if _, err := s.index.Load().nearest(ctx, vectors, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// listen answers requests until ctx ends, and then for at most so long those that are running.
func (s *server) listen(ctx context.Context, listener net.Listener, rest time.Duration) error {
	h := &http.Server{Handler: loopback.Guard(s.handler(), listener.Addr()), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: maxHeader}
	done := make(chan error, 1)
	go func() { done <- h.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	s.closing.Store(true)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), rest)
	defer cancel()
	if err := h.Shutdown(end); err != nil {
		h.Close()
		return fmt.Errorf("requests were still running after %v: %w", rest, err)
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// watch loads the index anew when its file has changed, for as long as ctx lasts. While another process writes it, the old one
// stays.
func (s *server) watch(ctx context.Context, every time.Duration, report func(error)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		info, err := os.Stat(s.path)
		if err == nil && info.ModTime().Equal(s.index.Load().changed) {
			continue
		}
		var x *index
		if err == nil {
			x, err = loadIndex(s.dev, s.model, s.path)
		}
		if err == nil {
			s.index.Store(x) // the old one is freed when no query uses it any more
			s.metrics.reloads.Add(1)
			last = ""
		} else if last != err.Error() {
			last = err.Error()
			report(fmt.Errorf("the index has changed, but cannot be loaded: %w", err))
		}
	}
}
