package toolchain

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// pipSettings are the values of pip's settings, by name.
type pipSettings map[string][]string

// pipKind says how a setting reaches a pip that reads no settings.
type pipKind int

const (
	inFile   pipKind = iota // a line of the requirements, where no other user sees the password in it
	inFlags                 // a line or option without a value
	inOption                // an option of the command
	inProxy                 // the variables that every program reads
)

// pipKept are the settings that say where files come from and how they are reached. All others, such as target, user,
// prefix or no-deps, are ours.
var pipKept = []struct {
	name string
	kind pipKind
	path bool // a value that is no address names a file
}{
	{"index-url", inFile, false}, {"extra-index-url", inFile, false}, {"find-links", inFile, true}, {"no-index", inFlags, false},
	{"trusted-host", inFile, false}, {"cert", inOption, true}, {"client-cert", inOption, true}, {"timeout", inOption, false},
	{"retries", inOption, false}, {"keyring-provider", inOption, false}, {"proxy", inProxy, false},
}

// pipAliases are other spellings of settings.
var pipAliases = map[string]string{"default-timeout": "timeout", "pypi-url": "index-url"}

// readPipSettings asks pip, which knows its files, sections and variables.
func readPipSettings(ctx context.Context, py python) (pipSettings, error) {
	out, errs, err := Command{Path: py.path, Args: []string{"-m", "pip", "config", "list"}, Dir: py.dir}.Run(ctx)
	if err != nil {
		return nil, &InstallError{Step: "pip's settings", Reason: "pip config list failed: " + err.Error(), Output: tail(errs), Err: err,
			Advice: "check pip's configuration file and the variables PIP_*"}
	}
	return parsePipSettings(string(out)), nil
}

// parsePipSettings reads lines such as global.index-url='…'. A later section goes before an earlier one: global settings,
// those of the command install, the environment.
func parsePipSettings(list string) pipSettings {
	set := pipSettings{}
	for _, section := range []string{"global", "install", ":env:"} {
		for line := range strings.Lines(list) {
			key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
			name, own := strings.CutPrefix(key, section+".")
			if !ok || !own {
				continue
			}
			name = strings.ReplaceAll(name, "_", "-")
			if other := pipAliases[name]; other != "" {
				name = other
			}
			set[name] = strings.Fields(unquotePython(value))
		}
	}
	return set
}

// unquotePython reads a string as Python's repr writes it.
func unquotePython(s string) string {
	if len(s) < 2 {
		return s
	}
	inner := s[1 : len(s)-1]
	if s[0] == '\'' {
		inner = strings.ReplaceAll(strings.ReplaceAll(inner, `\'`, `'`), `"`, `\"`)
	}
	if text, err := strconv.Unquote(`"` + inner + `"`); err == nil {
		return text
	}
	return inner
}

// value makes a path whole, as pip runs in another folder than the user does.
func (pipSettings) value(v string, path bool) string {
	if path && !strings.Contains(v, ":") {
		if abs, err := filepath.Abs(v); err == nil {
			return abs
		}
	}
	return v
}

// requirements gives the lines that say where files come from.
func (p pipSettings) requirements() string {
	var b strings.Builder
	for _, k := range pipKept {
		for _, v := range p[k.name] {
			switch {
			case k.kind == inFile:
				fmt.Fprintf(&b, "--%s %s\n", k.name, p.value(v, k.path))
			case k.kind == inFlags && slices.Contains([]string{"1", "y", "yes", "t", "true", "on"}, strings.ToLower(v)):
				fmt.Fprintf(&b, "--%s\n", k.name)
			}
		}
	}
	return b.String()
}

// options gives those of the command.
func (p pipSettings) options() []string {
	var out []string
	for _, k := range pipKept {
		if v := p[k.name]; k.kind == inOption && len(v) > 0 {
			out = append(out, "--"+k.name, p.value(strings.Join(v, " "), k.path))
		}
	}
	return out
}

// environment gives the variables.
func (p pipSettings) environment() []string {
	var out []string
	for _, k := range pipKept {
		if v := p[k.name]; k.kind == inProxy && len(v) > 0 {
			out = append(out, "HTTPS_PROXY="+v[0], "HTTP_PROXY="+v[0], "https_proxy="+v[0], "http_proxy="+v[0])
		}
	}
	return out
}

// requirements gives a line for each wheel, with the sum of its file for each platform.
func (r release) requirements() string {
	var b strings.Builder
	for _, w := range r.wheels {
		b.WriteString(w.pin())
		for _, platform := range slices.Sorted(maps.Keys(w.sums)) {
			b.WriteString(" --hash=sha256:" + w.sums[platform])
		}
		b.WriteString("\n")
	}
	return b.String()
}
