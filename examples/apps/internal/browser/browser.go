// Package browser drives Chromium without a window for tests of web pages, by the DevTools protocol over pipes.
package browser

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
)

// A Page is a tab of a browser that ends with the test.
type Page struct {
	t       testing.TB
	out     *os.File
	session string

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	problem []string // what the page has written to its console, or thrown
}

// A reply is a message of the browser.
type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// names are those under which systems have Chromium.
var names = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// Open opens a page of a size, with light or dark colours, at a URL. Without a browser the test is skipped.
func Open(t testing.TB, url, scheme string, width, height int) *Page {
	t.Helper()
	path := ""
	for _, name := range names {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		needs.Missing(t, "chromium", "there is no Chromium: apt-get install chromium")
	}
	toBrowser, out, err1 := os.Pipe()
	in, fromBrowser, err2 := os.Pipe()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
		"--no-first-run", "--disable-background-networking", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	p := &Page{t: t, out: out, waiting: map[int]chan reply{}}
	go p.read(in)
	t.Cleanup(func() {
		p.send("Browser.close", nil, nil) // it may end before it answers
		out.Close()
		ended := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		ended.Stop()
	})
	p.open(url, scheme, width, height)
	return p
}

func (p *Page) open(url, scheme string, width, height int) {
	p.t.Helper()
	var target struct{ TargetID string }
	var attached struct{ SessionID string }
	p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	p.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.session = attached.SessionID
	p.call("Runtime.enable", nil, nil)
	p.call("Log.enable", nil, nil)
	p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	p.call("Page.navigate", map[string]any{"url": url}, nil)
}

// read distributes what the browser sends.
func (p *Page) read(in *os.File) {
	r := bufio.NewReader(in)
	for {
		data, err := r.ReadBytes(0)
		if err != nil {
			break
		}
		var m reply
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		p.mu.Lock()
		switch {
		case p.waiting[m.ID] != nil:
			p.waiting[m.ID] <- m
			delete(p.waiting, m.ID)
		case m.Method == "Runtime.exceptionThrown" || m.Method == "Log.entryAdded" || m.Method == "Runtime.consoleAPICalled":
			p.problem = append(p.problem, string(m.Params))
		}
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.waiting {
		close(c)
	}
	p.waiting = nil
}

// send sends a command and waits for its result.
func (p *Page) send(method string, params map[string]any, result any) error {
	p.mu.Lock()
	if p.waiting == nil {
		p.mu.Unlock()
		return fmt.Errorf("%s: the browser has ended", method)
	}
	p.last++
	id, answer := p.last, make(chan reply, 1)
	p.waiting[id] = answer
	p.mu.Unlock()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if p.session != "" && method != "Browser.close" {
		message["sessionId"] = p.session
	}
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if _, err := p.out.Write(append(data, 0)); err != nil {
		return err
	}
	select {
	case m, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: the browser has ended", method)
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result != nil:
			return json.Unmarshal(m.Result, result)
		}
		return nil
	case <-time.After(60 * time.Second):
		return fmt.Errorf("%s: no answer", method)
	}
}

func (p *Page) call(method string, params map[string]any, result any) {
	p.t.Helper()
	if err := p.send(method, params, result); err != nil {
		p.t.Fatal(err)
	}
}

// Eval computes an expression of JavaScript in the page; out is as for encoding/json.
func (p *Page) Eval(expression string, out any) {
	p.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		p.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	if out != nil {
		if err := json.Unmarshal(r.Result.Value, out); err != nil {
			p.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// Wait waits until an expression is true.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var ok bool
		if p.Eval("Boolean("+expression+")", &ok); ok {
			return
		}
	}
	var text string
	p.Eval("document.body.innerText", &text)
	p.t.Fatalf("%s does not become true; the page has:\n%s", expression, text)
}

// Type types characters, one key after the other.
func (p *Page) Type(text string) {
	p.t.Helper()
	for _, r := range text {
		p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "text": string(r), "key": string(r)}, nil)
		p.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": string(r)}, nil)
	}
}

// Key presses a key that is no character, such as ArrowDown.
func (p *Page) Key(name string) {
	p.t.Helper()
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		p.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name}, nil)
	}
}

// Problems gives what the page has reported: errors of scripts, of loading, and of the rules for contents.
func (p *Page) Problems() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.problem...)
}

// Screenshot writes a picture of the page to a file.
func (p *Page) Screenshot(path string) {
	p.t.Helper()
	var r struct{ Data string }
	p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	data, err := base64.StdEncoding.DecodeString(r.Data)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
