package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer"
)

// small is a model that is enough for the seeds.
const small = `{"type":"BPE","unk_token":"u","byte_fallback":true,"vocab":{"u":0,"a":1,"b":2,"ab":3,"Ġ":4},"merges":["a b"]}`

// seeds gives files with each part of the tokenizers of golden.jsonl, around a small model.
func seeds(f *testing.F) {
	data, err := os.ReadFile(filepath.Join("testdata", "golden.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var v result
		if err := json.Unmarshal(line, &v); err != nil {
			f.Fatal(err)
		}
		if v.Tokenizer == "" {
			continue
		}
		var spec map[string]json.RawMessage
		if err := json.Unmarshal(v.Spec, &spec); err != nil {
			f.Fatal(err)
		}
		spec["model"], spec["added_tokens"] = json.RawMessage(small), json.RawMessage("[]")
		file, err := json.Marshal(spec)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file, "ab Ab\xff\u0301漢")
	}
	for _, model := range []string{
		`{"type":"Unigram","unk_id":0,"vocab":[["u",0],["a",-1],["ab",-1.5]]}`,
		`{"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##","max_input_chars_per_word":9,"vocab":{"u":0,"a":1,"##b":2}}`,
		`{"type":"WordLevel","unk_token":"u","vocab":{"u":0,"ab":1}}`,
	} {
		f.Add([]byte(`{"model":`+model+`,"added_tokens":[{"id":3,"content":"<x>","special":true,"single_word":true,"lstrip":true,"rstrip":true,"normalized":true}]}`), "a <x> b")
	}
}

// FuzzRead reads files and encodes a text with those that are accepted.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		tok, err := tokenizer.Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		tok.VocabSize()
		check(t, tok, text)
	})
}

// FuzzText encodes any bytes with tokenizers of all kinds.
func FuzzText(f *testing.F) {
	models := golden(f)
	var toks []*tokenizer.Tokenizer
	for _, name := range []string{"bert", "gpt2", "llama3", "o200k", "sp-bpe", "unigram", "charsmap", "normalizer-many", "pre-scripts", "added", "deepseek"} {
		toks = append(toks, models(name))
	}
	for i, text := range []string{"", "a", "Hello, world!", "\xff\xfe", "e\u0301\u0323", "👩‍👩‍👧", "[MASK] <mask> ", "\u1100\u1161\u11a8", "\x00\r\n\u2028"} {
		f.Add(uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		check(t, toks[int(which)%len(toks)], text)
	})
}

// check encodes and decodes, and looks whether the parts of an encoding fit together.
func check(t *testing.T, tok *tokenizer.Tokenizer, text string) {
	t.Helper()
	if len(text) > 1000 {
		text = text[:1000]
	}
	e, err := tok.EncodePair(text, "b a")
	if err == nil {
		lengths(t, e)
	}
	e, err = tok.Encode(text)
	if err != nil {
		return
	}
	lengths(t, e)
	for i, o := range e.Offsets {
		if o.Start < 0 || o.End > len(text) || o.Start > len(text) {
			t.Fatalf("token %d is at %v of a text of %d bytes", i, o, len(text))
		}
	}
	s := tok.NewStream(false)
	for _, id := range e.IDs[:min(e.Len(), 8)] {
		if part, err := s.Step(id); err == nil && !utf8.ValidString(part) {
			t.Fatalf("the stream gives %q", part)
		}
	}
	if _, err := s.Flush(); err != nil {
		t.Log(err)
	}
	if out, err := tok.Decode(e.IDs, true); err == nil && !utf8.ValidString(out) {
		t.Fatalf("decoded %q", out)
	}
}

func lengths(t *testing.T, e *tokenizer.Encoding) {
	t.Helper()
	n := e.Len()
	if len(e.TypeIDs) != n || len(e.Tokens) != n || len(e.Offsets) != n || len(e.WordIDs) != n || len(e.SpecialTokensMask) != n || len(e.AttentionMask) != n {
		t.Fatalf("the lengths of %+v differ", e)
	}
	for i := range n {
		e.TextOf(i)
	}
	for _, o := range e.Overflowing {
		lengths(t, o)
	}
}
