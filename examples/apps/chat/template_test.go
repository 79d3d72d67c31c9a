package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
)

// conversations are of all kinds that a template may meet.
var conversations = [][]message{
	{{"user", "Hello"}},
	{{"system", " Be short. "}, {"user", "  Hi\n\nthere  "}},
	{{"user", "a"}, {"assistant", "b"}, {"user", "c"}},
	{{"system", "s"}, {"user", "a"}, {"assistant", "<think>\nhm\n</think>\n\nb"}, {"user", "c {{ x }} {% if %} <b> & 'é' 中文"}},
	{{"user", "a"}, {"assistant", "<think>x</think>y"}},
	{{"user", "a"}, {"user", "b"}},
	{{"user", ""}},
}

// TestTemplates compares templates of the forms that models have with Jinja.
func TestTemplates(t *testing.T) {
	python := needs.Python(t, "llama", "jinja2")
	folder := filepath.Join("..", "testdata", "templates")
	text, err := json.Marshal(conversations)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join("..", "testdata", "templates.py"), folder)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][]*string
	if err := json.Unmarshal(out, &want); err != nil || len(want) < 5 {
		t.Fatal(len(want), err)
	}
	for name, texts := range want {
		source, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := newTemplate(string(source), map[string]string{"bos_token": "<s>", "eos_token": "</s>"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, c := range conversations {
			got, err := p.text(c)
			switch {
			case texts[i] == nil && err == nil:
				t.Errorf("%s, conversation %d: no error, Jinja has one; got %q", name, i, got)
			case texts[i] != nil && (err != nil || got != *texts[i]):
				t.Errorf("%s, conversation %d: got %q, %v\nwant %q", name, i, got, err, *texts[i])
			}
		}
	}
}

// TestTemplateLimits checks that a template from anywhere does no harm.
func TestTemplateLimits(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, test := range []struct{ source, want string }{
		{"{% for %}", "parse"},
		{`{% include "/etc/passwd" %}`, "passwd"},
		{`{% include "../../go.mod" %}`, "go.mod"},
		{`{% for i in range(100000) %}` + long + `{% endfor %}`, "more than"},
		{`{{ raise_exception("not so") }}`, "not so"},
	} {
		p, err := newTemplate(test.source, nil)
		var text string
		if err == nil {
			text, err = p.text(conversations[0])
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.80s: got %.40q and the error %v, expected one with %q", test.source, text, err, test.want)
		}
	}
}

// TestDeepTemplate gives a template whose brackets would fill the parser's stack, which nothing recovers from.
func TestDeepTemplate(t *testing.T) {
	source := "{{ " + strings.Repeat("(", 60000) + "1" + strings.Repeat(")", 60000) + " }}"
	if _, err := newTemplate(source, nil); err == nil || !strings.Contains(err.Error(), "120007 bytes, expected at most 32768") {
		t.Errorf("the error is %v", err)
	}
	deep := "{{ " + strings.Repeat("(", 16000) + "1" + strings.Repeat(")", 16000) + " }}"
	if _, err := newTemplate(deep, nil); err != nil {
		t.Logf("16000 brackets: %v", err)
	}
}
