package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
)

// The limits of the server. They bound the memory and the time that a request takes, whoever sends it.
const (
	maxQuery   = 1000             // characters of a query
	maxResults = 100              // results of a query
	maxBody    = 16 << 10         // bytes of the body of a request
	maxHeader  = 16 << 10         // bytes of its headers
	perQuery   = 10 * time.Second // from the request to the answer
)

// A server answers queries about an index.
type server struct {
	dev     *cutile.Device
	model   indexer.Model
	path    string // of the index
	index   atomic.Pointer[index]
	batch   *batcher
	started time.Time
	closing atomic.Bool // it shuts down: a balancer should send no more requests
	metrics metrics
}

// newServer makes a server of an index, whose goroutines end with ctx.
func newServer(ctx context.Context, dev *cutile.Device, model indexer.Model, path string) (*server, error) {
	x, err := loadIndex(dev, model, path)
	if err != nil {
		return nil, err
	}
	s := &server{dev: dev, model: model, path: path, started: time.Now()}
	s.batch = newBatcher(ctx, model, s.index.Load)
	s.index.Store(x)
	s.metrics.init(s)
	return s, nil
}

// handler gives the pages of the server.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page())
	mux.HandleFunc("/api/search", s.search)
	mux.HandleFunc("/api/status", s.status)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, apiError{http.StatusNotFound, "not_found", fmt.Sprintf("there is no %s; there are /api/search and /api/status", r.URL.Path)})
	})
	mux.HandleFunc("/healthz", s.health)
	mux.HandleFunc("/debug/vars", s.metrics.serve)
	return s.guard(mux)
}

// guard sets the headers of all answers and counts requests.
func (s *server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.metrics.requests.Add(1)
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "+
			"base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}

// health says whether the server takes requests.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	if s.closing.Load() {
		http.Error(w, "shutting down", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}
