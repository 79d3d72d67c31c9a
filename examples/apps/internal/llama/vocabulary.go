package llama

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/models/gguf"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// The types of tokens in tokenizer.ggml.token_type that are not ordinary.
const (
	controlToken = 3
	userToken    = 4
)

// words is how the pre-tokenizers of Llama 3 and Qwen 2 cut a text; they differ in how many digits stay together.
const words = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

// ggufSplits are the values of tokenizer.ggml.pre that are known, and their patterns; "" is that of GPT-2, which ByteLevel has.
var ggufSplits = map[string]struct {
	pattern      string
	nfc          bool
	ignoreMerges bool
}{
	"gpt-2":     {},
	"llama-bpe": {pattern: fmt.Sprintf(words, "{1,3}"), ignoreMerges: true},
	"qwen2":     {pattern: fmt.Sprintf(words, ""), nfc: true},
}

// object is a JSON object.
type object = map[string]any

// ggufTokenizer makes a tokenizer of the metadata of a GGUF file: those of the kind of GPT-2.
func ggufTokenizer(f *gguf.File) (*tokenizer.Tokenizer, error) {
	kind, _ := f.Value("tokenizer.ggml.model").(string)
	if kind != "gpt2" {
		return nil, fmt.Errorf("tokenizer.ggml.model is %q: tokenizers of the kind gpt2 can be made of a GGUF file", kind)
	}
	pre, _ := f.Value("tokenizer.ggml.pre").(string)
	split, ok := ggufSplits[pre]
	if !ok {
		return nil, fmt.Errorf("tokenizer.ggml.pre is %q: gpt-2, llama-bpe and qwen2 are known", pre)
	}
	tokens, err := gguf.Get[[]string](f, "tokenizer.ggml.tokens")
	if err != nil {
		return nil, err
	}
	merges, err := gguf.Get[[]string](f, "tokenizer.ggml.merges")
	if err != nil {
		return nil, err
	}
	types, err := gguf.Get[[]int32](f, "tokenizer.ggml.token_type")
	if err != nil {
		return nil, err
	}
	if len(types) != len(tokens) {
		return nil, errors.New("tokenizer.ggml.token_type and tokenizer.ggml.tokens have different lengths")
	}
	vocab, added := map[string]int{}, []object{}
	for id, token := range tokens {
		if _, twice := vocab[token]; twice {
			return nil, fmt.Errorf("tokenizer.ggml.tokens has %q twice", token)
		}
		vocab[token] = id
		if t := types[id]; t == controlToken || t == userToken {
			added = append(added, object{"id": id, "content": token, "single_word": false, "lstrip": false, "rstrip": false,
				"normalized": false, "special": t == controlToken})
		}
	}
	level := object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": split.pattern == ""}
	file := object{
		"version": "1.0", "added_tokens": added, "normalizer": nil, "post_processor": nil, "pre_tokenizer": level,
		"decoder": object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false, "use_regex": false},
		"model":   object{"type": "BPE", "vocab": vocab, "merges": merges, "ignore_merges": split.ignoreMerges},
	}
	if split.pattern != "" {
		file["pre_tokenizer"] = object{"type": "Sequence", "pretokenizers": []object{
			{"type": "Split", "pattern": object{"Regex": split.pattern}, "behavior": "Isolated", "invert": false}, level}}
	}
	if split.nfc {
		file["normalizer"] = object{"type": "NFC"}
	}
	text, err := json.Marshal(file)
	if err != nil {
		return nil, err
	}
	return tokenizer.Read(bytes.NewReader(text))
}
