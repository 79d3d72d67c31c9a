package run

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	switches "github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/engine"
)

// assembler is what makes code of modules, whatever device they are for.
func assembler() (engine.SIMTAssembler, error) {
	to, err := engine.Ahead()
	if err != nil {
		return nil, err
	}
	asm, ok := to.(engine.SIMTAssembler)
	if !ok {
		return nil, errors.New("no engine of this program makes code for kernels of package cute")
	}
	return asm, nil
}

// code describes the program to the assembler.
func (p *program) code() engine.SIMTCode {
	c := engine.SIMTCode{Module: p.module, Arch: p.arch, Lines: p.options.Assertions || p.options.Dump != "", Level: p.options.Opt.Level()}
	if !p.options.NoCache && !p.module.Debug() { // whose text does not say all
		c.Key = p.hash[:]
	}
	return c
}

// made counts code that was made, or found on disk.
func (p *program) made(kind string, found bool) {
	if !found {
		counters.assembled.Add(1)
		return
	}
	counters.found.Add(1)
	p.options.log("%s: %s found in the cache folder", p.module.Name, kind)
}

// forget drops what is kept of the program, which a driver refused, so that the next process makes it anew.
func (p *program) forget() error {
	if p.image == nil {
		return nil
	}
	asm, err := assembler()
	if err != nil {
		return err
	}
	return asm.Forget(p.code())
}

// environment has the settings of the environment that affect what is made, except those of tools.
func environment() string {
	return os.Getenv(OptionsEnv) + map[bool]string{true: " with variables"}[switches.On(switches.Variables)]
}

// version identifies the compiler: by the module's version, or by the program if the module is a working copy.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return executable()
	}
	const path = "github.com/cutile-go/cutile"
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == path && m.Version != "" && !strings.Contains(m.Version, "devel") && m.Replace == nil {
			return m.Version + " " + m.Sum
		}
	}
	return executable()
})

// executable names the running program by size and time.
func executable() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	st, err := os.Stat(file)
	if err != nil {
		return ""
	}
	return fmt.Sprint(st.Size(), st.ModTime().UnixNano())
}
