package emuprofile_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/toolbox/emuprofile"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
)

// FuzzFile: no text of PTX makes a profile panic. Kernels get small arrays and zeros.
func FuzzFile(f *testing.F) {
	for _, pattern := range []string{"good", "bad"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "simt", "ptx", "testdata", pattern, "*.ptx"))
		if err != nil || len(files) < 10 {
			f.Fatalf("%d files, %v", len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ptx.Read(text)
		if err != nil {
			return
		}
		file := filepath.Join(dir, "k.ptx")
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		for i, k := range m.Kernels {
			p := &emuprofile.File{Options: emuprofile.Options{Target: "sm_90", Out: io.Discard, JSON: i%2 == 0}, Kernel: k.Name, Grid: [3]int{2, 1, 1},
				Workers: 1, Notes: io.Discard}
			if k.Block == [3]int{} {
				p.Block = [3]int{40, 1, 1}
			}
			for _, x := range k.Params {
				arg := "0"
				switch {
				case x.Bytes > 4096:
					return
				case x.Bytes > 0:
					arg = fmt.Sprintf("uint8:%d", x.Bytes)
				case strings.HasSuffix(x.Type, "64"):
					arg = "int32:256"
				}
				p.Args = append(p.Args, modrun.Argument{Flag: "-arg", Text: arg})
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			p.Run(ctx, nil, file) // an error is fine
			cancel()
		}
	})
}
