package cpu_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

func TestRefCompile(t *testing.T) {
	files, _ := filepath.Glob("/work/shared/oracle/ref/*.tileirbc")
	d := newDevice(t, cpu.Options{})
	ok := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := bytecode.Read(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, e := range m.Entries {
			if _, err := d.Compile(context.Background(), m, e.Name); err != nil {
				t.Logf("%s: %v", filepath.Base(name), err)
			} else {
				ok++
			}
		}
	}
	t.Logf("%d of %d", ok, len(files))
}
