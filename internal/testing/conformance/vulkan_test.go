package conformance

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/cutile-go/cutile"
	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/tileir"
)

// notOnVulkan are the cases that a Vulkan device refuses, with the reason.
var notOnVulkan = map[string]string{}

// endless are cases that Mesa's driver on the CPU compiles for longer than tests may take.
var endless = map[string]string{
	"sort/uint64":   "a block sorts 256 numbers, with barriers in between",
	"argsort/int16": "a block sorts 64 pairs, with barriers in between",
	"print/many":    "a block prints 12,288 elements",
}

// endlessPairs are those that it takes longer for where integers of 64 bits are pairs of words.
var endlessPairs = map[string]string{
	"sort/float64": "a block sorts 256 numbers of two words, with barriers in between",
	"sort/int64":   "as sort/float64",
}

// summed are the cases whose products cooperative matrices add in another order: their references judge them, and the CPU engine's bits do not.
var summed = regexp.MustCompile("^dot/near/")

// TestVulkan runs every 24th case, or with CUTILE_OWN=all every case, on a Vulkan device as programs open it: each gives the CPU engine's
// bits, or is refused for the reason that is known. With -v it prints how many ran, and how they ended.
func TestVulkan(t *testing.T) { onVulkan(t, 24) }

// TestVulkanPairs does so where the device lacks integers of 64 bits.
func TestVulkanPairs(t *testing.T) { onVulkan(t, 97, threadtest.Pairs...) }

// onVulkan runs every n-th case on a device that lacks features.
func onVulkan(t *testing.T, every int, lacking ...string) {
	testenv.Elsewhere(t)
	software := threadtest.NeedsVulkan(t).Device.Type == driver.CPU
	threadtest.Lacking(t, lacking...)
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
	if threadtest.All() {
		every = 1
	}
	count, caps := newOutcomes(dev.Description()), dev.Internal().Engine().(*vulkan.Device).Caps()
	matrices := len(caps.Threads().Matrices) > 0
	for i, c := range cases {
		switch why := left(c.Name, software, len(lacking) > 0); {
		case why != "":
			count.left[why]++
			continue
		case i%every != 0 && notOnVulkan[c.Name] == "":
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			want := notOnVulkan[c.Name]
			err := r.Run(t.Context(), &c, []Way{Direct})
			if err == nil && !(matrices && summed.MatchString(c.Name)) {
				err = sameBits(t, r, reference, &c)
			}
			known := func(why string) bool {
				return want != "" && regexp.MustCompile(want).MatchString(why) || threadtest.Refuses(caps, why) != ""
			}
			switch wrong := count.note(err, known); {
			case wrong != nil:
				t.Error(wrong)
			case want != "" && err == nil:
				t.Errorf("it should be refused, as %s", want)
			}
		})
	}
	t.Log("cases by Vulkan:\n" + outcomesHead + "\n" + count.row())
	if count.equal == 0 && os.Getenv("CUTILE_CASES") == "" {
		t.Error("no case ran")
	}
}

// TestWithoutBytes compiles every case for a device that has neither integers nor memory of 8 and 16 bits, which refuses, for want of them,
// only kernels with elements that are so narrow, or with masks in memory: what the compiler adds itself takes words.
func TestWithoutBytes(t *testing.T) {
	caps := vulkan.Typical()
	for _, name := range []string{"shaderInt8", "shaderInt16", "shaderFloat16", "storageBuffer8BitAccess", "storageBuffer16BitAccess"} {
		if !caps.Features.Hide(name) {
			t.Fatalf("there is no feature %s", name)
		}
	}
	cases, err := chosen()
	if err != nil {
		t.Fatal(err)
	}
	r, made, refused := newCPU(t), 0, 0
	for i, c := range cases {
		masks := c.Name == "print" || c.Name == "sort/uint64" // which go through shared memory
		if testing.Short() && i%12 != 0 && !masks || c.Setup(c.Seed()).Fault != nil {
			continue
		}
		code, err := r.Module(t.Context(), &c)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		_, err = threads.SPIRV(code.Module, code.Module.Entries[0].Name, caps.Threads())
		var no *threads.Error
		switch why := narrowIn(code.Module.Entries[0]); {
		case err == nil:
			made++
		case !errors.As(err, &no) || why == "" || threadtest.Refuses(caps, no.Why()) == "":
			t.Errorf("%s: %v", c.Name, err)
		default:
			refused++
		}
	}
	t.Logf("%d modules, and %d refused", made, refused)
	if made == 0 {
		t.Error("no case was compiled")
	}
}

// narrowIn is a type of an entry that has elements of 8 or 16 bits, or less, or memory of masks; "" if there is none.
func narrowIn(e *tileir.Entry) string {
	visit := func(values []*tileir.Value) string {
		for _, v := range values {
			if text := fmt.Sprint(v.Type); narrowType.MatchString(text) {
				return text
			}
		}
		return ""
	}
	why := visit(e.Params)
	for op := range e.All() {
		why = cmp.Or(why, visit(op.Results))
		for b := range op.Blocks() {
			why = cmp.Or(why, visit(b.Args))
		}
	}
	return why
}

var narrowType = regexp.MustCompile(`[xf<]?([if](8|16|4)|bf16|f8E\w+|f4E\w+|f[nN][vV]\w+)\b|view<[^>]*i1\b|ptr<i1>`)

// left says why a case is not run; "" if it is.
func left(name string, software, pairs bool) string {
	why := endless[name]
	if pairs && why == "" {
		why = endlessPairs[name]
	}
	if unchecked[name] != "" || !software || why == "" {
		return unchecked[name]
	}
	return "the driver compiles it for too long: " + why
}

// sameBits compares what a case leaves in memory on two devices. All NaN are the same.
func sameBits(t *testing.T, r, reference *Runner, c *Case) error {
	if c.Setup(c.Seed()).Fault != nil {
		return nil
	}
	var results [2][][]byte
	var arrays []*Array
	for i, r := range []*Runner{r, reference} {
		b, err := r.bind(t.Context(), c)
		if err != nil {
			return err
		}
		arrays = b.arrays
		results[i], err = r.one(t.Context(), c, b, Direct)
		b.close()
		if err != nil {
			return err
		}
	}
	for i, a := range arrays {
		size, codec := a.Elem.Size(), codecs[a.Elem]
		for at := 0; at < len(a.Data); at += size {
			x, y := results[0][i][at:at+size], results[1][i][at:at+size]
			if !bytes.Equal(x, y) && !(codec.value(x) != codec.value(x) && codec.value(y) != codec.value(y)) {
				return fmt.Errorf("%s: element %d is %s, but %s on the CPU", a.Name, at/size, codec.text(x), codec.text(y))
			}
		}
	}
	return nil
}
