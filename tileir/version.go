package tileir

import "fmt"

// Version is a version of the bytecode: 13.1 to 13.4. Versions can be compared with Go's operators.
type Version uint16

// The versions that this package knows.
const (
	V13_1 Version = 13<<8 | 1
	V13_2 Version = 13<<8 | 2
	V13_3 Version = 13<<8 | 3
	V13_4 Version = 13<<8 | 4

	// Newest is the newest version that this package reads and writes.
	Newest = V13_4
)

// Versions lists every version, oldest first.
func Versions() []Version { return []Version{V13_1, V13_2, V13_3, V13_4} }

// Major returns the number before the point, which is 13 in every version so far.
func (v Version) Major() int { return int(v >> 8) }

// Minor returns the number after the point.
func (v Version) Minor() int { return int(v & 0xff) }

// String returns text such as "13.3".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major(), v.Minor()) }

// ParseVersion parses text such as "13.3".
func ParseVersion(s string) (Version, error) {
	for _, v := range Versions() {
		if v.String() == s {
			return v, nil
		}
	}
	return 0, fmt.Errorf("tileir: version %q is not one of %v", s, Versions())
}

// MarshalText returns the same text as String.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the output of MarshalText.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}
