package tokenizer

import (
	"bytes"
	"slices"
	"strings"
)

// A trie finds the words that a text starts with. The children of a node lie side by side.
type trie struct {
	nodes  []trieNode
	labels []byte // of the nodes
	starts [256]bool
}

type trieNode struct {
	first uint32 // the first child
	count uint16
	value int32 // of the word that ends here, or -1
}

// newTrie makes a trie of words; an empty word is never found.
func newTrie(words map[string]int32) *trie {
	sorted := make([]string, 0, len(words))
	for w := range words {
		if w != "" {
			sorted = append(sorted, w)
		}
	}
	slices.SortFunc(sorted, strings.Compare)
	t := &trie{nodes: []trieNode{{value: -1}}, labels: []byte{0}}
	type part struct {
		node   uint32
		lo, hi int // words
		depth  int
	}
	queue := []part{{0, 0, len(sorted), 0}}
	for len(queue) > 0 {
		p := queue[0]
		queue = queue[1:]
		t.nodes[p.node].first = uint32(len(t.nodes))
		for lo := p.lo; lo < p.hi; {
			c, hi := sorted[lo][p.depth], lo+1
			for hi < p.hi && sorted[hi][p.depth] == c {
				hi++
			}
			child := part{uint32(len(t.nodes)), lo, hi, p.depth + 1}
			node := trieNode{value: -1}
			if len(sorted[lo]) == child.depth {
				node.value = words[sorted[lo]]
				child.lo++
			}
			t.nodes, t.labels = append(t.nodes, node), append(t.labels, c)
			t.nodes[p.node].count++
			if child.lo < child.hi {
				queue = append(queue, child)
			}
			lo = hi
		}
	}
	for i := range t.nodes[0].count {
		t.starts[t.labels[1+i]] = true
	}
	return t
}

// prefixes calls f with each word that s starts with, from the shortest to the longest.
func (t *trie) prefixes(s string, f func(length int, value int32)) {
	node := &t.nodes[0]
	for i := 0; i < len(s) && node.count > 0; i++ {
		children := t.labels[node.first : node.first+uint32(node.count)]
		k := bytes.IndexByte(children, s[i])
		if k < 0 {
			return
		}
		node = &t.nodes[node.first+uint32(k)]
		if node.value >= 0 {
			f(i+1, node.value)
		}
	}
}
