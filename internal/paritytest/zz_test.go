package paritytest_test

import (
	"testing"

	"github.com/cutile-go/cutile/tile"
)

func TestZZ(t *testing.T) {
	for _, fn := range []any{anyRank[tile.F32T3[tile.D2, tile.D4, tile.D8]], everyRank[tile.D2, tile.D4, tile.D8, tile.D16], addEveryRank[tile.D2, tile.D4, tile.D8, tile.D16], extents[tile.D2, tile.D4, tile.D8, tile.D16], ranksInNames[tile.D4, tile.D8],
		userTrait[tile.D4, tile.D8], marks[tile.D16], runtimeMark[tile.D16], wrongMark[tile.D16], keeps[tile.D4, tile.D8], follows[tile.D4, tile.D8, tile.D16], ascribed[tile.D4, tile.D8], nested[tile.D4], viewsAreReferences[tile.D4], viewReturned[tile.D4],
		rankZero, addMarked[tile.D4, tile.D8], methods[tile.D4], declared[tile.D4], broadcastScalar[tile.D4, tile.D8], storesOne[tile.D4, tile.D8], viewTypes[tile.D64, tile.D64], metadata[tile.D4, tile.D8], latency[tile.D4, tile.D8], cosine[tile.D128], spreadPointer[tile.D4],
		prints[tile.D4], inferred[tile.D4], wideIndex[tile.D1, tile.D1, tile.D4, tile.D8]} {
		m, err := tryCompile(t, fn, nil)
		if err != nil {
			t.Logf("ERR %v", err)
			continue
		}
		t.Log(m.String())
	}
}
