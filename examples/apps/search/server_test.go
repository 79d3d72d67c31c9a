package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

// A bag is a model for tests: the embedding of a text is the sum of random vectors of its words, so that texts with the same words
// are close.
type bag struct {
	block chan struct{} // where it is not nil, Encode waits for it
	fail  error
}

func (bag) Identity() string                { return "bag of words" }
func (bag) Dim() int                        { return 64 }
func (bag) Tokens(text string) (int, error) { return len(strings.Fields(text)), nil }

var wordPattern = regexp.MustCompile(`\pL+`)

func (b bag) Encode(ctx context.Context, texts []string) ([][]float32, error) {
	if b.block != nil {
		select {
		case <-b.block:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v, sum := make([]float32, b.Dim()), 1e-9
		for _, word := range wordPattern.FindAllString(strings.ToLower(text), -1) {
			for j := range v {
				h := fnv.New32a()
				fmt.Fprint(h, word, j)
				v[j] += float32(h.Sum32())/math.MaxUint32 - 0.5
			}
		}
		for _, x := range v {
			sum += float64(x * x)
		}
		for j := range v {
			v[j] /= float32(math.Sqrt(sum))
		}
		out[i] = v
	}
	return out, b.fail
}

// A silent progress.
type silent struct{}

func (silent) Start(int64)            {}
func (silent) Embedded(int, int64)    {}
func (silent) Skipped(string, string) {}

// build makes an index of files with a model.
func build(t testing.TB, model indexer.Model, files fs.FS, path string) {
	t.Helper()
	s, err := store.Create(path, store.Head{Model: model.Identity(), Dim: model.Dim(), Folder: "texts"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := indexer.Update(t.Context(), model, files, s, silent{}); err != nil {
		t.Fatal(err)
	}
}

var texts = fstest.MapFS{
	"animals.md": {Data: []byte("# Cats\nA cat sleeps on the warm stove.\n# Dogs\nA dog barks at the postman.")},
	"sky.txt":    {Data: []byte("The sky is blue because air scatters short waves.")},
}

// testServer makes a server of an index of texts, with a model of tests.
func testServer(t testing.TB, model indexer.Model) *server {
	t.Helper()
	t.Setenv("CUTILE_CHECKS", "off")
	path := filepath.Join(t.TempDir(), "index.db")
	build(t, bag{}, texts, path)
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	s, err := newServer(t.Context(), dev, model, path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAPI sends requests, good and bad, and compares the codes and parts of the answers.
func TestAPI(t *testing.T) {
	h := testServer(t, bag{}).handler()
	const search, asJSON = "/api/search", "application/json"
	for _, c := range []struct {
		name, method, path, kind, body string
		code                           int
		want                           string // a part of the body
	}{
		{"found", "GET", search + "?q=a+sleeping+cat+sleeps&k=1", "", "", 200, `"path":"animals.md","line":2,"heading":"Cats","text":"A cat sleeps on the warm stove."`},
		{"all", "GET", search + "?q=the+blue+sky", "", "", 200, `"passages":3`},
		{"posted", "POST", search, asJSON, `{"query": "dog barks", "k": 1}`, 200, `"heading":"Dogs"`},
		{"posted with a character set", "POST", search, asJSON + "; charset=utf-8", `{"query": "dog"}`, 200, `"results":[`},
		{"longest", "GET", search + "?q=" + strings.Repeat("%C3%A9", maxQuery), "", "", 200, `"results":[`},
		{"more than there are", "GET", search + "?q=x&k=100", "", "", 200, `"results":[`},
		{"only the head", "HEAD", search + "?q=x", "", "", 200, ""},
		{"no query", "GET", search, "", "", 400, `"code":"no_query"`},
		{"blank", "GET", search + "?q=+%09", "", "", 400, `"code":"no_query"`},
		{"too long", "GET", search + "?q=" + strings.Repeat("a", maxQuery+1), "", "", 400, `the query has 1001 characters, at most 1000 are allowed`},
		{"not UTF-8", "GET", search + "?q=%ff", "", "", 400, `"code":"not_utf8"`},
		{"k too small", "GET", search + "?q=x&k=0", "", "", 400, `k is 0, but must be from 1 to 100`},
		{"k too large", "GET", search + "?q=x&k=101", "", "", 400, `"code":"bad_k"`},
		{"k no number", "GET", search + "?q=x&k=ten", "", "", 400, `k is \"ten\", but must be a number`},
		{"k overflows", "GET", search + "?q=x&k=99999999999999999999", "", "", 400, `"code":"bad_k"`},
		{"two queries", "GET", search + "?q=x&q=y", "", "", 400, `there are 2 parameters q`},
		{"unknown parameter", "GET", search + "?q=x&limit=5", "", "", 400, `there is no parameter \"limit\", only q and k`},
		{"bad escape", "GET", search + "?q=%zz", "", "", 400, `"code":"bad_parameters"`},
		{"semicolon", "GET", search + "?q=x;k=1", "", "", 400, `"code":"bad_parameters"`},
		{"no JSON", "POST", search, asJSON, `hello`, 400, `: it is no JSON at byte 1"`},
		{"empty body", "POST", search, asJSON, ``, 400, `: it is empty"`},
		{"cut", "POST", search, asJSON, `{"query": "x`, 400, `: it ends within the object"`},
		{"an array", "POST", search, asJSON, `[]`, 400, `: it is of the type array, expected an object"`},
		{"unknown field", "POST", search, asJSON, `{"query": "x", "top": 3}`, 400, `: there is no field \"top\", only \"query\" and \"k\""`},
		{"k is text", "POST", search, asJSON, `{"query": "x", "k": "3"}`, 400, `: \"k\" is of the type string, expected a whole number"`},
		{"k is a fraction", "POST", search, asJSON, `{"query": "x", "k": 1.5}`, 400, `: \"k\" is of the type number 1.5, expected a whole number"`},
		{"the query is a number", "POST", search, asJSON, `{"query": 3}`, 400, `: \"query\" is of the type number, expected a string"`},
		{"more behind", "POST", search, asJSON, `{"query": "x"} {}`, 400, `there is more behind the object`},
		{"no query in JSON", "POST", search, asJSON, `{"k": 3}`, 400, `"code":"no_query"`},
		{"a form", "POST", search, "application/x-www-form-urlencoded", `q=x`, 415, `must be application/json`},
		{"large body", "POST", search, asJSON, `{"query": "` + strings.Repeat("a", maxBody) + `"}`, 413, `"code":"body_too_large"`},
		{"deleted", "DELETE", search + "?q=x", "", "", 405, `the method DELETE is not allowed`},
		{"status", "GET", "/api/status", "", "", 200, `"files":2,"passages":3`},
		{"status posted", "POST", "/api/status", "", "", 405, `"code":"method"`},
		{"unknown", "GET", "/api/nothing", "", "", 404, `there is no /api/nothing`},
		{"health", "GET", "/healthz", "", "", 200, "ok"},
		{"metrics", "GET", "/debug/vars", "", "", 200, `"queries"`},
		{"page", "GET", "/", "", "", 200, `<title>Search by meaning</title>`},
		{"script", "GET", "/app.js", "", "", 200, `api/search`},
		{"page posted", "POST", "/", "", "", 405, "only GET"},
		{"no file", "GET", "/secret", "", "", 404, "not found"},
		{"outside", "GET", "/../server.go", "", "", 307, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			if c.kind != "" {
				r.Header.Set("Content-Type", c.kind)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%d %s, want %d %s", w.Code, w.Body, c.code, c.want)
			}
			if strings.HasPrefix(c.path, "/api/") && c.method != "HEAD" && !json.Valid(w.Body.Bytes()) {
				t.Errorf("%s is no JSON", w.Body)
			}
			if w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", w.Header())
			}
		})
	}
}

// TestBusy fills the queue: what does not fit is refused at once, and the rest is answered when the model goes on.
func TestBusy(t *testing.T) {
	block := make(chan struct{})
	s := testServer(t, bag{block: block})
	h := s.handler()
	codes := make(chan int)
	const all = 3 * (maxQueue + maxBatch)
	for i := range all {
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", fmt.Sprintf("/api/search?q=query%d", i), nil))
			if w.Code == 503 && (w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), `"code":"busy"`)) {
				t.Errorf("%v %s", w.Header(), w.Body)
			}
			codes <- w.Code
		}()
	}
	for range all - maxQueue - maxBatch { // as many do not fit, whatever the order
		if code := <-codes; code != 503 {
			t.Errorf("code %d, want 503", code)
		}
	}
	close(block)
	counts := map[int]int{}
	for range maxQueue + maxBatch {
		counts[<-codes]++
	}
	if counts[200] < maxQueue || counts[200]+counts[503] != maxQueue+maxBatch {
		t.Errorf("answers %v, want at least %d", counts, maxQueue)
	}
}

// TestModelFails checks that an error of the model is the answer to the queries that needed it, and only to those.
func TestModelFails(t *testing.T) {
	s := testServer(t, bag{fail: fmt.Errorf("the device is gone")})
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, httptest.NewRequest("GET", "/api/search?q=x", nil))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "the device is gone") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if s.metrics.failed.Value() != 1 {
		t.Errorf("%d failures are counted", s.metrics.failed.Value())
	}
}

// TestConcurrent asks from many goroutines while the index is replaced, and compares the answers.
func TestConcurrent(t *testing.T) {
	s := testServer(t, bag{})
	server := httptest.NewServer(s.handler())
	defer server.Close()
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			for j := range 20 {
				query, want := "cat+sleeps", "Cats"
				if (i+j)%2 == 0 {
					query, want = "dog+barks", "Dogs"
				}
				k := 1 + j%2
				answer, err := http.Get(fmt.Sprintf("%s/api/search?k=%d&q=%s+%d", server.URL, k, query, i*20+j))
				if err != nil {
					t.Error(err)
					return
				}
				body, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				first, _, _ := strings.Cut(string(body), `},{`)
				if answer.StatusCode == 200 && (!strings.Contains(first, want) || strings.Count(string(body), `"score"`) != k) || answer.StatusCode != 200 && answer.StatusCode != 503 {
					t.Errorf("%s: %s %s", query, answer.Status, body)
				}
			}
		})
	}
	for range 10 {
		x, err := loadIndex(s.dev, s.model, s.path)
		if err != nil {
			t.Fatal(err)
		}
		s.index.Store(x)
	}
	wait.Wait()
}

// TestWatch changes the index below a server.
func TestWatch(t *testing.T) {
	s := testServer(t, bag{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.watch(ctx, 10*time.Millisecond, func(err error) { t.Log(err) })
	more := fstest.MapFS{"new.txt": {Data: []byte("Something new.")}, "sky.txt": texts["sky.txt"]}
	build(t, bag{}, more, s.path)
	for end := time.Now().Add(30 * time.Second); s.index.Load().files != 2 || len(s.index.Load().items) != 2; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the index has %d passages, want 2", len(s.index.Load().items))
		}
	}
}
