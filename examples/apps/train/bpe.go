package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// end is the token that ends texts. It is the last one of the vocabulary.
const end = "<|end|>"

// byteRunes are the characters that stand for bytes in tokenizer.json, as for GPT-2: printable ones for themselves, the others for
// those from U+0100 on.
func byteRunes() (runes [256]rune) {
	next := rune(256)
	for b := range runes {
		if b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE {
			runes[b] = rune(b)
		} else {
			runes[b] = next
			next++
		}
	}
	return runes
}

// pieces cuts a text where the pre-tokenizer of the kind ByteLevel does: into words, numbers, other signs and spaces, of which one
// stays with what follows it. (A. Radford and others, Language models are unsupervised multitask learners, 2019.)
func pieces(text string) []string {
	kind := func(r rune) int {
		switch {
		case unicode.IsSpace(r):
			return 0
		case unicode.IsLetter(r):
			return 1
		case unicode.IsNumber(r):
			return 2
		}
		return 3
	}
	runes := []rune(text)
	var all []string
	for i := 0; i < len(runes); {
		j := i
		if kind(runes[i]) == 0 {
			for j < len(runes) && kind(runes[j]) == 0 {
				j++
			}
			// The last one of several spaces belongs to what follows.
			if j < len(runes) && j-i > 1 {
				j--
			} else if j < len(runes) && runes[i] == ' ' {
				for k := kind(runes[j]); j < len(runes) && kind(runes[j]) == k; {
					j++
				}
			}
		} else {
			for k := kind(runes[i]); j < len(runes) && kind(runes[j]) == k; {
				j++
			}
		}
		all = append(all, string(runes[i:j]))
		i = j
	}
	return all
}

// word is a piece of the text as tokens, and how often it is there.
type word struct {
	parts []string
	count int
}

// learn finds merges of neighbouring tokens, the most frequent pair first, until there are as many tokens as asked for or no pair
// comes twice. (R. Sennrich and others, Neural machine translation of rare words with subword units, 2016.)
func learn(text string, size int) (tokens []string, merges [][2]string) {
	runes := byteRunes()
	for _, r := range runes {
		tokens = append(tokens, string(r))
	}
	words := countWords(text, runes)
	for len(tokens) < size-1 {
		pair, count := frequent(words)
		if count < 2 {
			break
		}
		merges = append(merges, pair)
		tokens = append(tokens, pair[0]+pair[1])
		for i := range words {
			words[i].merge(pair)
		}
	}
	return append(tokens, end), merges
}

func countWords(text string, runes [256]rune) []word {
	counts := map[string]int{}
	for _, p := range pieces(text) {
		counts[p]++
	}
	var words []word
	for p, n := range counts {
		w := word{count: n}
		for _, b := range []byte(p) {
			w.parts = append(w.parts, string(runes[b]))
		}
		words = append(words, w)
	}
	return words
}

// frequent finds the most frequent pair: of equal ones the first in alphabetical order, so that maps change nothing.
func frequent(words []word) (best [2]string, most int) {
	counts := map[[2]string]int{}
	for _, w := range words {
		for i := range len(w.parts) - 1 {
			counts[[2]string{w.parts[i], w.parts[i+1]}] += w.count
		}
	}
	for pair, n := range counts {
		if n > most || n == most && (pair[0] < best[0] || pair[0] == best[0] && pair[1] < best[1]) {
			best, most = pair, n
		}
	}
	return best, most
}

// merge joins each occurrence of a pair.
func (w *word) merge(pair [2]string) {
	for i := 0; i+1 < len(w.parts); i++ {
		if w.parts[i] == pair[0] && w.parts[i+1] == pair[1] {
			w.parts = slices.Replace(w.parts, i, i+2, pair[0]+pair[1])
		}
	}
}

// tokenizerJSON writes the vocabulary in the format of Hugging Face's tokenizers.
func tokenizerJSON(tokens []string, merges [][2]string) ([]byte, error) {
	vocab := map[string]int{}
	for i, t := range tokens[:len(tokens)-1] {
		if _, twice := vocab[t]; twice {
			return nil, fmt.Errorf("BUG: the token %q is there twice", t)
		}
		vocab[t] = i
	}
	lines := make([]string, len(merges))
	for i, m := range merges {
		lines[i] = strings.Join(m[:], " ")
	}
	level := map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	return json.MarshalIndent(map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil, "post_processor": nil,
		"added_tokens": []any{map[string]any{"id": len(tokens) - 1, "content": end, "single_word": false, "lstrip": false, "rstrip": false,
			"normalized": false, "special": true}},
		"pre_tokenizer": level, "decoder": level,
		"model": map[string]any{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "vocab": vocab, "merges": lines},
	}, "", " ")
}
