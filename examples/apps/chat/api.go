package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/examples/apps/internal/llama"
)

// The limits of a request.
const (
	maxBody     = 1 << 20
	maxMessages = 1024
	maxStops    = 8
	maxStop     = 256 // bytes
)

// problem is an error with the status and the kind that the answer to a request has.
type problem struct {
	status int
	kind   string
	text   string
}

func (p *problem) Error() string { return p.text }

// wrong is a mistake of the client.
func wrong(format string, args ...any) error {
	return &problem{http.StatusBadRequest, "invalid_request_error", fmt.Sprintf(format, args...)}
}

// completion is the body of a request to /v1/chat/completions, as OpenAI's interface has it, with top_k, min_p and
// repetition_penalty as other servers have them.
type completion struct {
	Model    string       `json:"model"`
	Messages []rawMessage `json:"messages"`
	Max      *int         `json:"max_tokens"`
	MaxNew   *int         `json:"max_completion_tokens"`
	Temp     *float64     `json:"temperature"`
	TopP     *float64     `json:"top_p"`
	TopK     *int         `json:"top_k"`
	MinP     *float64     `json:"min_p"`
	Penalty  *float64     `json:"repetition_penalty"`
	Seed     *int         `json:"seed"`
	Stop     stopList     `json:"stop"`
	Stream   bool         `json:"stream"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	N *int `json:"n"`
}

// known are the fields that are used, and those that change nothing here.
var known = []string{"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p",
	"repetition_penalty", "seed", "stop", "stream", "stream_options", "n", "user", "metadata", "store", "service_tier",
	"safety_identifier", "prompt_cache_key"}

// neutral are the values with which fields that are not supported ask for nothing.
var neutral = []string{"null", "0", "0.0", "false", "[]", "{}", `"none"`, `{"type":"text"}`}

// rawMessage is a message whose content is a text or a list of parts.
type rawMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Name    string          `json:"name"`
}

// stopList is a text, a list of texts, or null.
type stopList []string

// UnmarshalJSON takes all three forms.
func (l *stopList) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte("[")) {
		return json.Unmarshal(b, (*[]string)(l))
	}
	var one *string
	if err := json.Unmarshal(b, &one); err != nil || one == nil {
		return err
	}
	*l = stopList{*one}
	return nil
}

// readCompletion reads and checks a request.
func readCompletion(r io.Reader) (*completion, error) {
	body, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(body) {
		return nil, wrong("the body is not UTF-8")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, wrong("the body is not a JSON object: %v", err)
	}
	for name, value := range fields {
		var small bytes.Buffer
		json.Compact(&small, value)
		if !slices.Contains(known, name) && !slices.Contains(neutral, small.String()) {
			return nil, wrong("the field %q is not supported", name)
		}
	}
	var c completion
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, wrong("%v", err)
	}
	return &c, c.check()
}

func (c *completion) check() error {
	switch {
	case len(c.Messages) == 0 || len(c.Messages) > maxMessages:
		return wrong("there are %d messages, expected 1 to %d", len(c.Messages), maxMessages)
	case c.N != nil && *c.N != 1:
		return wrong("n is %d, only 1 is supported", *c.N)
	case c.limit(1) < 1:
		return wrong("max_tokens is %d, expected at least 1", c.limit(1))
	case len(c.Stop) > maxStops:
		return wrong("stop has %d texts, expected at most %d", len(c.Stop), maxStops)
	}
	for _, s := range c.Stop {
		if s == "" || len(s) > maxStop {
			return wrong("a text of stop has %d bytes, expected 1 to %d", len(s), maxStop)
		}
	}
	return nil
}

// limit is how many tokens are asked for at most, or the default.
func (c *completion) limit(otherwise int) int {
	for _, n := range []*int{c.MaxNew, c.Max} {
		if n != nil {
			return *n
		}
	}
	return otherwise
}

// choice is that of the request, with what it leaves open taken from the flags.
func (c *completion) choice(d choice) (choice, error) {
	set := func(to *float64, from *float64) {
		if from != nil {
			*to = *from
		}
	}
	set(&d.Temperature, c.Temp)
	set(&d.TopP, c.TopP)
	set(&d.MinP, c.MinP)
	set(&d.Penalty, c.Penalty)
	if c.TopK != nil && *c.TopK < -1 {
		return d, wrong("top_k is %d, expected a number of tokens, or 0 or -1 for all", *c.TopK)
	}
	if c.TopK != nil {
		d.TopK = max(*c.TopK, 0) // -1 means all
	}
	if c.Seed != nil {
		d.Seed = *c.Seed & math.MaxInt32
	}
	if err := d.check(); err != nil {
		return d, wrong("%v", err)
	}
	return d, nil
}

// conversation gives the messages as texts.
func (c *completion) conversation() ([]message, error) {
	list := make([]message, len(c.Messages))
	for i, m := range c.Messages {
		text, err := m.text()
		if err != nil {
			return nil, wrong("messages[%d]: %v", i, err)
		}
		role := m.Role
		if role == "developer" {
			role = "system"
		}
		if !slices.Contains([]string{"system", "user", "assistant"}, role) {
			return nil, wrong("messages[%d]: the role is %q, expected system, user or assistant", i, m.Role)
		}
		list[i] = message{role, text}
	}
	return list, nil
}

// text joins the parts of a message.
func (m rawMessage) text() (string, error) {
	var one string
	if json.Unmarshal(m.Content, &one) == nil && string(m.Content) != "null" {
		return one, nil
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(m.Content, &parts); err != nil || parts == nil {
		return "", fmt.Errorf("content is neither a text nor a list of parts")
	}
	var b strings.Builder
	for _, p := range parts {
		if p.Type != "text" {
			return "", fmt.Errorf("content has a part of the type %q, only text is supported", p.Type)
		}
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// usage counts tokens.
type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (r result) usage() *usage { return &usage{r.prompted, r.made, r.prompted + r.made} }

// reply is the answer to a request, or a part of it in a stream.
type reply struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []option `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// option is the one answer of a reply: Message at once, or Delta in parts.
type option struct {
	Index   int           `json:"index"`
	Message *message      `json:"message,omitempty"`
	Delta   *delta        `json:"delta,omitempty"`
	Finish  *llama.Reason `json:"finish_reason"`
}

type delta struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`
}
