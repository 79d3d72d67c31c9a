package tokenizer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/models/internal/piptest"
	"github.com/cutile-go/cutile/models/tokenizer"
)

// BenchmarkPeer encodes the same lines, one by one and on one thread, here and in pip's tokenizers, and reports how many
// times as long the other one takes.
func BenchmarkPeer(b *testing.B) {
	path := piptest.Python(b, "tokenizers")
	for _, name := range []string{"bert", "gpt2", "llama3", "unigram", "sp-bpe"} {
		b.Run(name, func(b *testing.B) {
			cmd := exec.Command(path, "bench.py", name)
			cmd.Dir = "testdata"
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "TOKENIZERS_PARALLELISM=false", "RAYON_NUM_THREADS=1")
			out, err := cmd.Output()
			if err != nil {
				b.Fatal(err)
			}
			var peer struct {
				Spec    json.RawMessage
				Lines   []string
				Seconds float64 // for all lines once
				Tokens  int
			}
			if err := json.Unmarshal(out, &peer); err != nil {
				b.Fatal(err)
			}
			tok, err := tokenizer.Read(bytes.NewReader(peer.Spec))
			if err != nil {
				b.Fatal(err)
			}
			size := len(strings.Join(peer.Lines, ""))
			b.SetBytes(int64(size))
			n := 0
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				n = 0
				for _, line := range peer.Lines {
					e, err := tok.Encode(line, tokenizer.RuneOffsets())
					if err != nil {
						b.Fatal(err)
					}
					n += e.Len()
				}
				best = min(best, time.Since(start))
			}
			if n != peer.Tokens {
				b.Fatalf("%d tokens, want %d", n, peer.Tokens)
			}
			b.ReportMetric(peer.Seconds/best.Seconds(), "peer/this")
		})
	}
}

// BenchmarkLength encodes texts of one word, to show that time grows with the length only.
func BenchmarkLength(b *testing.B) {
	models := golden(b)
	for _, name := range []string{"bert", "gpt2", "unigram-whole", "sp-bpe"} {
		for _, n := range []int{1000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				tok := models(name)
				text := strings.Repeat("abé漢", n/4)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := tok.Encode(text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
