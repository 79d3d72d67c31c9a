package minilm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/examples/apps/internal/minilm"
	"github.com/cutile-go/cutile/examples/apps/internal/needs"
)

// BenchmarkEncode measures batches of 16 texts of so many words, and single ones, with 1 and 2 workers; ONNX Runtime gets the same
// batches on as many threads.
func BenchmarkEncode(b *testing.B) {
	dir := needs.MiniLM(b)
	for _, words := range []int{10, 28, 60, 120} {
		for _, rows := range []int{1, 16} {
			texts := make([]string, rows)
			for i := range texts {
				texts[i] = strings.Repeat("light ", words)
			}
			peer := peerTimes(b, dir, texts)
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%dx%d/%d", rows, words, workers), func(b *testing.B) {
					dev, err := device.Open("cpu", device.WithWorkers(workers))
					if err != nil {
						b.Fatal(err)
					}
					defer dev.Close()
					e, err := minilm.Open(dev, dir)
					if err != nil {
						b.Fatal(err)
					}
					encode := func() {
						if _, err := e.Encode(b.Context(), texts); err != nil {
							b.Fatal(err)
						}
					}
					encode() // compiles
					for b.Loop() {
						encode()
					}
					per := b.Elapsed().Seconds() / float64(b.N)
					b.ReportMetric(float64(rows)/per, "texts/s")
					b.ReportMetric(peer[workers-1]/per, "of-onnxruntime")
				})
			}
		}
	}
}

// peerTimes gives the seconds that ONNX Runtime takes for a batch, on 1 and on 2 threads.
func peerTimes(b *testing.B, dir string, texts []string) (out [2]float64) {
	b.Helper()
	python := needs.Python(b, "minilm", "numpy", "onnx", "onnxruntime", "safetensors", "tokenizers")
	in, err := json.Marshal(texts)
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/reference.py", "time", dir, "2")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	data, err := cmd.Output()
	if err != nil {
		b.Fatal(err)
	}
	var threads int
	var cpu float64
	if _, err := fmt.Sscan(string(data), &threads, &out[0], &cpu, &threads, &out[1], &cpu); err != nil {
		b.Fatalf("%v: %s", err, data)
	}
	return out
}
