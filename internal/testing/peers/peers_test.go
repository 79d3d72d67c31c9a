package main

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"testing"
)

// ask starts a server in this process and returns a function that sends it requests.
func ask(t *testing.T) func(request) answer {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	go func() { out.CloseWithError(serve(in, out, 0)) }()
	t.Cleanup(func() { requests.Close() })
	enc, dec := json.NewEncoder(requests), json.NewDecoder(answers)
	return func(r request) (a answer) {
		if err := enc.Encode(r); err != nil {
			t.Fatal(err)
		}
		if err := dec.Decode(&a); err != nil {
			t.Fatal(err)
		}
		return a
	}
}

// TestKinds runs each family of workloads with small extents, and compares the engine's result with that of loops in Go.
func TestKinds(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if name == "fma" && fmaLoop == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			k, send := kinds[name], ask(t)
			a := send(request{Op: "begin", Kind: name, Dims: k.tiny})
			if a.Error != "" || !slices.Contains(a.Contenders, engine) {
				t.Fatalf("contenders %q, error %q", a.Contenders, a.Error)
			}
			got := send(request{Op: "check", Contender: engine})
			want := send(request{Op: "check", Contender: loops})
			if got.Error != "" || want.Error != "" {
				t.Fatal(got.Error, want.Error)
			}
			if err := got.Digest.compare(*want.Digest, k.tol); err != nil {
				t.Error(err)
			}
		})
	}
}
