package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TrustError is why something in a folder of ours is not used: another user may have written it.
type TrustError struct {
	Path   string
	Reason string // such as "everybody may write there"
	Advice string // what to do
}

// Error is the path, why it is not used, and what to do.
func (e *TrustError) Error() string {
	return fmt.Sprintf("%s is not used: %s; %s", e.Path, e.Reason, e.Advice)
}

// Trust checks a file or folder: it must belong to this user or to the administrator, not everybody may write it, and it
// must be no symlink or device. One that is not there is trusted. Other systems than Unix have no such owners, and there
// only the kind is checked. The error is a [*TrustError], or that of the system.
func Trust(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return trustInfo(path, st)
}

// TrustRoot is [Trust] for the folder that the user names, which may be a symlink of the user's.
func TrustRoot(path string) error {
	st, err := os.Lstat(path)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 && owned(st) {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	return Trust(path)
}

// TrustBelow is [Trust] for each folder between root and a path in it, and for the path.
func TrustBelow(root, path string) error {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return &TrustError{path, "it is not inside " + root, "remove what names it"}
	}
	at := root
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		if err := Trust(at); err != nil {
			return err
		}
	}
	return nil
}

const removeAdvice = "remove it; it will be made again"

func trustInfo(path string, st fs.FileInfo) error {
	switch mode := st.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return &TrustError{path, "it is a symlink", removeAdvice}
	case !mode.IsDir() && !mode.IsRegular():
		return &TrustError{path, "it is neither a file nor a folder", removeAdvice}
	case !owned(st):
		return &TrustError{path, "it belongs to another user", "remove it, or name a folder of your own with CUTILE_CACHE"}
	case everybodyWrites(mode):
		return &TrustError{path, "everybody may write there", "take that permission away (chmod o-w) if nobody else has used it; otherwise remove it"}
	}
	return nil
}

// ReadFile reads a file of at most max bytes that is trusted as [Trust] says. It does not wait for the writer of a FIFO.
func ReadFile(path string, max int64) ([]byte, error) {
	f, err := openPlain(path)
	if err != nil {
		if tErr := Trust(path); tErr != nil {
			return nil, tErr // a symlink, in the system's words "too many levels"
		}
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is a folder")}
	}
	if err := trustInfo(path, st); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(data)) > max {
		err = fmt.Errorf("%s is larger than %d MiB", path, max>>20)
	}
	return data, err
}
