package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
)

// message is a part of a conversation.
type message struct {
	Role    string `json:"role"` // system, user or assistant
	Content string `json:"content"`
}

// template is a chat template: a program in the language Jinja that comes with a model and writes a conversation as the text that
// the model was trained on.
type template struct {
	program *exec.Template
	special map[string]string
}

// The limits of a template, which is a program: it reads no files, and its text and the wait for it are bounded, but not the memory that it
// takes meanwhile.
// One that is given up ends when it next writes; Jinja's interpreter cannot be stopped in a loop that writes nothing.
const (
	maxTemplate     = 1 << 15 // bytes of the template: the parser goes one call deeper for each bracket
	maxTemplateText = 1 << 22
	maxTemplateTime = 10 * time.Second
)

func newTemplate(source string, special map[string]string) (_ *template, err error) {
	defer recovered(&err)
	if len(source) > maxTemplate {
		return nil, fmt.Errorf("the chat template has %d bytes, expected at most %d", len(source), maxTemplate)
	}
	const name = "chat_template"
	loader, err := loaders.NewMemoryLoader(map[string]string{"/" + name: source})
	if err != nil {
		return nil, err
	}
	c := config.New() // as transformers sets Jinja up
	c.TrimBlocks, c.LeftStripBlocks = true, true
	program, err := exec.NewTemplate("/"+name, c, loader, &exec.Environment{
		Context: exec.EmptyContext().Update(builtins.GlobalFunctions).Update(builtins.GlobalVariables), Filters: builtins.Filters,
		Tests: builtins.Tests, ControlStructures: builtins.ControlStructures, Methods: builtins.Methods,
	})
	if err != nil {
		return nil, err
	}
	return &template{program, special}, nil
}

// recovered turns a panic of the template's interpreter into an error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the template's interpreter failed: %v", r)
	}
}

// text writes a conversation, with the start of the model's answer at its end.
func (t *template) text(messages []message) (string, error) {
	list := make([]any, len(messages))
	for i, m := range messages {
		list[i] = map[string]any{"role": m.Role, "content": m.Content}
	}
	data := map[string]any{
		"messages": list, "add_generation_prompt": true, "tools": nil, "documents": nil,
		"raise_exception": func(text string) (string, error) { return "", errors.New(text) },
		"strftime_now":    func(layout string) string { return strftime(time.Now(), layout) },
	}
	for name, token := range t.special {
		data[name] = token
	}
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	var out limited
	go func() {
		var r result
		defer func() { done <- r }()
		defer recovered(&r.err)
		r.err = t.program.Execute(&out, exec.NewContext(data))
		r.text = out.String()
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-time.After(maxTemplateTime):
		out.over.Store(true)
		return "", fmt.Errorf("the chat template does not end in %v", maxTemplateTime)
	}
}

// limited is a buffer that takes so much and no more, and nothing when the time is over.
type limited struct {
	bytes.Buffer
	over atomic.Bool
}

func (l *limited) Write(b []byte) (int, error) {
	if l.over.Load() || l.Len()+len(b) > maxTemplateText {
		return 0, fmt.Errorf("the text has more than %d bytes", maxTemplateText)
	}
	return l.Buffer.Write(b)
}

// WriteString hides that of the buffer, which has no limit.
func (l *limited) WriteString(s string) (int, error) { return l.Write([]byte(s)) }

// strftime formats a time as C's function of this name does, for the directives that templates use.
func strftime(t time.Time, layout string) string {
	return strings.NewReplacer("%d", t.Format("02"), "%b", t.Format("Jan"), "%B", t.Format("January"), "%Y", t.Format("2006"), "%m",
		t.Format("01"), "%H", t.Format("15"), "%M", t.Format("04"), "%S", t.Format("05"), "%A", t.Format("Monday"), "%a", t.Format("Mon"),
		"%y", t.Format("06"), "%%", "%").Replace(layout)
}
