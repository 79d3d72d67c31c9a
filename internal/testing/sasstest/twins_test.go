package sasstest_test

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/sasstest"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

var (
	update  = flag.Bool("update", false, "measure cuTile Python's kernels and store what is in them")
	measure = flag.Bool("measure", false, "measure cuTile Python's kernels, too, and compare with what is stored")
)

const twinsFile = "testdata/twins.json"

// twins is what machine code of cuTile Python's kernels is full of. It follows from the bytecode and the tools, so that it is stored
// and counts as long as both are the same.
type twins struct {
	Tools    string                 // with their versions
	Profiles map[string]twinProfile // by file and target
}

type twinProfile struct {
	Digest string // of the bytecode
	sasstest.Profile
}

var storedTwins = sync.OnceValues(func() (s twins, err error) {
	data, err := os.ReadFile(twinsFile)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	return s, err
})

// measuredTwins are those of this run.
var measuredTwins = struct {
	sync.Mutex
	twins
}{twins: twins{Profiles: map[string]twinProfile{}}}

// TestMain stores what was measured, if that is asked for: beside what is stored by the same tools.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if made := measuredTwins.twins; *update && len(made.Profiles) > 0 {
		if old, err := storedTwins(); err == nil && old.Tools == made.Tools {
			maps.Copy(old.Profiles, made.Profiles)
			made = old
		}
		data, err := json.MarshalIndent(made, "", "\t")
		if err == nil {
			err = os.WriteFile(twinsFile, append(data, '\n'), 0o644)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// twin is what the machine code of a kernel of cuTile Python is full of: as it is stored, or else measured.
func twin(t *testing.T, file, target string) sasstest.Profile {
	t.Helper()
	s, data, tools := readTwins(t, file)
	p, ok := s.Profiles[file+" "+target]
	switch {
	case *measure || *update || s.Tools != tools:
	case !ok || p.Digest != digest(data):
		t.Errorf("%s lacks %s for %s: -update stores it", twinsFile, file, target)
	default:
		return p.Profile
	}
	return measuredTwin(t, file, target)
}

// measuredTwin measures it, and compares with what is stored.
func measuredTwin(t *testing.T, file, target string) sasstest.Profile {
	t.Helper()
	s, data, tools := readTwins(t, file)
	got, key := twinProfile{digest(data), sasstest.Measure(t, data, target)}, file+" "+target
	if old := s.Profiles[key]; s.Tools == tools && !*update && (old.String() != got.String() || old.Digest != got.Digest) {
		t.Errorf("%s has %v of %s for %s, but there are %v: -update stores them", twinsFile, old, file, target, got)
	}
	measuredTwins.Lock()
	defer measuredTwins.Unlock()
	measuredTwins.Tools, measuredTwins.Profiles[key] = tools, got
	return got.Profile
}

// readTwins gives what is stored, the bytecode of a kernel, and the tools that are there.
func readTwins(t *testing.T, file string) (s twins, bytecode []byte, tools string) {
	t.Helper()
	s, err := storedTwins()
	if err != nil && !*update {
		t.Fatal(err)
	}
	if bytecode, err = os.ReadFile(filepath.Join("testdata", file+".13.3.tileirbc")); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range []string{toolchain.Tileiras, toolchain.Ptxas, toolchain.Cuobjdump} {
		tool, err := toolchain.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := tool.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name+" "+info.Version)
	}
	return s, bytecode, strings.Join(names, ", ")
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return fmt.Sprintf("%x", sum[:8])
}
