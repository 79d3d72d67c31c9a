package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// assembler is the path of NVIDIA's ptxas: "" where there is none.
var assembler = func() string {
	tool, err := toolchain.Find("ptxas")
	if err != nil {
		return ""
	}
	return tool.Path
}()

// assemble gives what was written to NVIDIA's assembler, where there is one.
func assemble(text []byte) error {
	if assembler == "" {
		return nil
	}
	dir, err := os.MkdirTemp("", "ptxsuites")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}
	out, err := exec.Command(assembler, "-arch", target, "-O1", "-o", filepath.Join(dir, "k.cubin"), file).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ptxas refuses what was written: %s", strings.ReplaceAll(string(out), file, "k.ptx"))
	}
	return nil
}
