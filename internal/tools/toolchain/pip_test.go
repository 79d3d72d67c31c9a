package toolchain_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// TestPipIsIsolated: pip installs the files whose sums are pinned, from where its user says, and heeds no other setting.
func TestPipIsIsolated(t *testing.T) {
	dir := bare(t)
	py := fakePython(t, filepath.Join(dir, "python3"), "311", fill)
	settings := `global.index-url='https://user:secret@one.example/simple'
global.no-deps='false'
global.user='true'
install.target='/elsewhere'
install.index-url='https://user:secret@two.example/simple'
install.no-binary=':all:'
:env:.extra-index-url='https://three.example/a\nhttps://four.example/b'
:env:.find-links='wheels'
:env:.default-timeout='99'
:env:.cert="/it's/ca.pem"
:env:.proxy='http://proxy.example:3128'
:env:.no-index='false'
:env:.retries=5
:env:.client-cert=
`
	check(t, os.WriteFile(py+".config", []byte(settings), 0o600))
	t.Chdir(dir)
	_, err := toolchain.Install(background, toolchain.InstallOptions{Python: py})
	check(t, err)
	read := func(suffix string) string {
		b, err := os.ReadFile(py + suffix)
		check(t, err)
		return string(b)
	}
	args := " " + strings.TrimSpace(read(".args")) + " "
	for _, want := range []string{"-m pip install", "--isolated", "--require-hashes", "--no-deps", "--only-binary=:all:", "--timeout 99", "--retries 5", "--cert /it's/ca.pem"} {
		if !strings.Contains(args, " "+want+" ") {
			t.Errorf("pip's arguments lack %s: %s", want, args)
		}
	}
	if regexp.MustCompile(`secret|elsewhere|--user|no-binary`).MatchString(args) {
		t.Errorf("pip's arguments have what is no business of theirs: %s", args)
	}
	env := strings.Split(read(".env"), "\n")
	for _, want := range []string{"PIP_CONFIG_FILE=" + os.DevNull, "HTTPS_PROXY=http://proxy.example:3128"} {
		if !slices.Contains(env, want) {
			t.Errorf("pip's environment lacks %s", want)
		}
	}
	lines := strings.Split(strings.TrimSpace(read(".requirements")), "\n")
	from := []string{"--index-url https://user:secret@two.example/simple", "--extra-index-url https://three.example/a",
		"--extra-index-url https://four.example/b", "--find-links " + filepath.Join(dir, "wheels")}
	if len(lines) != len(from)+6 || !slices.Equal(lines[:len(from)], from) {
		t.Fatalf("requirements are\n%s", strings.Join(lines, "\n"))
	}
	pinned := regexp.MustCompile(`^nvidia-[a-z-]+==13\.[0-9.]+( --hash=sha256:[0-9a-f]{64}){3}$`) // one sum for each platform
	for _, line := range lines[len(from):] {
		if !pinned.MatchString(line) {
			t.Errorf("%s is not pinned by its sums", line)
		}
	}
}

// TestOtherFiles: what an index gives in place of NVIDIA's files is refused with the reason.
func TestOtherFiles(t *testing.T) {
	dir := bare(t)
	py := fakePython(t, filepath.Join(dir, "python3"), "311",
		`echo "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE." >&2; exit 1`)
	_, err := toolchain.Install(background, toolchain.InstallOptions{Python: py})
	if want := "toolchain install: pip install: the package index gave other files than NVIDIA published; a mirror may"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}
