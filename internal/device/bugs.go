package device

import (
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/tileir"
)

// report is what is known of an entry that the engine did not compile, and how that is repeated, if there is a command for it.
func (d *Device) report(m *tileir.Module, entry, name string) *bundle.Report {
	r := &bundle.Report{Name: name, Target: d.eng.Target(), Module: m, Versions: []string{"device " + d.eng.Description()}}
	command := bundle.OnCPU
	switch kind, _, _ := strings.Cut(d.eng.Name(), ":"); kind {
	case "cuda":
		command = bundle.OnThreads + " -target " + bundle.Quote(d.eng.Target())
	case "vulkan": // dump makes SPIR-V of a kernel's source only: see the facts
		return r
	}
	for _, e := range m.Entries {
		if e.Name == entry {
			r.Repeat = (&bundle.Launch{}).Command(command, e)
		}
	}
	return r
}

// simtReport is what is known of a module of the SIMT level that the engine did not load.
func (d *Device) simtReport(m *simt.Module, image []byte) *bundle.Report {
	r := &bundle.Report{Name: titles(m), Target: d.eng.Target(), Versions: []string{"device " + d.eng.Description()},
		SIMT: m, Files: map[string][]byte{}}
	r.RepeatSIMT(&bundle.Launch{}, nil)
	if image != nil {
		r.Files["module.image"] = image
	}
	return r
}
