package wav

import (
	"encoding/binary"
	"io"
	"math"
)

// A Reader reads the samples of a file as one channel: the mean of all.
type Reader struct {
	Format
	r       io.ReaderAt
	at, end int64 // of the samples that were not read yet
	buffer  []byte
}

// block is how many frames are read from the file at a time.
const block = 4096

// New reads the header of a file of size bytes. Errors about its contents are ErrFormat.
func New(r io.ReaderAt, size int64) (*Reader, error) {
	p := parser{r: r, size: size}
	f, start, end, err := p.header()
	if err != nil {
		return nil, err
	}
	out := &Reader{Format: f, r: r, at: start, end: end}
	if rest := (end - start) % out.frame(); rest != 0 {
		return nil, bad(start-4, "%d bytes of samples are no multiple of the %d bytes of a frame", end-start, out.frame())
	}
	return out, nil
}

// frame is the number of bytes of a frame.
func (r *Reader) frame() int64 { return int64(r.Channels * r.Bits / 8) }

// Frames is the number of frames that were not read yet.
func (r *Reader) Frames() int64 { return (r.end - r.at) / r.frame() }

// Seconds is the time that they take.
func (r *Reader) Seconds() float64 { return float64(r.Frames()) / float64(r.Rate) }

// Read reads samples, from -1 to 1 for PCM, and tells how many; at the end the error is io.EOF. Samples that are no numbers are
// an error.
func (r *Reader) Read(out []float32) (int, error) {
	n := int(min(int64(len(out)), r.Frames(), block))
	if n == 0 {
		if len(out) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	size := r.frame()
	if r.buffer == nil {
		r.buffer = make([]byte, block*size)
	}
	data := r.buffer[:int64(n)*size]
	if _, err := r.r.ReadAt(data, r.at); err != nil && err != io.EOF {
		return 0, err
	}
	decode, width, scale := decoders[kind{r.Bits, r.Float}], r.Bits/8, 1/float64(r.Channels)
	for i := range n {
		sum := 0.0
		for c := range r.Channels {
			x := decode(data[(i*r.Channels+c)*width:])
			if x-x != 0 { // infinite, or no number
				return 0, bad(r.at+int64((i*r.Channels+c)*width), "the sample is %v", x)
			}
			sum += x
		}
		out[i] = float32(max(-loudest, min(loudest, sum*scale)))
	}
	r.at += int64(n) * size
	return n, nil
}

// loudest is the greatest sample: floats may be beyond 1, but what follows must not overflow.
const loudest = 1 << 20

// A kind of samples.
type kind struct {
	bits  int
	float bool
}

// decoders read a sample. PCM of 8 bits has no sign; the others have, and all are little-endian.
var decoders = map[kind]func([]byte) float64{
	{8, false}:  func(b []byte) float64 { return (float64(b[0]) - 128) / (1 << 7) },
	{16, false}: func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) / (1 << 15) },
	{24, false}: func(b []byte) float64 {
		return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
	},
	{32, false}: func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) / (1 << 31) },
	{32, true}:  func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) },
	{64, true}:  func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) },
}
