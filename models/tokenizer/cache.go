package tokenizer

import (
	"hash/maphash"
	"strings"
	"sync"
)

// Limits of a cache: how many words each of its parts keeps, and how long they may be.
const (
	cacheParts  = 16
	cacheWords  = 1024
	cacheLength = 256
)

// A cache keeps the tokens of words, for any number of goroutines. When it is full it stays as it is.
type cache struct {
	seed  maphash.Seed
	parts [cacheParts]struct {
		sync.RWMutex
		words map[string][]token
	}
}

func newCache() *cache {
	c := &cache{seed: maphash.MakeSeed()}
	for i := range c.parts {
		c.parts[i].words = map[string][]token{}
	}
	return c
}

// tokenize gives the tokens of a word, which the caller must not change.
func (c *cache) tokenize(m model, s string) ([]token, error) {
	if len(s) >= cacheLength {
		return m.tokenize(s, nil)
	}
	part := &c.parts[maphash.String(c.seed, s)%cacheParts]
	part.RLock()
	tokens, ok := part.words[s]
	full := len(part.words) >= cacheWords
	part.RUnlock()
	if ok {
		return tokens, nil
	}
	if !full {
		s = strings.Clone(s) // the tokens must not keep the whole text in memory
	}
	tokens, err := m.tokenize(s, nil)
	if err == nil && !full {
		part.Lock()
		part.words[s] = tokens
		part.Unlock()
	}
	return tokens, err
}
