package vulkan

import (
	"bytes"
	"context"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/internal/tools/store"
)

// TestPipelineCache opens devices with what the disk may have: what was written for this driver is handed to it, whatever
// comes behind its header, and the rest is not.
func TestPipelineCache(t *testing.T) {
	in, list := vulkantest.Instance(t)
	for i := range list {
		open := func(s *store.Store) *Device {
			d, err := Open(i, Options{Instance: in, Store: s})
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d := open(nil)
		key := d.cache.key
		good, err := d.drv.PipelineCacheData(d.cache.handle)
		if err != nil || len(good) < cacheHeader {
			t.Fatalf("got % x, %v", good, err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		change := func(at int, by byte) []byte {
			b := bytes.Clone(good)
			b[at] += by
			return b
		}
		for _, c := range []struct {
			name  string
			data  []byte
			taken bool
		}{
			{"its own", good, true}, {"damaged behind the header", append(bytes.Clone(good), "something else"...), true},
			{"nothing", nil, false}, {"cut", good[:cacheHeader-1], false}, {"another length", change(0, 1), false}, {"another version", change(4, 1), false},
			{"another maker", change(8, 1), false}, {"another device", change(12, 1), false}, {"another driver", change(31, 1), false},
		} {
			s := store.New(t.TempDir()+"/pipelines", 1<<20)
			if _, err := s.Get(context.Background(), key, func(context.Context) ([]byte, error) { return c.data, nil }); err != nil {
				t.Fatal(err)
			}
			d := open(s)
			if got := d.cache.before != nil; got != c.taken || got && !bytes.Equal(d.cache.before, c.data) {
				t.Errorf("%s: taken is %v", c.name, got)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if live := in.Library().Live(); len(live) != 1 {
		t.Errorf("left %v", live)
	}
}
