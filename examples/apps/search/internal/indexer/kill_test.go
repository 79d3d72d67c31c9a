package indexer_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
	"github.com/cutile-go/cutile/examples/apps/search/internal/store"
)

// killed names the index for a process that TestKilled starts and kills.
const killed = "SEARCH_TEST_INDEX"

// TestMain indexes files where TestKilled has started this program for that.
func TestMain(m *testing.M) {
	path := os.Getenv(killed)
	if path == "" {
		os.Exit(m.Run())
	}
	fake := &model{dim: 16, delay: 15 * time.Millisecond}
	s, err := store.Create(path, store.Head{Model: fake.Identity(), Dim: fake.dim, Folder: "test"})
	if err != nil {
		panic(err)
	}
	if _, err := indexer.Update(context.Background(), fake, many(60, 40), s, &log{}); err != nil {
		panic(err)
	}
}

// TestKilled kills processes that index, by SIGKILL at random moments. After each the index opens, and what it has is right; in the
// end it is complete, and nothing was embedded in vain beyond one group for each kill.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	fake := &model{dim: 16}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	whole := 0
	for range 25 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killed+"="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(100)) * time.Millisecond)
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			whole++
		}
		if _, err := os.Stat(path); err != nil {
			continue // killed before it made the file
		}
		s, err := store.Create(path, store.Head{Model: fake.Identity(), Dim: fake.dim, Folder: "test"}) // completes a file without a head
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		s.Close()
		for at, text := range contents(t, fake, path) {
			if text == "" {
				t.Errorf("after a kill %s is empty", at)
			}
		}
	}
	before := len(contents(t, fake, path))
	report, _ := update(t, fake, many(60, 40), path)
	if n := len(contents(t, fake, path)); n != 60*40 || report.Files != 60 {
		t.Errorf("%d passages, want %d; %+v", n, 60*40, report)
	}
	t.Logf("25 processes, of which %d ended by themselves; they left %d passages, and %d of %d were embedded at the end", whole, before, report.Embedded, 60*40)
}
