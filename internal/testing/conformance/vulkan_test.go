package conformance

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/cutile-go/cutile"
	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
)

// notOnVulkan are the cases that a Vulkan device refuses, with the reason.
var notOnVulkan = map[string]string{}

// endless are cases that Mesa's driver on the CPU compiles for longer than tests may take.
var endless = map[string]string{
	"sort/uint64":   "a block sorts 256 numbers, with barriers in between",
	"argsort/int16": "a block sorts 64 pairs, with barriers in between",
}

// TestVulkan runs every twelfth case, or with CUTILE_OWN=all every case, on a Vulkan device as programs open it: each gives the CPU engine's
// bits, or is refused for the reason that is known.
func TestVulkan(t *testing.T) {
	testenv.Elsewhere(t)
	software := threadtest.NeedsVulkan(t).Device.Type == driver.CPU
	out := &Output{}
	dev, err := cutile.Open("vulkan:0", cutile.WithOutput(out))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	r, reference := &Runner{Device: dev.Internal(), Output: out}, newCPU(t)
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	every := 12
	if os.Getenv("CUTILE_OWN") == "all" {
		every = 1
	}
	refused := 0
	for i, c := range cases {
		if unchecked[c.Name] != "" || endless[c.Name] != "" && software || i%every != 0 && notOnVulkan[c.Name] == "" {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			err := r.Run(t.Context(), &c, []Way{Direct})
			var no engine.CompileError
			switch why := notOnVulkan[c.Name]; {
			case errors.As(err, &no) && why != "" && regexp.MustCompile(why).MatchString(no.Why()):
				refused++
			case why != "":
				t.Errorf("it should be refused, as %s, but gave %v", why, err)
			case err != nil:
				t.Error(err)
			default:
				sameBits(t, r, reference, &c)
			}
		})
	}
	t.Logf("%d cases are refused", refused)
}

// sameBits compares what a case leaves in memory on two devices. All NaN are the same.
func sameBits(t *testing.T, r, reference *Runner, c *Case) {
	if c.Setup(c.Seed()).Fault != nil {
		return
	}
	var results [2][][]byte
	var arrays []*Array
	for i, r := range []*Runner{r, reference} {
		b, err := r.bind(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		arrays = b.arrays
		results[i], err = r.one(t.Context(), c, b, Direct)
		b.close()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, a := range arrays {
		size, codec := a.Elem.Size(), codecs[a.Elem]
		for at := 0; at < len(a.Data); at += size {
			x, y := results[0][i][at:at+size], results[1][i][at:at+size]
			if !bytes.Equal(x, y) && !(codec.value(x) != codec.value(x) && codec.value(y) != codec.value(y)) {
				t.Fatalf("%s: element %d is %s, but %s on the CPU", a.Name, at/size, codec.text(x), codec.text(y))
			}
		}
	}
}
