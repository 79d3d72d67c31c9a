package wav

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// ErrFormat is part of every error about the contents of a file.
var ErrFormat = errors.New("not a valid WAV file")

// The limits of what is read.
const (
	MinRate, MaxRate = 1000, 768000
	MaxChannels      = 64
)

// A Format says what the samples of a file are.
type Format struct {
	Rate     int  // frames in a second
	Channels int  // samples in a frame
	Bits     int  // of a sample
	Float    bool // whether samples are floats
}

// String returns a text such as "44100 Hz, 2 channels, 16 bits".
func (f Format) String() string {
	kind, s := "", ""
	if f.Float {
		kind = " float"
	}
	if f.Channels > 1 {
		s = "s"
	}
	return fmt.Sprintf("%d Hz, %d channel%s, %d bits%s", f.Rate, f.Channels, s, f.Bits, kind)
}

// The codes of formats.
const (
	pcm        = 1
	float      = 3
	extensible = 0xfffe
	toTheEnd   = math.MaxUint32 // a length that stands for all that follows
)

// tail is what follows the code in the GUID of an extensible format.
const tail = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"

// bad is an error about the bytes at a position.
func bad(at int64, format string, args ...any) error {
	return fmt.Errorf("%w: byte %d: %s", ErrFormat, at, fmt.Sprintf(format, args...))
}

// A parser reads the chunks before the samples.
type parser struct {
	r    io.ReaderAt
	size int64
	at   int64
}

// take reads the next n bytes.
func (p *parser) take(n int, what string) ([]byte, error) {
	if int64(n) > p.size-p.at {
		return nil, bad(p.at, "the file ends inside of %s, of which %d bytes are expected", what, n)
	}
	data := make([]byte, n)
	if _, err := p.r.ReadAt(data, p.at); err != nil && err != io.EOF {
		return nil, err
	}
	p.at += int64(n)
	return data, nil
}

// header reads up to the samples, and gives where they are.
func (p *parser) header() (f Format, start, end int64, err error) {
	head, err := p.take(12, "the header")
	if err != nil {
		return f, 0, 0, err
	}
	switch id := string(head[:4]); {
	case id == "RF64" || id == "RIFX":
		return f, 0, 0, bad(0, "it is of the kind %s, but only RIFF is supported", id)
	case id != "RIFF":
		return f, 0, 0, bad(0, "it begins with %q, not with \"RIFF\"", id)
	case string(head[8:]) != "WAVE":
		return f, 0, 0, bad(8, "the RIFF file is of the kind %q, not \"WAVE\"", head[8:])
	}
	for {
		begin := p.at
		head, err := p.take(8, "the head of a chunk: there is no chunk \"data\"")
		if err != nil {
			return f, 0, 0, err
		}
		id, n := string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
		if id == "data" && n == toTheEnd {
			n = p.size - p.at
		}
		if n > p.size-p.at {
			return f, 0, 0, bad(begin+4, "the chunk %q claims %d bytes, but %d are left in the file", id, n, p.size-p.at)
		}
		switch {
		case id == "data" && f.Rate == 0:
			return f, 0, 0, bad(begin, "the samples come before the chunk \"fmt \" that describes them")
		case id == "data":
			return f, p.at, p.at + n, nil
		case id == "fmt " && f.Rate != 0:
			return f, 0, 0, bad(begin, "there is a second chunk \"fmt \"")
		case id == "fmt ":
			if f, err = p.format(n); err != nil {
				return f, 0, 0, err
			}
		}
		p.at = begin + 8 + n + n%2 // chunks begin at even places
	}
}

// format reads the chunk "fmt " of n bytes.
func (p *parser) format(n int64) (f Format, err error) {
	begin := p.at
	if n < 16 {
		return f, bad(begin-4, "the chunk \"fmt \" has %d bytes, at least 16 are expected", n)
	}
	data, err := p.take(int(min(n, 40)), "the chunk \"fmt \"")
	if err != nil {
		return f, err
	}
	u16 := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	code, rate, align := u16(0), binary.LittleEndian.Uint32(data[4:]), u16(12)
	f = Format{Rate: int(rate), Channels: u16(2), Bits: u16(14)}
	if code == extensible {
		if len(data) < 40 {
			return f, bad(begin-4, "the chunk \"fmt \" has %d bytes, but an extensible format needs 40", n)
		}
		if string(data[26:40]) != tail {
			return f, bad(begin+24, "the format has the identifier %x, which is not known", data[24:40])
		}
		code = u16(24)
	}
	f.Float = code == float
	if _, ok := decoders[kind{f.Bits, f.Float}]; !ok || code != pcm && code != float {
		return f, bad(begin, "format %d of %d bits is not supported, only PCM (1) of 8, 16, 24 and 32 bits and floats (3) of 32 and 64", code, f.Bits)
	}
	switch {
	case rate < MinRate || rate > MaxRate:
		return f, bad(begin+4, "the rate is %d Hz, expected %d to %d", rate, MinRate, MaxRate)
	case f.Channels < 1 || f.Channels > MaxChannels:
		return f, bad(begin+2, "there are %d channels, expected 1 to %d", f.Channels, MaxChannels)
	case align != f.Channels*f.Bits/8:
		return f, bad(begin+12, "a frame has %d bytes, expected %d for %d channels of %d bits", align, f.Channels*f.Bits/8, f.Channels, f.Bits)
	}
	return f, nil
}
