package tokenizer_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/internal/piptest"
	"github.com/cutile-go/cutile/models/tokenizer"
)

var update = flag.Bool("update", false, "write testdata/golden.jsonl anew, with pip's tokenizers")

// A result is a line of reference.py.
type result struct {
	Model     string
	Tokenizer string
	Missing   string
	Of        string
	Spec      json.RawMessage

	Text    string
	Pair    *string
	Add     bool
	Error   string
	Decoded *string
	Skipped *string
	Stream  []*string
	Skips   bool // of Stream
	tokens
	Overflow []tokens
}

// tokens are the fields of an encoding.
type tokens struct {
	IDs, Offsets, Types, Special, Attention, Words []int32
	Tokens                                         []string
}

func flat(e *tokenizer.Encoding) tokens {
	t := tokens{IDs: e.IDs, Types: e.TypeIDs, Special: e.SpecialTokensMask, Attention: e.AttentionMask, Words: e.WordIDs, Tokens: e.Tokens}
	for _, o := range e.Offsets {
		t.Offsets = append(t.Offsets, int32(o.Start), int32(o.End))
	}
	return t
}

// differs describes the first field in which two encodings differ.
func (t tokens) differs(want tokens) string {
	for _, f := range []struct {
		name      string
		got, want []int32
	}{
		{"ids", t.IDs, want.IDs}, {"types", t.Types, want.Types}, {"offsets", t.Offsets, want.Offsets}, {"words", t.Words, want.Words},
		{"special", t.Special, want.Special}, {"attention", t.Attention, want.Attention},
	} {
		if !slices.Equal(f.got, f.want) {
			return fmt.Sprintf("%s are %v, want %v; tokens %q, want %q", f.name, f.got, f.want, t.Tokens, want.Tokens)
		}
	}
	if !slices.Equal(t.Tokens, want.Tokens) {
		return fmt.Sprintf("tokens are %q, want %q", t.Tokens, want.Tokens)
	}
	return ""
}

// TestReference compares everything with pip's tokenizers, run for the test: CUTILE_TOKENIZER_LINES texts for each of the
// tokenizers of testdata/variants.py, or all characters where that is "all". CUTILE_TOKENIZER_ONLY names some tokenizers.
func TestReference(t *testing.T) {
	path := piptest.Python(t, "tokenizers")
	lines := os.Getenv("CUTILE_TOKENIZER_LINES")
	if lines == "" {
		lines = "40"
	}
	cmd := exec.Command(path, append([]string{"reference.py", lines}, strings.Fields(os.Getenv("CUTILE_TOKENIZER_ONLY"))...)...)
	cmd.Dir, cmd.Env = "testdata", append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	compare(t, out)
	if err := cmd.Wait(); err != nil && !t.Failed() {
		t.Errorf("reference.py: %v\n%s", err, stderr.String())
	}
}

// TestGolden compares with what pip's tokenizers made of some texts.
func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "golden.jsonl")
	if *update {
		cmd := exec.Command(piptest.Python(t, "tokenizers"), "reference.py", "20")
		cmd.Dir, cmd.Env = "testdata", append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "GOLDEN=1")
		data, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	compare(t, f)
}

// compare reads lines of reference.py and compares them; each tokenizer is a subtest.
func compare(t *testing.T, r io.Reader) {
	in := bufio.NewReader(r)
	models := map[string]json.RawMessage{}
	var group []result
	count := 0
	flush := func() {
		if len(group) > 0 {
			t.Run(group[0].Tokenizer, func(t *testing.T) { compareTokenizer(t, models, group) })
			count += len(group) - 1
			group = nil
		}
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var v result
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		switch {
		case v.Model != "":
			flush()
			models[v.Model] = v.Spec
		case v.Missing != "":
			flush()
			t.Run(v.Missing, func(t *testing.T) { piptest.Missing(t, v.Missing, "pip's package for "+v.Missing+" is not there") })
		case v.Tokenizer != "":
			flush()
			fallthrough
		default:
			group = append(group, v)
		}
	}
	flush()
	if count == 0 {
		t.Error("nothing was compared")
	}
	t.Logf("%d texts", count)
}

func compareTokenizer(t *testing.T, models map[string]json.RawMessage, group []result) {
	tok := open(t, models, group[0])
	for _, want := range group[1:] {
		if what := compareText(tok, want); what != "" {
			t.Errorf("%q, pair %q, special tokens %v: %s", want.Text, pointed(want.Pair), want.Add, what)
		}
	}
}

// open reads the tokenizer of a line.
func open(t testing.TB, models map[string]json.RawMessage, head result) *tokenizer.Tokenizer {
	t.Helper()
	var spec map[string]json.RawMessage
	if err := json.Unmarshal(head.Spec, &spec); err != nil {
		t.Fatal(err)
	}
	if head.Of != "" {
		spec["model"] = models[head.Of]
	}
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// golden gives the tokenizers of golden.jsonl by name.
func golden(t testing.TB) func(name string) *tokenizer.Tokenizer {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	models, heads := map[string]json.RawMessage{}, map[string]result{}
	for line := range bytes.Lines(data) {
		var v result
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		if v.Model != "" {
			models[v.Model] = v.Spec
		}
		if v.Tokenizer != "" {
			heads[v.Tokenizer] = v
		}
	}
	return func(name string) *tokenizer.Tokenizer {
		if heads[name].Tokenizer == "" {
			t.Fatalf("golden.jsonl has no tokenizer %s", name)
		}
		return open(t, models, heads[name])
	}
}

func pointed(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func encode(tok *tokenizer.Tokenizer, want result, opts ...tokenizer.Option) (*tokenizer.Encoding, error) {
	if !want.Add {
		opts = append(opts, tokenizer.WithoutSpecialTokens())
	}
	if want.Pair != nil {
		return tok.EncodePair(want.Text, *want.Pair, opts...)
	}
	return tok.Encode(want.Text, opts...)
}

// compareText compares one line and describes what differs.
func compareText(tok *tokenizer.Tokenizer, want result) string {
	e, err := encode(tok, want, tokenizer.RuneOffsets())
	if err != nil || want.Error != "" {
		if err == nil || want.Error == "" {
			return fmt.Sprintf("error %v, want %q", err, want.Error)
		}
		return ""
	}
	if what := flat(e).differs(want.tokens); what != "" {
		return what
	}
	if len(e.Overflowing) != len(want.Overflow) {
		return fmt.Sprintf("%d overflowing parts, want %d", len(e.Overflowing), len(want.Overflow))
	}
	for i, o := range e.Overflowing {
		if what := flat(o).differs(want.Overflow[i]); what != "" {
			return fmt.Sprintf("overflow %d: %s", i, what)
		}
	}
	if what := inBytes(tok, want, e); what != "" {
		return what
	}
	return decoded(tok, want)
}

// inBytes compares offsets in bytes with those in runes.
func inBytes(tok *tokenizer.Tokenizer, want result, runes *tokenizer.Encoding) string {
	e, err := encode(tok, want)
	if err != nil {
		return err.Error()
	}
	texts := []string{want.Text, pointed(want.Pair)}
	for i, o := range e.Offsets {
		k := e.TextOf(i)
		if k < 0 {
			continue
		}
		r := runes.Offsets[i]
		if n := utf8.RuneCountInString(texts[k]); r.Start > n || r.End > n {
			continue // the library counts in bytes where a token stands for nothing
		}
		if a, b := utf8.RuneCountInString(texts[k][:o.Start]), utf8.RuneCountInString(texts[k][:o.End]); a != r.Start || b != r.End {
			return fmt.Sprintf("token %d is at bytes %v and runes %v", i, o, r)
		}
	}
	return ""
}

func decoded(tok *tokenizer.Tokenizer, want result) string {
	for _, d := range []struct {
		want *string
		skip bool
	}{{want.Decoded, false}, {want.Skipped, true}} {
		got, err := tok.Decode(want.IDs, d.skip)
		if d.want != nil && (err != nil || got != *d.want) {
			return fmt.Sprintf("skipping special tokens %v: decoded %q, %v, want %q", d.skip, got, err, *d.want)
		}
	}
	s := tok.NewStream(want.Skips)
	for i, w := range want.Stream {
		got, err := s.Step(want.IDs[i])
		if (err != nil) != (w == nil) || w != nil && got != *w {
			return fmt.Sprintf("stream, step %d: %q, %v, want %q", i, got, err, pointed(w))
		}
	}
	return ""
}
