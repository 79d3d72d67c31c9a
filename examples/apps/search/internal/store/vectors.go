package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cutile-go/cutile/examples/apps/search/internal/passages"
	"go.etcd.io/bbolt"
)

// A Key stands for what is embedded of a passage: its hash.
type Key [sha256.Size]byte

// KeyOf gives the key of a passage. Passages of the same text below the same headings have one.
func KeyOf(p passages.Passage) Key { return sha256.Sum256([]byte(p.Embedded())) }

// Has tells which embeddings the index has.
func (s *Store) Has(keys map[Key]bool) error {
	return s.view(func(tx *bbolt.Tx) error {
		for key := range keys {
			keys[key] = tx.Bucket(vectorsBucket).Get(key[:]) != nil
		}
		return nil
	})
}

func (s *Store) putVectors(tx *bbolt.Tx, vectors map[Key][]float32) error {
	for key, v := range vectors {
		if len(v) != s.head.Dim {
			return fmt.Errorf("BUG: an embedding has %d elements, not %d", len(v), s.head.Dim)
		}
		data := make([]byte, 0, 4*len(v))
		for _, x := range v {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
		}
		if err := tx.Bucket(vectorsBucket).Put(key[:], data); err != nil {
			return err
		}
	}
	return nil
}

// vector reads an embedding, whose elements must be numbers: a NaN has no place in an order by scores.
func (s *Store) vector(data []byte) ([]float32, error) {
	if len(data) != 4*s.head.Dim {
		return nil, fmt.Errorf("%d bytes for an embedding of %d elements", len(data), s.head.Dim)
	}
	out := make([]float32, s.head.Dim)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if x := math.Abs(float64(out[i])); !(x < 1.001) {
			return nil, fmt.Errorf("element %d of an embedding is %v, but embeddings have length 1", i, out[i])
		}
	}
	return out, nil
}
