//go:build !nocuda && (amd64 || arm64)

package processtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestBundles: the folder of a fault has commands that repeat it, or what came before it, with the files in it alone and the command cutile.
func TestBundles(t *testing.T) {
	s := newSite(t)
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "cutile"), "../../../cmd/cutile").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shell := func(args ...string) (string, error) {
		cmd := exec.Command("sh", args...)
		cmd.Env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+os.Getenv("HOME"))
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, c := range []struct {
		name, device, assembles string
		env                     []string
		want                    string
		again                   string // what the command prints, which fails then; "" for a command that runs what is right
	}{
		{"tileiras crashes", "cuda", "echo said >&2; kill -SEGV $$", nil, "signal: segmentation fault", "said"},
		{"tileiras refuses", "cuda", "echo said >&2; exit 5", nil, "exit status 5", "said"},
		{"tileiras hangs", "cuda", "echo said >&2; sleep 2; exit 1", []string{"CUTILE_ASSEMBLE_TIMEOUT=200ms"}, "it took longer than 200ms", "said"},
		{"an engine panics", "broken", good, nil, "BUG: no code", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.again != "" && c.env != nil {
				testenv.Slow(t)
			}
			s := *s
			s.t = t
			dir := t.TempDir()
			s.assembles(c.assembles)
			s.run(c.device, "", c.want+"|the files to reproduce it are in "+dir, append(c.env, "CUTILE_ASSEMBLER=tileiras", "CUTILE_DEBUG=bundle="+dir, "CUTILE_CACHE="+t.TempDir())...)
			folders, _ := filepath.Glob(filepath.Join(dir, "*"))
			if len(folders) != 1 {
				t.Fatalf("the folders are %q", folders)
			}
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join(folders[0], name))
				if err != nil {
					t.Error(err)
				}
				return string(text)
			}
			if out, err := shell(filepath.Join(folders[0], "repeat.sh")); (err == nil) != (c.again == "") || !strings.Contains(out, c.again) {
				t.Errorf("repeat.sh: %v\n%s", err, out)
			}
			_, command, ok := strings.Cut(read("facts.txt"), "compiled without a proof by: ")
			if out, err := shell("-c", command); !ok || err != nil || !strings.Contains(out, strings.TrimSpace(read("kernel.tileir"))) {
				t.Errorf("%s: %v\n%s\nwant\n%s", command, err, out, read("kernel.tileir"))
			}
			if _, command, ok := strings.Cut(read("README.txt"), "smaller as long as the fault stays:\n\n\t"); ok != (c.device == "cuda") {
				t.Errorf("README.txt is\n%s", read("README.txt"))
			} else if command, _, _ = strings.Cut(command, "\n"); ok && c.env == nil {
				if out, err := shell("-c", "cd '"+folders[0]+"' && "+command); err != nil || !strings.Contains(out, "operations became 0 in ") {
					t.Errorf("%s: %v\n%s", command, err, out)
				}
			}
			for _, name := range []string{"facts.txt", "source-main.go"} {
				if strings.Count(read("README.txt"), "\n"+name+": ") != 1 {
					t.Errorf("README.txt does not name %s once:\n%s", name, read("README.txt"))
				}
			}
			if !strings.Contains(read("source-main.go"), "func double[") {
				t.Error("the source lacks the kernel")
			}
		})
	}
}
