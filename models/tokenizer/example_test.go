package tokenizer_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/cutile-go/cutile/models/tokenizer"
)

// file is a small tokenizer.json: byte-level BPE with two special tokens.
const file = `{
	"version": "1.0",
	"added_tokens": [
		{"id": 0, "content": "<s>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false},
		{"id": 1, "content": "</s>", "special": true, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false}
	],
	"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
	"post_processor": {
		"type": "TemplateProcessing",
		"single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
		"pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
			{"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
		"special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}
	},
	"decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
	"model": {
		"type": "BPE",
		"vocab": {"<s>": 0, "</s>": 1, "t": 2, "h": 3, "e": 4, "Ġ": 5, "th": 6, "the": 7, "Ġthe": 8, "Ã": 9, "©": 10},
		"merges": ["t h", "th e", "Ġ the"]
	}
}`

func Example() {
	tok, err := tokenizer.Read(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	text := "the thé"
	enc, err := tok.Encode(text)
	if err != nil {
		log.Fatal(err)
	}
	for i, o := range enc.Offsets {
		fmt.Printf("%d %s %q\n", enc.IDs[i], enc.Tokens[i], text[o.Start:o.End])
	}
	out, err := tok.Decode(enc.IDs, true)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output:
	// 0 <s> ""
	// 7 the "the"
	// 5 Ġ " "
	// 6 th "th"
	// 9 Ã "é"
	// 10 © "é"
	// the thé
}

func ExampleTokenizer_NewStream() {
	tok, err := tokenizer.Read(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	s := tok.NewStream(true)
	for _, id := range []int32{0, 7, 8, 9, 10} {
		part, err := s.Step(id)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%q ", part) // the two bytes of é come together
	}
	// Output: "" "the" " the" "" "é"
}

func ExampleTokenizer_EncodeBatch() {
	tok, err := tokenizer.Read(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	batch, err := tok.EncodeBatch([]string{"the", "the the the"},
		tokenizer.WithTruncation(tokenizer.Truncation{MaxLength: 3}), tokenizer.WithPadding(tokenizer.Padding{ID: 1, Token: "</s>"}))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range batch {
		fmt.Println(e.IDs, e.AttentionMask, len(e.Overflowing))
	}
	// Output:
	// [0 7 1] [1 1 0] 0
	// [0 7 8] [1 1 1] 1
}
