package numerics_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/cutile-go/cutile/tileir"
)

// randomPatterns is how many random bit patterns each case of wide types has, beside edge values and near ones.
const randomPatterns = 10000

// array is the elements of an operand as they lie in memory; f4 and i4 take a byte.
type array struct {
	elem tileir.Elem
	data []byte
}

func (a *array) len() int { return len(a.data) / a.elem.Bytes() }

// at gives the bits of one element.
func (a *array) at(i int) uint64 {
	switch n := a.elem.Bytes(); n {
	case 1:
		return uint64(a.data[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(a.data[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(a.data[4*i:]))
	}
	return binary.LittleEndian.Uint64(a.data[8*i:])
}

// pad is the number of unused low bits of a type in memory.
func pad(e tileir.Elem) int {
	if e == tileir.TF32 {
		return 13
	}
	return 0
}

func newArray(e tileir.Elem, codes []uint64) *array {
	a := &array{elem: e, data: make([]byte, 0, len(codes)*e.Bytes())}
	for _, c := range codes {
		a.data = binary.LittleEndian.AppendUint64(a.data, c<<pad(e))[:len(a.data)+e.Bytes()]
	}
	return a
}

// seeded makes a generator from a name.
func seeded(name string) *random {
	h := fnv.New64a()
	h.Write([]byte(name))
	r := random(h.Sum64())
	return &r
}

func count(bits int) int { return 1 << bits }

// oneCount, pairCount and tripleCount are how many elements cases with so many operands have.
func oneCount(e tileir.Elem) int {
	if e.Bits() <= 16 {
		return count(e.Bits())
	}
	return 1 << 16
}

func pairCount(a, b tileir.Elem) int {
	if n := a.Bits() + b.Bits(); n <= 16 {
		return count(n)
	}
	return 1 << 15
}

const tripleCount = 1 << 15

// edgesOf lists the 64 edge values of a type, all values of a type of eight bits or fewer.
func edgesOf(e tileir.Elem) []uint64 {
	if e.Bits() <= 8 {
		out := make([]uint64, count(e.Bits()))
		for i := range out {
			out[i] = uint64(i)
		}
		return out
	}
	if l, ok := layouts[e]; ok {
		return l.edges()
	}
	return intEdges(seeded("edges/"+e.Name()), e.Bits())
}

func nearOf(r *random, e tileir.Elem) uint64 {
	if l, ok := layouts[e]; ok {
		return l.near(r)
	}
	return nearInt(r, e.Bits())
}

func anyOf(r *random, e tileir.Elem) uint64 { return r.next() >> (64 - e.Bits()) }

// one gives the operand of a case with one.
func one(e tileir.Elem) []*array {
	return cached(fmt.Sprint("one/", e), func(r *random) []*array {
		n := oneCount(e)
		if e.Bits() <= 16 {
			codes := make([]uint64, n)
			for i := range codes {
				codes[i] = uint64(i)
			}
			return []*array{newArray(e, codes)}
		}
		codes := edgesOf(e)
		for range randomPatterns {
			codes = append(codes, anyOf(r, e))
		}
		for len(codes) < n {
			codes = append(codes, nearOf(r, e))
			if l, ok := layouts[e]; ok && len(codes)%16 == 0 {
				codes[len(codes)-1] = l.vanishing(r)
			}
		}
		return []*array{newArray(e, codes)}
	})
}

// pair gives the operands of a case with two: edges each with each first, then random ones, then close ones.
func pair(a, b tileir.Elem) []*array {
	return cached(fmt.Sprint("pair/", a, b), func(r *random) []*array {
		var x, y []uint64
		for _, p := range edgesOf(a) {
			for _, q := range edgesOf(b) {
				x, y = append(x, p), append(y, q)
			}
		}
		if n := pairCount(a, b); n > len(x) {
			for range randomPatterns {
				x, y = append(x, anyOf(r, a)), append(y, anyOf(r, b))
			}
			for len(x) < n {
				p, q := closePair(r, a, b)
				x, y = append(x, p), append(y, q)
			}
			x, y = x[:n], y[:n]
		}
		return []*array{newArray(a, x), newArray(b, y)}
	})
}

// closePair gives operands that matter together.
func closePair(r *random, a, b tileir.Elem) (p, q uint64) {
	p, q = nearOf(r, a), nearOf(r, b)
	l, isFloat := layouts[a]
	switch {
	case !isFloat:
		return p, closeInt(r, a.Bits(), p)
	case !b.IsFloat(): // an integer power
		if q = uint64(r.below(81)-40) & (1<<b.Bits() - 1); r.below(3) == 0 {
			p, q = l.close(r, l.code(1)), anyOf(r, b)
		}
	case r.below(2) == 0:
		q = l.close(r, p)
	case r.below(4) == 0: // 1 and numbers beside it to great powers
		p = l.code(1) + uint64(r.below(64)) - 32
	case r.below(2) == 0:
		q = l.sign(l.code(float64(r.below(200))/4), r.below(2) == 0)
	}
	return p, q
}

// triple gives the operands of fma: the third one is often near the product of the others.
func triple(e tileir.Elem) []*array {
	return cached(fmt.Sprint("triple/", e), func(r *random) []*array {
		l := layouts[e]
		all := edgesOf(e)
		var few []uint64
		for _, i := range []int{0, 1, 4, 5, 8, 9, 13, 17, 21, 28, 29, 30} { // from zero to NaN
			few = append(few, all[i], all[len(all)/2+i])
		}
		var x, y, z []uint64
		for _, p := range few {
			for _, q := range few {
				for _, s := range few {
					x, y, z = append(x, p), append(y, q), append(z, s)
				}
			}
		}
		for range randomPatterns {
			x, y, z = append(x, anyOf(r, e)), append(y, anyOf(r, e)), append(z, anyOf(r, e))
		}
		for len(x) < tripleCount {
			p, q := l.near(r), l.near(r)
			s := l.close(r, l.code(l.value(p)*l.value(q)))
			switch len(x) % 8 {
			case 0:
				p, q, s = l.tieProduct(r)
			case 1:
				p, q, s = l.tieSum(r)
			}
			x, y, z = append(x, p), append(y, q), append(z, s)
		}
		return []*array{newArray(e, x), newArray(e, y), newArray(e, z)}
	})
}

// choice gives the operands of select: truth values and pairs.
func choice(e tileir.Elem) []*array {
	return cached(fmt.Sprint("choice/", e), func(r *random) []*array {
		values := one(e)[0]
		n := values.len()
		cond, other := make([]uint64, n), make([]uint64, n)
		for i := range n {
			cond[i], other[i] = uint64(r.below(2)), values.at(r.below(n))>>pad(e)
		}
		return []*array{newArray(tileir.I1, cond), values, newArray(e, other)}
	})
}

// arrays keeps what was made, so that cases share their operands.
var arrays = map[string][]*array{}

func cached(name string, make func(r *random) []*array) []*array {
	if _, ok := arrays[name]; !ok {
		arrays[name] = make(seeded(name))
	}
	return arrays[name]
}
