package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/models/tokenizer"
)

// TestRefused has files that are wrong, with the places that the errors name.
func TestRefused(t *testing.T) {
	nested := `{"type":"NFC"}`
	for range 20 {
		nested = `{"type":"Sequence","normalizers":[` + nested + `]}`
	}
	with := func(field, value string) string { return `{"model":` + small + `,"` + field + `":` + value + `}` }
	for _, c := range []struct{ file, want string }{
		{"", "not a JSON object"}, {"[]", "not a JSON object"}, {"{\"a\xff\":1}", "not valid UTF-8"}, {"{}", "model: missing"},
		{`{"version":"2.0","model":{}}`, `version: "2.0" is not supported`},
		{`{"model":{"type":"Foo"}}`, `model.type: the model "Foo" is not supported; these are: BPE, Unigram, WordLevel, WordPiece`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`, `model.merges[0]: "b" is not in the vocabulary`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a"]}}`, `model.merges[0]: two parts are expected, found 1`},
		{`{"model":{"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1}}`, "model.dropout: 0.1 makes the tokens random"},
		{`{"model":{"type":"BPE","vocab":{"a":"x"},"merges":[]}}`, `model.vocab: {"a":"x"} cannot be read`},
		{`{"model":{"type":"BPE","vocab":{"a":0,"b":0},"merges":[]}}`, `model.vocab: "a" and "b" both have id 0`},
		{`{"model":{"type":"Unigram","vocab":[["a"]]}}`, "model.vocab[0]: a token and its score are expected"},
		{`{"model":{"type":"Unigram","unk_id":7,"vocab":[["a",0]]}}`, "model.unk_id: 7 is not in the vocabulary"},
		{`{"model":{"type":"WordLevel","vocab":{}}}`, "model.unk_token: missing"},
		{with("normalizer", `{"type":"Foo"}`), `normalizer.type: the normalizer "Foo" is not supported`},
		{with("normalizer", `{"type":"Sequence","normalizers":[{"type":"NFC"},{"type":"Bar"}]}`), `normalizer.normalizers[1].type: the normalizer "Bar" is not supported`},
		{with("normalizer", nested), "nested deeper than 16"},
		{with("normalizer", `{"type":"Sequence","normalizers":[`+strings.Repeat(`{"type":"NFC"},`, 300)+`{"type":"NFC"}]}`), "more than 256 parts"},
		{with("normalizer", `{"type":"Precompiled","precompiled_charsmap":"//////8="}`), "normalizer.precompiled_charsmap: it says that it has 4294967295 bytes, found 1"},
		{with("pre_tokenizer", `{"type":"Split","pattern":{"Regex":"("},"behavior":"Removed","invert":false}`), `pre_tokenizer.pattern.Regex: pattern "(", byte 0: the group has no end`},
		{with("pre_tokenizer", `{"type":"Split","pattern":{"Regex":"a"},"behavior":"Foo","invert":false}`), `pre_tokenizer.behavior: "Foo" is not supported; one of Removed`},
		{with("pre_tokenizer", `{"type":"Metaspace","replacement":"ab"}`), `pre_tokenizer.replacement: one character is expected, found "ab"`},
		{with("pre_tokenizer", `{"type":"Digits"}`), "pre_tokenizer.individual_digits: missing"},
		{with("post_processor", `{"type":"BertProcessing","sep":["a",-1],"cls":["b",1]}`), "post_processor.sep: a token and its id are expected"},
		{with("post_processor", `{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"x","type_id":0}}],"pair":[],"special_tokens":{}}`), `post_processor.single[0].SpecialToken.id: "x" is not among the special_tokens`},
		{with("post_processor", `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B","type_id":0}}],"pair":[],"special_tokens":{}}`), "post_processor.single[0].Sequence.id: there is no text B"},
		{with("decoder", `{"type":"Sequence","decoders":[{"type":"Strip","content":"a"}]}`), "decoder.decoders[0].start: missing"},
		{with("decoder", `7`), "decoder: an object is expected, found 7"},
		{with("padding", `{"strategy":"Foo","direction":"Right","pad_id":0,"pad_type_id":0,"pad_token":"x"}`), `padding.strategy: "BatchLongest" or {"Fixed": n} is expected`},
		{with("truncation", `{"max_length":-1,"stride":0,"strategy":"LongestFirst"}`), "truncation.max_length: -1 must be from 0"},
		{with("added_tokens", `[{"id":9,"content":"x","special":false,"single_word":false,"lstrip":false,"rstrip":false,"normalized":false}]`), `added_tokens[0].id: "x" has id 9 here, but its place in the vocabulary makes it 5`},
	} {
		_, err := tokenizer.Read(strings.NewReader(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: error %v, want %q", c.file, err, c.want)
		}
	}
}

func read(t testing.TB, fields ...string) *tokenizer.Tokenizer {
	t.Helper()
	file := `{"model":` + small
	for i := 0; i < len(fields); i += 2 {
		file += `,"` + fields[i] + `":` + fields[i+1]
	}
	tok, err := tokenizer.Read(strings.NewReader(file + "}"))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func refuses(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestHostile has files that ask for much time or memory.
func TestHostile(t *testing.T) {
	text := strings.Repeat("a", 2000)
	long, err := json.Marshal(strings.Repeat("a", 100_000))
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_, err = read(t, "normalizer", `{"type":"Replace","pattern":{"String":"a"},"content":`+string(long)+`}`).Encode(text)
	refuses(t, err, "more than 32 times as long")
	doubled := strings.Repeat(`{"type":"Replace","pattern":{"String":"a"},"content":"aa"},`, 60)
	_, err = read(t, "normalizer", `{"type":"Sequence","normalizers":[`+doubled+`{"type":"NFC"}]}`).Encode(text)
	refuses(t, err, "more than 32 times as long")
	_, err = read(t, "decoder", `{"type":"Sequence","decoders":[`+doubled+`{"type":"Fuse"}]}`).Decode([]int32{1, 1}, false)
	refuses(t, err, "the decoder makes the text more than 32 times as long")
	_, err = read(t, "pre_tokenizer", `{"type":"Split","pattern":{"Regex":"(a|a)*b"},"behavior":"Removed","invert":false}`).Encode(text)
	refuses(t, err, "too many steps")
	_, err = read(t, "padding", `{"strategy":{"Fixed":2000000000},"direction":"Right","pad_id":0,"pad_type_id":0,"pad_token":"x"}`).Encode(text)
	refuses(t, err, "padding to 2000000000 tokens: at most 1048576")
	_, err = read(t, "padding", `{"strategy":{"Fixed":1000000},"direction":"Right","pad_id":0,"pad_type_id":0,"pad_token":"x"}`,
		"truncation", `{"max_length":2,"stride":0,"strategy":"LongestFirst"}`).Encode(text)
	refuses(t, err, "padding 1000 parts of one text to 1000000 tokens")
	cut := read(t, "truncation", `{"max_length":400,"stride":199,"strategy":"LongestFirst"}`)
	_, err = cut.EncodePair(strings.Repeat("b", 20_000), strings.Repeat("b", 20_000))
	refuses(t, err, "more than 4194304 tokens in all")
	_, err = read(t, "truncation", `{"max_length":4,"stride":4,"strategy":"LongestFirst"}`).Encode(text)
	refuses(t, err, "a stride of 4 needs more than the 4 tokens")
	_, err = read(t).Encode(text, tokenizer.WithTruncation(tokenizer.Truncation{MaxLength: 3, Stride: -1}))
	refuses(t, err, "a stride that is not negative")
	_, err = read(t).Encode(text, tokenizer.WithPadding(tokenizer.Padding{Length: -1}))
	refuses(t, err, "lengths that are not negative")
	_, err = read(t, "truncation", `{"max_length":4,"stride":0,"strategy":"OnlySecond"}`).Encode(text)
	refuses(t, err, "only the second text")
	if d := time.Since(start); d > time.Minute {
		t.Errorf("that took %v", d)
	}
}

// TestInvalid: bytes that are not UTF-8 become one U+FFFD each, and offsets point into the text as it was given.
func TestInvalid(t *testing.T) {
	tok := read(t)
	text := "a\xffb\xe6\xbc漢"
	e, err := tok.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	runes, err := tok.Encode(text, tokenizer.RuneOffsets())
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i, o := range e.Offsets {
		parts = append(parts, strconv.Quote(text[o.Start:o.End]))
		if r := runes.Offsets[i]; r.End-r.Start != 1 && e.Tokens[i] != "u" {
			t.Errorf("token %d: runes %v", i, r)
		}
	}
	if got := strings.Join(parts, " "); got != `"a" "\xff" "b" "\xe6" "\xbc" "漢"` {
		t.Errorf("%s", got)
	}
}

// TestGoroutines uses one tokenizer from many goroutines, with words that the cache has and has not.
func TestGoroutines(t *testing.T) {
	tok := golden(t)("bert")
	text := func(i int) string { return "Hello wörld " + strconv.Itoa(i%50) + " 漢字" }
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				a, err := tok.Encode(text(i + g))
				if err != nil {
					t.Error(err)
					return
				}
				if b, err := tok.Decode(a.IDs, true); err != nil || !strings.HasPrefix(b, "hello") {
					t.Errorf("%q, %v", b, err)
				}
			}
		})
	}
	wg.Wait()
	texts := make([]string, 300)
	for i := range texts {
		texts[i] = text(i)
	}
	batch, err := tok.EncodeBatch(texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range batch {
		one, err := tok.Encode(texts[i])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(marshal(t, one), marshal(t, e)) {
			t.Errorf("text %d of the batch differs", i)
		}
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
