package simt

import "fmt"

// drivers has the versions of PTX that drivers take, by the version of CUDA that they are made for, the newest first (PTX
// ISA, Release History).
var drivers = []struct{ cuda, ptx int }{
	{13040, 94}, {13030, 93}, {13020, 92}, {13010, 91}, {13000, 90},
	{12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84}, {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80},
	{11080, 78}, {11070, 77}, {11060, 76}, {11050, 75}, {11040, 74}, {11030, 73}, {11020, 72}, {11010, 71}, {11000, 70},
	{10020, 65}, {10010, 64}, {10000, 63},
}

// PTXOfDriver gives the newest version of PTX, 84 for 8.4, that a driver takes. The driver is named as it names itself, by
// the newest CUDA that it supports: 12040 for CUDA 12.4. A driver that is newer than those known here takes what the newest
// of them takes, too; of one before CUDA 10.0, which has no target of [Targets], the version is 0.
func PTXOfDriver(cuda int) int {
	for _, d := range drivers {
		if cuda >= d.cuda {
			return d.ptx
		}
	}
	return 0
}

// ForPTX gives the same architecture with another version of PTX, such as [PTXOfDriver] gives: [VerifyArch] refuses
// instructions that are newer. Versions before the architecture's first one are errors, and so are those not known here.
func (a Arch) ForPTX(version int) (Arch, error) {
	newest := drivers[0].ptx
	if version < a.First || version > newest {
		return Arch{}, fmt.Errorf("%s is not a version of PTX for %s: expected %s to %s", ptxVersion(version), a.Name, ptxVersion(a.First), ptxVersion(newest))
	}
	a.PTX = version
	return a, nil
}

// ptxVersion gives "8.4" for 84.
func ptxVersion(n int) string { return fmt.Sprintf("%d.%d", n/10, n%10) }
