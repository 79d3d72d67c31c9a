package rank_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/search/internal/rank"
)

func open(t testing.TB) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func random(r *rand.Rand, rows, dim int) [][]float32 {
	out := make([][]float32, rows)
	for i := range out {
		out[i] = make([]float32, dim)
		for j := range out[i] {
			out[i][j] = float32(r.NormFloat64()) / float32(math.Sqrt(float64(dim)))
		}
	}
	return out
}

// exact computes scores in float64 and sorts all rows.
func exact(vectors [][]float32, query []float32) []rank.Hit {
	out := make([]rank.Hit, len(vectors))
	for i, v := range vectors {
		sum := 0.0
		for j, x := range v {
			sum += float64(x) * float64(query[j])
		}
		out[i] = rank.Hit{Row: i, Score: float32(sum)}
	}
	slices.SortStableFunc(out, func(a, b rank.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

// TestTop compares with products in float64, for numbers of rows that are no multiples of a tile, from many goroutines.
func TestTop(t *testing.T) {
	dev, r := open(t), rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ rows, dim, k int }{{1, 384, 3}, {31, 384, 5}, {32, 384, 32}, {33, 100, 40}, {1000, 384, 10}, {1000, 1, 7}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			vectors := random(r, c.rows, c.dim)
			m, err := rank.New(dev, c.dim, vectors)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			var wait sync.WaitGroup
			for n := range 20 {
				queries := random(r, n, c.dim)
				wait.Go(func() {
					got, err := m.Top(t.Context(), queries, c.k)
					if err != nil || len(got) != n {
						t.Errorf("hits of %d queries, expected %d (%v)", len(got), n, err)
						return
					}
					for i, query := range queries {
						compare(t, got[i], exact(vectors, query)[:min(c.k, c.rows)])
					}
				})
			}
			wait.Wait()
		})
	}
}

// compare checks the order of hits: rows may change places only where their scores are closer than rounding errors.
func compare(t *testing.T, got, want []rank.Hit) {
	if len(got) != len(want) {
		t.Errorf("%d hits, expected %d", len(got), len(want))
		return
	}
	scores := map[int]float32{}
	for _, h := range want {
		scores[h.Row] = h.Score
	}
	for i, h := range got {
		if d := math.Abs(float64(h.Score - scores[h.Row])); !(d < 1e-5) {
			t.Errorf("row %d has score %v, want %v", h.Row, h.Score, scores[h.Row])
		}
		if h.Row != want[i].Row && math.Abs(float64(h.Score-want[i].Score)) > 1e-5 {
			t.Errorf("hit %d is %+v, want %+v", i, h, want[i])
		}
	}
}

func TestEqualScores(t *testing.T) {
	vectors := [][]float32{{0}, {1}, {1}, {0}, {1}, {-1}}
	m, err := rank.New(open(t), 1, vectors)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range [][]rank.Hit{nil, {{1, 2}}, {{1, 2}, {2, 2}}, {{1, 2}, {2, 2}, {4, 2}}, {{1, 2}, {2, 2}, {4, 2}, {0, 0}}} {
		if got, err := m.Top(t.Context(), [][]float32{{2}}, k); err != nil || !slices.Equal(got[0], want) {
			t.Errorf("top %d: %v, %v; want %v", k, got, err, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	dev := open(t)
	if _, err := rank.New(dev, 2, [][]float32{{1, 2}, {3}}); err == nil || err.Error() != "embedding 1 has 1 elements, expected 2" {
		t.Errorf("got %v", err)
	}
	m, err := rank.New(dev, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.Top(t.Context(), [][]float32{{1, 2}, {3, 4}}, 5); err != nil || len(got) != 2 || len(got[0]) != 0 {
		t.Errorf("no rows give %v, %v", got, err)
	}
	if _, err := m.Top(t.Context(), [][]float32{{1}}, 5); err == nil || err.Error() != "query 0 has 1 elements, expected 2" {
		t.Errorf("got %v", err)
	}
}

// BenchmarkTop measures queries among passages as MiniLM embeds them, beside the memory that is read.
func BenchmarkTop(b *testing.B) {
	for _, rows := range []int{1000, 10_000, 100_000} {
		for _, n := range []int{1, 8} {
			b.Run(fmt.Sprintf("%d of %d", n, rows), func(b *testing.B) {
				dev, r := open(b), rand.New(rand.NewPCG(1, 2))
				m, err := rank.New(dev, 384, random(r, rows, 384))
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(rows * 384 * 4))
				queries := random(r, n, 384)
				for b.Loop() {
					if _, err := m.Top(b.Context(), queries, 10); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
