package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cutile-go/cutile/internal/toolchain"
)

// Assemble has NVIDIA's ptxas make machine code of PTX.
func Assemble(ctx context.Context, ptx []byte, arch string, level int) ([]byte, error) {
	tool, err := toolchain.Find(toolchain.Ptxas)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "cutile-ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "module.ptx"), filepath.Join(dir, "module.cubin")
	if err := os.WriteFile(in, ptx, 0o666); err != nil {
		return nil, err
	}
	text, err := exec.CommandContext(ctx, tool.Path, "-arch", arch, fmt.Sprintf("-O%d", level), "-o", out, in).CombinedOutput()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w\n%s", tool.Path, err, strings.TrimSpace(string(text)))
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(out)
}
