package ir

// NewSums names matrices of sums that a warp holds.
func (b *Builder) NewSums(u *Unit, count int) *Sums { return &Sums{u, count} }

// ZeroSums makes sums zeros.
func (b *Builder) ZeroSums(s *Sums) { b.add(&Instr{Op: ZeroSums, Sums: s}) }

// LoadSum reads the matrix of sums with a number from shared memory. All lanes of a warp say the same place.
func (b *Builder) LoadSum(s *Sums, number int, m Access) {
	b.add(&Instr{Op: LoadSum, Sums: s, Imm: int64(number), Mem: &m})
}

// StoreSum writes it to shared memory.
func (b *Builder) StoreSum(s *Sums, number int, m Access) {
	b.add(&Instr{Op: StoreSum, Sums: s, Imm: int64(number), Mem: &m})
}

// MultiplySums adds products to sums. All lanes of a warp say the same places of the factors.
func (b *Builder) MultiplySums(s *Sums, left, right *Matrix, steps []Step) {
	in := &Instr{Op: MultiplySums, Sums: s, Left: left, Right: right, Steps: steps, Bufs: []*Buffer{left.Buffer}}
	if left.Buffer != right.Buffer {
		in.Bufs = append(in.Bufs, right.Buffer)
	}
	b.add(in)
}
