package vec

// Permutation is the immediate of a [Permute] whose lane i is lane from(i) of the operand.
func Permutation(from func(i int) int) (imm int64) {
	for i := range Lanes {
		imm |= int64(from(i)&(Lanes-1)) << (4 * i)
	}
	return imm
}

// PermuteLane is the lane of the operand that becomes lane i of a [Permute] with an immediate.
func PermuteLane(imm int64, i int) int { return int(imm >> (4 * i) & (Lanes - 1)) }

// somePermutations differ in what they do: lanes stay, all are one, partners are exchanged at each distance, the last lane of a
// half goes to the other half, groups and halves are reversed or turned, neighbours go together, and lanes go anywhere.
var somePermutations = func() (out []int64) {
	add := func(from func(i int) int) { out = append(out, Permutation(from)) }
	add(func(i int) int { return i })
	add(func(i int) int { return Lanes - 1 })
	for d := 1; d < Lanes; d *= 2 {
		add(func(i int) int { return i ^ d })
		add(func(i int) int { return i&^(2*d-1) + d - 1 })
		add(func(i int) int { return i ^ (2*d - 1) })
		add(func(i int) int { return i + d })
		add(func(i int) int { return i / d })
		add(func(i int) int { return i &^ d })
	}
	add(func(i int) int { return i*2%Lanes + i/8 })
	add(func(i int) int { return i/2 + i%2*8 })
	return append(out, 0x0123456789abcdef^0x5, 0x3c07e1d5a8f29b46, 0x1d11e8802f6c5539)
}()
