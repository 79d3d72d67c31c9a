package dialecttest

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// suiteVersion is the version of the bytecode that the suite is for: names of operations are those of it.
const suiteVersion = tileir.V13_3

// fault is something that we say of a part.
type fault struct {
	kind string // error or warning
	line int
	what string
}

func (f fault) String() string { return fmt.Sprintf("%s in line %d: %s", f.kind, f.line, f.what) }

var versionFlag = regexp.MustCompile(`-bytecode-version=([\d.]+)`)

// version is the one that the part is to be written in.
func (p *part) version() (tileir.Version, error) {
	if m := versionFlag.FindStringSubmatch(p.flags); m != nil {
		return tileir.ParseVersion(m[1])
	}
	return tileir.Newest, nil
}

func (p *part) has(flag string) bool { return strings.Contains(p.flags, flag) }

// read gives the modules of the part, and all that is wrong with them.
func (p *part) read() (ms []*tileir.Module, faults []fault) {
	v, err := p.version()
	if err != nil {
		return nil, []fault{{"error", 0, err.Error()}}
	}
	ms, err = irtext.ParseAll(p.source(), irtext.ParseOptions{File: p.file, Tests: true})
	var wrong *irtext.ParseError
	if errors.As(err, &wrong) {
		return nil, []fault{{"error", wrong.Line, wrong.What}}
	}
	for _, m := range ms {
		faults = append(faults, verified(m, v)...)
		if p.has("-Wunsupported-hints") {
			for _, w := range tileir.Warnings(m, v) {
				faults = append(faults, fault{"warning", w.Text.Line, w.What})
				if p.has("-Werr-hints") {
					faults = append(faults, fault{"error", w.Text.Line, w.What})
				}
			}
		}
		if len(faults) == 0 && p.has("-mlir-to-cudatilebc") {
			if _, err := bytecode.Write(m, v, bytecode.Options{}); err != nil {
				faults = append(faults, fault{"error", m.TextPos(m).Line, err.Error()})
			}
		}
	}
	return ms, faults
}

func verified(m *tileir.Module, v tileir.Version) (out []fault) {
	var joined interface{ Unwrap() []error }
	if !errors.As(m.Verify(v), &joined) {
		return nil
	}
	for _, err := range joined.Unwrap() {
		var e *tileir.VerifyError
		if errors.As(err, &e) {
			out = append(out, fault{"error", e.Text.Line, e.What})
		}
	}
	return out
}

// judge says what is wrong with what we make of a part, "" for nothing.
func (p *part) judge(rs *reasons) string {
	ms, faults := p.read()
	if len(p.expects) > 0 {
		return p.judgeFaults(rs, faults)
	}
	if len(faults) > 0 {
		return "refused: " + faults[0].String()
	}
	return p.roundTrips(ms)
}

// judgeFaults compares what we find with what is expected: each has its match, and the first of ours matches one.
func (p *part) judgeFaults(rs *reasons, faults []fault) string {
	if len(faults) == 0 {
		return "accepted, but expected " + p.expects[0].String()
	}
	first := false
	for _, e := range p.expects {
		met := false
		for i, f := range faults {
			if e.kind != f.kind || e.line != 0 && e.line != f.line {
				continue
			}
			if ok := rs.same(e.text, f.what); ok {
				met = true
				first = first || i == 0 || f.line == faults[0].line
			}
		}
		if !met {
			return fmt.Sprintf("expected %v, but found %v", e, faults[0])
		}
	}
	if !first {
		return fmt.Sprintf("expected %v first, but found %v", p.expects[0], faults[0])
	}
	return ""
}

// roundTrips prints and reads modules in every form that can hold them, and holds what is printed against the file's own
// comments.
func (p *part) roundTrips(ms []*tileir.Module) string {
	var text string
	for _, m := range ms {
		once, err := printed(m, irtext.PrintOptions{MLIR: true, Debug: true})
		if err != nil {
			return err.Error()
		}
		for _, opts := range []irtext.PrintOptions{{MLIR: true, Debug: true}, {MLIR: true, Debug: true, Generic: true}} {
			if what := p.again(m, once, opts); what != "" {
				return what
			}
		}
		back, what := p.asFile(m)
		if what != "" {
			return what
		}
		if p.has("-bytecode-version") && back != nil {
			m = back
		}
		shown, _ := printed(m, irtext.PrintOptions{MLIR: true, Version: suiteVersion, Debug: p.has("--mlir-print-debuginfo")})
		text += shown
	}
	if ds := directives(p); len(ds) > 0 && p.has("FileCheck") && !p.has("--canonicalize") && !p.has("--test-") {
		if what := check(text, ds); what != "" {
			return "FileCheck: " + what
		}
	}
	return ""
}

// again prints a module in a form, reads it, and compares.
func (p *part) again(m *tileir.Module, once string, opts irtext.PrintOptions) string {
	text, err := printed(m, opts)
	if err != nil {
		return err.Error()
	}
	back, err := irtext.ParseAll(text, irtext.ParseOptions{File: "printed", Tests: true})
	if err != nil {
		return fmt.Sprintf("what is printed cannot be read: %v\n%s", err, text)
	}
	if len(back) != 1 {
		return fmt.Sprintf("one module is %d when printed and read", len(back))
	}
	v, _ := p.version()
	if faults := verified(back[0], v); len(faults) > 0 {
		return fmt.Sprintf("what is printed is refused: %v\n%s", faults[0], text)
	}
	twice, err := printed(back[0], irtext.PrintOptions{MLIR: true, Debug: true})
	if err != nil || twice != once {
		return fmt.Sprintf("another module when printed and read: %v\n%s\n%s", err, once, twice)
	}
	return ""
}

// asFile writes a module as bytecode where a file can hold it, reads it, and compares.
func (p *part) asFile(m *tileir.Module) (back *tileir.Module, what string) {
	v, err := p.version()
	if err != nil || m.OnlyText() != "" {
		return nil, ""
	}
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		return nil, err.Error()
	}
	if back, _, err = bytecode.Read(data); err != nil {
		return nil, err.Error()
	}
	back.Name = m.Name
	sent := *m
	if v < tileir.V13_3 {
		sent.Producer = "" // which older files do not hold
	}
	opts := irtext.PrintOptions{MLIR: true, Debug: p.has("--mlir-print-debuginfo")}
	a, _ := printed(&sent, opts)
	if b, err := printed(back, opts); err != nil || a != b {
		return nil, fmt.Sprintf("another module when written and read: %v\n%s\n%s", err, a, b)
	}
	return back, ""
}

func printed(m *tileir.Module, opts irtext.PrintOptions) (string, error) {
	var b strings.Builder
	err := irtext.Print(&b, m, opts)
	return b.String(), err
}
