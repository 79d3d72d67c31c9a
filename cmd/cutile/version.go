package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

var versionCommand = &command{
	name: "version", short: "print the version of cutile and of what it writes",
	setup: func(*flag.FlagSet) action { return version },
}

func version(c *call, args []string) error {
	if err := none(args); err != nil {
		return err
	}
	var bytecodes []string
	for _, v := range tileir.Versions() {
		bytecodes = append(bytecodes, v.String())
	}
	fmt.Fprintf(c.out, "cutile %s\ngo %s %s/%s\nbytecode %s\n", ownVersion(), strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH,
		strings.Join(bytecodes, ", "))
	return nil
}

// ownVersion is the module's version as Go's linker recorded it, with the revision if it knows one.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && v == "(devel)" {
			v += " " + s.Value
		}
	}
	return v
}
