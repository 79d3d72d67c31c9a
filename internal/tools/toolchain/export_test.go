package toolchain

// SetPlatform makes tests run as on another system.
func SetPlatform(p string) (restore func()) {
	old := platform
	platform = p
	return func() { platform = old }
}

// CompareVersions is for tests.
var CompareVersions = compareVersions

// Forget drops what this program knows of tools, as if another program asked.
func Forget() { infos.Clear() }
