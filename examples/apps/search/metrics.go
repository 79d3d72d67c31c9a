package main

import (
	"expvar"
	"fmt"
	"net/http"
	"runtime"
	"time"
)

// metrics are counts since the start.
type metrics struct {
	vars                        expvar.Map
	requests, queries, refused  expvar.Int
	failed, found, milliseconds expvar.Int
	reloads                     expvar.Int
}

// init names the counts. They are the server's own: package expvar's are those of the process.
func (m *metrics) init(s *server) {
	for name, v := range map[string]expvar.Var{
		"requests": &m.requests, "queries": &m.queries, "queries_refused": &m.refused, "queries_failed": &m.failed, "results": &m.found,
		"query_milliseconds": &m.milliseconds, "index_reloads": &m.reloads,
		"queue":      expvar.Func(func() any { return len(s.batch.queue) }),
		"passages":   expvar.Func(func() any { return len(s.index.Load().items) }),
		"uptime_s":   expvar.Func(func() any { return int(time.Since(s.started).Seconds()) }),
		"device":     expvar.Func(func() any { return s.dev.Stats() }),
		"heap_bytes": expvar.Func(heap),
	} {
		m.vars.Set(name, v)
	}
}

func (m *metrics) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	fmt.Fprintln(w, m.vars.String())
}

// heap gives the bytes of objects of Go; the memory of tensors is in the device's numbers.
func heap() any {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
