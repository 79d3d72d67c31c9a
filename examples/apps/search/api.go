package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// An apiError is an error of a request, as the answer has it.
type apiError struct {
	Status  int    `json:"status"`
	Code    string `json:"code"` // for programs
	Message string `json:"message"`
}

func (e apiError) Error() string { return e.Message }

// bad is an error in a request.
func bad(code, format string, args ...any) error {
	return apiError{http.StatusBadRequest, code, fmt.Sprintf(format, args...)}
}

// A request is what /api/search takes: as parameters q and k of a GET, or as the JSON of a POST.
type request struct {
	Query string `json:"query"`
	K     *int   `json:"k"`
}

// An answer is what /api/search gives.
type answer struct {
	Query    string   `json:"query"`
	Passages int      `json:"passages"` // that were compared
	TookMS   float64  `json:"took_ms"`
	Results  []result `json:"results"`
}

// search serves /api/search.
func (s *server) search(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	s.metrics.queries.Add(1)
	query, k, err := parseRequest(r)
	if err != nil {
		s.fail(w, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), perQuery)
	defer cancel()
	found, err := s.batch.search(ctx, query, k)
	if err != nil {
		s.fail(w, err)
		return
	}
	took := time.Since(start)
	s.metrics.found.Add(int64(len(found.results)))
	s.metrics.milliseconds.Add(took.Milliseconds())
	reply(w, http.StatusOK, answer{query, found.passages, float64(took.Microseconds()) / 1000, found.results})
}

// parseRequest reads the query and the number of results of a request, and checks both.
func parseRequest(r *http.Request) (query string, k int, err error) {
	var q request
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		q, err = fromParameters(r)
	case http.MethodPost:
		q, err = fromJSON(r)
	default:
		err = apiError{http.StatusMethodNotAllowed, "method", fmt.Sprintf("the method %s is not allowed, only GET and POST", r.Method)}
	}
	if err != nil {
		return "", 0, err
	}
	k = 10
	if q.K != nil {
		k = *q.K
	}
	query = strings.TrimSpace(q.Query)
	switch n := utf8.RuneCountInString(query); {
	case query == "":
		return "", 0, bad("no_query", "there is no query: give one as the parameter q, or as \"query\" in JSON")
	case !utf8.ValidString(query):
		return "", 0, bad("not_utf8", "the query is not UTF-8")
	case n > maxQuery:
		return "", 0, bad("query_too_long", "the query has %d characters, at most %d are allowed", n, maxQuery)
	case k < 1 || k > maxResults:
		return "", 0, bad("bad_k", "k is %d, but must be from 1 to %d", k, maxResults)
	}
	return query, k, nil
}

func fromParameters(r *http.Request) (q request, err error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return q, bad("bad_parameters", "the parameters cannot be read: %v", err)
	}
	for name, v := range values {
		switch {
		case len(v) > 1:
			return q, bad("bad_parameters", "there are %d parameters %s", len(v), name)
		case name == "q":
			q.Query = v[0]
		case name == "k":
			k, err := strconv.Atoi(v[0])
			if err != nil {
				return q, bad("bad_k", "k is %.40q, but must be a number from 1 to %d", v[0], maxResults)
			}
			q.K = &k
		default:
			return q, bad("bad_parameters", "there is no parameter %.40q, only q and k", name)
		}
	}
	return q, nil
}

func fromJSON(r *http.Request) (q request, err error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return q, apiError{http.StatusUnsupportedMediaType, "not_json", fmt.Sprintf("the Content-Type is %.80q, but must be application/json", r.Header.Get("Content-Type"))}
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err = d.Decode(&q)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("there is more behind the object")
		} else if err == io.EOF {
			return q, nil
		}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return q, apiError{http.StatusRequestEntityTooLarge, "body_too_large", fmt.Sprintf("the body has more than %d bytes", maxBody)}
	}
	return q, bad("bad_json", `the body is not such as {"query": "why is the sky blue?", "k": 10}: %s`, mistake(err))
}

// mistake says what is wrong with a body, in words of JSON instead of Go's types.
func mistake(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("it is no JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("it is of the type %s, expected an object", kind.Value)
	case errors.As(err, &kind):
		return fmt.Sprintf("%q is of the type %.40s, expected %s", kind.Field, kind.Value, map[string]string{"query": "a string", "k": "a whole number"}[kind.Field])
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends within the object"
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown { // which has no type
		return fmt.Sprintf("there is no field %.40s, only \"query\" and \"k\"", name)
	}
	return err.Error()
}

// A status is what /api/status gives.
type status struct {
	Folder   string    `json:"folder"`
	Files    int       `json:"files"`
	Passages int       `json:"passages"`
	Model    string    `json:"model"`
	Dim      int       `json:"dim"`
	Device   string    `json:"device"`
	Changed  time.Time `json:"changed"` // the file of the index
	UptimeS  float64   `json:"uptime_s"`
}

func (s *server) status(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		s.fail(w, apiError{http.StatusMethodNotAllowed, "method", fmt.Sprintf("the method %s is not allowed, only GET", r.Method)})
		return
	}
	x := s.index.Load()
	reply(w, http.StatusOK, status{x.head.Folder, x.files, len(x.items), x.head.Model, x.head.Dim, s.dev.Name(), x.changed, time.Since(s.started).Seconds()})
}

// fail answers with an error.
func (s *server) fail(w http.ResponseWriter, err error) {
	var e apiError
	switch {
	case errors.As(err, &e):
	case errors.Is(err, errBusy):
		e = apiError{http.StatusServiceUnavailable, "busy", err.Error() + ": try again in a second"}
		w.Header().Set("Retry-After", "1")
		s.metrics.refused.Add(1)
	case errors.Is(err, context.DeadlineExceeded):
		e = apiError{http.StatusServiceUnavailable, "timeout", fmt.Sprintf("the query took more than %v", perQuery)}
		s.metrics.refused.Add(1)
	case errors.Is(err, context.Canceled): // whoever asked has gone: nobody reads this
		e = apiError{499, "cancelled", "the request was cancelled"}
	default:
		e = apiError{http.StatusInternalServerError, "internal", err.Error()}
		s.metrics.failed.Add(1)
	}
	if e.Status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, HEAD, POST")
	}
	reply(w, e.Status, map[string]apiError{"error": e})
}

// reply writes JSON.
func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(v) // an error is one of the connection
}
