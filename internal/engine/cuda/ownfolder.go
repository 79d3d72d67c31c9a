package cuda

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/tileir"
)

// ownFile is a file with code of our own compiler in a folder that [Export] filled.
type ownFile struct {
	target  string // such as "sm_90"
	ptx     bool   // it is PTX, else machine code
	tensors bool   // the kernel takes tensor maps
}

// name is the file's name for a module's [identity]. It differs from that of tileiras's code, which is launched in another way.
func (f ownFile) name(code []byte) string {
	name := strings.TrimSuffix(CubinName(code, f.target), ".cubin") + ".own"
	if f.tensors {
		name += ".tensors"
	}
	if f.ptx {
		return name + ".ptx"
	}
	return name + ".cubin"
}

// ownFiles lists what a GPU may run, the best first: machine code, then PTX for the newest architecture, each with tensor maps if the
// launch can make them.
func (i Info) ownFiles(tensors bool) (files []ownFile) {
	add := func(f ownFile) {
		if tensors {
			files = append(files, ownFile{f.target, f.ptx, true})
		}
		files = append(files, f)
	}
	add(ownFile{target: i.Target()})
	for _, a := range slices.Backward(simt.Targets()) {
		if i.runs(a) {
			add(ownFile{target: a.Name, ptx: true})
		}
	}
	return files
}

// ownFolder is a folder of code, in which a GPU looks for that of our own compiler.
type ownFolder struct {
	files  fs.FS
	gpu    Info
	passed []string // why files were passed over
}

// find gives the best code of an entry, whose module's [identity] is data; code that is from no file is none.
func (f *ownFolder) find(data []byte, e *tileir.Entry, tensors bool) (code ownCode, err error) {
	m, missing := readManifest(f.files)
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return code, missing
	}
	for _, c := range f.gpu.ownFiles(tensors) {
		name := c.name(data)
		d, listed := m.find(name)
		if _, err := fs.Stat(f.files, name); errors.Is(err, fs.ErrNotExist) && !listed {
			continue
		}
		if missing != nil {
			return code, missing
		}
		if err := c.check(d, e); err != nil {
			return code, damaged(fmt.Errorf("%s does not say how %s is launched: %w: make the folder again", manifestFile, name, err))
		}
		if why := f.gpu.lacks(d.Own); why != "" {
			f.passed = append(f.passed, name+" "+why)
			continue
		}
		code.OwnLaunch, code.file = *d.Own, name
		code.Image, err = d.read(f.files)
		return code, err
	}
	return code, nil
}

// lacks says what code needs that a GPU or its driver does not have.
func (i Info) lacks(l *OwnLaunch) string {
	switch version := simt.PTXOfDriver(i.Driver); {
	case l.PTX > version:
		return fmt.Sprintf("is PTX %d.%d, and the driver takes versions up to %d.%d", l.PTX/10, l.PTX%10, version/10, version%10)
	case i.Shared != 0 && int(l.Shared) > i.Shared:
		return fmt.Sprintf("needs %d bytes of shared memory, and the GPU has %d", l.Shared, i.Shared)
	}
	return ""
}

// maxThreads is how many threads a block may have (CUDA C++ Programming Guide, compute capabilities).
const maxThreads = 1024

// check refuses a description of a file that no [Export] has written.
func (f ownFile) check(d ManifestFile, e *tileir.Entry) error {
	switch l := d.Own; {
	case d.File == "":
		return errors.New("it does not list the file")
	case l == nil:
		return errors.New("there is nothing about our own compiler")
	case d.Kernel != e.Name || d.Target != f.target:
		return fmt.Errorf("it has %s for %s, not %s for %s", d.Kernel, d.Target, e.Name, f.target)
	case f.ptx != (l.PTX > 0):
		return fmt.Errorf("the version of PTX is %d", l.PTX)
	case (f.ptx || f.tensors) && d.Sum == "":
		return errors.New("there is no sum")
	case f.tensors != (len(l.Tensors) > 0):
		return fmt.Errorf("it takes %d tensor maps", len(l.Tensors))
	default:
		return l.check(len(e.Params))
	}
}

// check refuses what no launch of an entry with so many parameters is like.
func (l *OwnLaunch) check(params int) error {
	threads := uint64(1)
	for _, n := range l.Block {
		threads *= uint64(min(n, maxThreads+1))
	}
	if threads < 1 || threads > maxThreads {
		return fmt.Errorf("the block is %v", l.Block)
	}
	for i, t := range l.Tensors {
		if t.Param != params+i || !t.Follows(params) {
			return fmt.Errorf("tensor map %d cannot be made of the kernel's %d parameters", i, params)
		}
	}
	return nil
}
