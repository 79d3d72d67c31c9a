package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGeneratedFileIsCurrent(t *testing.T) {
	have, err := os.ReadFile("../../../typed_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, generate()) {
		t.Error("typed_gen.go is not what typedgen writes: run go generate in the root folder")
	}
}
