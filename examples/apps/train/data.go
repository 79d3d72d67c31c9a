package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer"
)

// kjv is a part of the King James Bible; README.md tells where it comes from.
//
//go:embed kjv.txt.gz
var kjv []byte

// maxText is how many bytes a text may have.
const maxText = 64 << 20

// readText reads the text of a file, or the one that comes with the program.
func readText(path string) (string, error) {
	var r io.Reader
	if path == "" {
		z, err := gzip.NewReader(bytes.NewReader(kjv))
		if err != nil {
			return "", err
		}
		r = z
	} else {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		r = f
	}
	text, err := io.ReadAll(io.LimitReader(r, maxText+1))
	switch {
	case err != nil:
		return "", err
	case len(text) > maxText:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxText)
	case !utf8.Valid(text):
		return "", fmt.Errorf("%s is not UTF-8", path)
	}
	return string(text), nil
}

// corpus is a text as tokens, of which the last tenth is held out.
type corpus struct {
	learned, held []int32
	bytesPerToken float64 // of what is held out
	digest        string  // of the text
}

func newCorpus(text string, tok *tokenizer.Tokenizer, span int) (*corpus, error) {
	cut := len(text) / 10 * 9
	for cut < len(text) && text[cut] != '\n' {
		cut++
	}
	a, err := tok.Encode(text[:cut])
	if err != nil {
		return nil, err
	}
	b, err := tok.Encode(text[cut:])
	if err != nil {
		return nil, err
	}
	if least := span + 1; len(a.IDs) < least || len(b.IDs) < least {
		return nil, fmt.Errorf("the text has %d tokens to learn and %d held out, expected at least %d of each: take a longer text or a shorter -context", len(a.IDs), len(b.IDs), least)
	}
	sum := sha256.Sum256([]byte(text))
	return &corpus{a.IDs, b.IDs, float64(len(text)-cut) / float64(len(b.IDs)), hex.EncodeToString(sum[:])}, nil
}

// batch gives the tokens of a step and those that follow them: windows of span tokens from random places. They depend on the seed
// and the step alone, so that training that goes on has the same ones.
func (c *corpus) batch(seed uint64, step, windows, span int) (ids, targets []int32) {
	r := rand.New(rand.NewPCG(seed, uint64(step)))
	for range windows {
		at := r.IntN(len(c.learned) - span)
		ids, targets = append(ids, c.learned[at:at+span]...), append(targets, c.learned[at+1:at+span+1]...)
	}
	return ids, targets
}

// heldOut gives batches of windows that follow each other in what is held out, at most some.
func (c *corpus) heldOut(batches, windows, span int) (ids, targets [][]int32) {
	for b := range batches {
		var x, y []int32
		for w := range windows {
			at := (b*windows + w) * span % (len(c.held) - span)
			x, y = append(x, c.held[at:at+span]...), append(y, c.held[at+1:at+span+1]...)
		}
		ids, targets = append(ids, x), append(targets, y)
	}
	return ids, targets
}
