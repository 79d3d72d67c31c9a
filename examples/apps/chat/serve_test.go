package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// post sends a request and gives the status and the body.
func post(t testing.TB, url, body string) (int, string) {
	t.Helper()
	r, err := http.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return r.StatusCode, string(text)
}

// body makes a request for a text.
func body(text string, more string) string {
	return fmt.Sprintf(`{"messages": [{"role": "user", "content": %q}], "max_tokens": 24%s}`, text, more)
}

// content gives the text of an answer, whole or as a stream.
func content(t testing.TB, text string) string {
	t.Helper()
	if !strings.HasPrefix(text, "data: ") {
		var r reply
		if err := json.Unmarshal([]byte(text), &r); err != nil || len(r.Choices) != 1 || r.Usage == nil || r.Usage.Completion == 0 {
			t.Errorf("the answer is %s, %v", text, err)
			return ""
		}
		return r.Choices[0].Message.Content
	}
	var b strings.Builder
	finished, ended := "", false
	s := bufio.NewScanner(strings.NewReader(text))
	for s.Scan() {
		line, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok || line == "[DONE]" {
			ended = ended || ok
			continue
		}
		var r reply
		if err := json.Unmarshal([]byte(line), &r); err != nil || len(r.Choices) != 1 {
			t.Errorf("the event is %s, %v", line, err)
			continue
		}
		b.WriteString(r.Choices[0].Delta.Content)
		if r.Choices[0].Finish != nil {
			finished = string(*r.Choices[0].Finish)
		}
	}
	if finished == "" || !ended {
		t.Errorf("the stream has no proper end:\n%s", text)
	}
	return b.String()
}

// TestServe checks that users who are served together get what each gets alone, whole and as streams.
func TestServe(t *testing.T) {
	c, o := start(t, "-users", "3", "-queue", "50")
	server := httptest.NewServer(newServer(c, o, io.Discard).handler())
	defer server.Close()
	ask := func(i int, stream bool) string {
		more := fmt.Sprintf(`, "seed": %d, "temperature": %g, "stream": %v`, i, float64(i%3)/2, stream)
		status, text := post(t, server.URL, body(strings.Repeat("word ", i+1), more))
		if status != http.StatusOK {
			t.Errorf("the status is %d: %s", status, text)
			return ""
		}
		return content(t, text)
	}
	alone := make([]string, 8)
	for i := range alone {
		if alone[i] = ask(i, false); alone[i] == "" {
			t.Errorf("the answer %d is empty", i)
		}
	}
	var all sync.WaitGroup
	for i := range 2 * len(alone) {
		all.Go(func() {
			if got, want := ask(i/2, i%2 == 0), alone[i/2]; got != want {
				t.Errorf("request %d gives %q together with others, and %q alone", i, got, want)
			}
		})
	}
	all.Wait()
}

// TestServeErrors checks requests that are refused: each answer is JSON, and names what is wrong.
func TestServeErrors(t *testing.T) {
	c, o := start(t, "-users", "1")
	server := httptest.NewServer(newServer(c, o, io.Discard).handler())
	defer server.Close()
	for _, test := range []struct {
		body   string
		status int
		want   string
	}{
		{"", 400, "not a JSON object"}, {"[]", 400, "not a JSON object"}, {"{", 400, "not a JSON object"}, {"\xff", 400, "not UTF-8"},
		{"{}", 400, "there are 0 messages"}, {`{"messages": "x"}`, 400, "messages"}, {`{"messages": [{"role": "king", "content": "x"}]}`, 400, `the role is \"king\"`},
		{`{"messages": [{"role": "user"}]}`, 400, "messages[0]: content"}, {`{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}`, 400, "image_url"},
		{body("x", `, "tools": [{}]`), 400, `the field \"tools\" is not supported`}, {body("x", `, "n": 2`), 400, "n is 2"},
		{body("x", `, "logprobs": true`), 400, "logprobs"}, {body("x", `, "temperature": -1`), 400, "temperature is -1"},
		{body("x", `, "top_p": 2`), 400, "top-p is 2"}, {body("x", `, "top_k": -5`), 400, "top_k is -5"}, {body("x", `, "stop": [""]`), 400, "a text of stop"}, {body("x", `, "max_completion_tokens": 0`), 400, "max_tokens is 0"},
		{body(strings.Repeat("x", 300), ""), 400, "tokens, and there is room for 256"}, {body(strings.Repeat("x", maxBody), ""), 413, "more than"},
		{body("x", `, "logprobs": false, "tools": null, "user": "me", "presence_penalty": 0`), 200, "chat.completion"},
		{`{"messages": [{"role": "user", "content": [{"type": "text", "text": "a"}]}], "max_tokens": 2}`, 200, "assistant"},
	} {
		status, text := post(t, server.URL, test.body)
		if status != test.status || !strings.Contains(text, test.want) || !json.Valid([]byte(text)) {
			t.Errorf("%.80s: got %d %s, expected %d and %q", test.body, status, text, test.status, test.want)
		}
	}
	for path, want := range map[string]int{"/v1/models": 200, "/health": 200, "/v1/chat/completions": 405, "/x": 404} {
		r, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		if r.Body.Close(); r.StatusCode != want || !json.Valid(text) {
			t.Errorf("%s: got %d %s, expected %d", path, r.StatusCode, text, want)
		}
	}
	first := content(t, second(post(t, server.URL, body("abc", `, "temperature": 0`))))
	runes := []rune(first)
	if len(runes) < 4 {
		t.Fatalf("the answer is %q", first)
	}
	stop, _ := json.Marshal(string(runes[2:4]))
	cut := strings.Index(first, string(runes[2:4]))
	if got := content(t, second(post(t, server.URL, body("abc", `, "temperature": 0, "stop": `+string(stop))))); got != first[:cut] {
		t.Errorf("with a stop text the answer is %q, expected %q", got, first[:cut])
	}
}

func second(_ int, text string) string { return text }

// TestServeBusy checks that a full queue is refused, that a client who goes makes room, and that a server which stops ends its
// requests.
func TestServeBusy(t *testing.T) {
	c, o := start(t, "-users", "1", "-queue", "1", "-grace", "50ms")
	c.config.EOS = nil // texts do not end by themselves
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	ended := make(chan error, 1)
	go func() { ended <- newServer(c, o, &messages).run(ctx, listener) }()
	url := "http://" + listener.Addr().String()
	open := func() (*http.Response, context.CancelFunc) {
		ctx, cancel := context.WithCancel(context.Background())
		text := `{"messages": [{"role": "user", "content": "x"}], "max_tokens": 240, "stream": true}`
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Error(err)
		}
		return answer, cancel
	}
	busy := 0
	for range 20 { // texts take some tenths of a second, and to send requests much less, unless the machine is very busy
		a, leave := open()
		if a == nil {
			t.Fatal("no answer")
		}
		refused := make(chan bool)
		const more = 8 // one of which takes the only place of the queue
		for range more {
			go func() {
				status, text := post(t, url, body("y", `, "max_tokens": 1`))
				refused <- status == http.StatusTooManyRequests && strings.Contains(text, "too many requests wait already")
			}()
		}
		time.AfterFunc(100*time.Millisecond, leave) // the client that goes makes room
		for range more {
			if <-refused {
				busy++
			}
		}
		leave()
		a.Body.Close()
		if busy > 0 {
			break
		}
	}
	if busy == 0 {
		t.Error("no request was refused though the queue was full")
	}
	a, leave := open()
	defer leave()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server does not stop")
	}
	if a != nil {
		io.Copy(io.Discard, a.Body)
		a.Body.Close()
	}
	if _, err := http.Get(url + "/health"); err == nil {
		t.Error("the server still answers")
	}
}
