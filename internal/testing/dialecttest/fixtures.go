package dialecttest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// fixture is a file of bytecode beside a file of the suite, which says whether it can be read and what it holds.
type fixture struct {
	part    *part
	file    string // beside the part's file
	refused bool
	prefix  string // of the comments that tell what is found
}

func (f *fixture) name() string { return f.part.file + ":" + f.file }

var fixtureRun = regexp.MustCompile(`^// RUN: (not )?cuda-tile-translate -cudatilebc-to-mlir.* %S/(\S+)(?:.*--check-prefix=(\S+))?`)

// fixtures finds the files of bytecode that the comments of a part name.
func fixtures(p *part) (out []*fixture) {
	for _, line := range strings.Split(p.text, "\n") {
		if m := fixtureRun.FindStringSubmatch(line); m != nil {
			f := &fixture{part: p, file: m[2], refused: m[1] != "", prefix: "CHECK"}
			if m[3] != "" {
				f.prefix = m[3]
			}
			out = append(out, f)
		}
	}
	return out
}

// judge says what is wrong with what we read, "" for nothing.
func (f *fixture) judge(root string, rs *reasons) string {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path.Join(path.Dir(f.part.file), f.file))))
	if err != nil {
		return err.Error()
	}
	m, _, err := bytecode.Read(data)
	switch {
	case err == nil && f.refused:
		return "accepted"
	case err != nil && !f.refused:
		return err.Error()
	case err == nil:
		text, _ := printed(m, text.PrintOptions{MLIR: true, Version: suiteVersion})
		return check(text, directives(f.part))
	}
	for _, line := range strings.Split(f.part.text, "\n") {
		if want, ok := strings.CutPrefix(line, "// "+f.prefix+": "); ok && !rs.same(want, err.Error()) {
			return "expected " + want + ", but found " + err.Error()
		}
	}
	return ""
}
