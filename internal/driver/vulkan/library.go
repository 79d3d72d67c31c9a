package vulkan

import (
	"maps"
	"os"
	"sync"
	"sync/atomic"
)

// LibraryEnv is the environment variable that names the loader's library, in place of the usual ones.
const LibraryEnv = "CUTILE_LIBVULKAN"

// Library is Vulkan's loader, or a driver that stands for it.
type Library struct {
	functions
	path   string
	lookup uintptr // vkGetInstanceProcAddr

	hook atomic.Pointer[func(call string) Result]
	mu   sync.Mutex
	live map[string]int
}

var opened struct {
	sync.Mutex
	library *Library
}

// Open loads the loader, at the first call only; [LibraryEnv] names it where it is not the system's. An error is a
// [*LoadError].
func Open() (*Library, error) {
	opened.Lock()
	defer opened.Unlock()
	if opened.library != nil {
		return opened.library, nil
	}
	paths := libraries
	if p := os.Getenv(LibraryEnv); p != "" {
		paths = []string{p}
	}
	l, err := load(paths)
	if err != nil {
		return nil, err
	}
	opened.library = l
	return l, nil
}

// OpenLibrary loads a loader of the given path, each time anew.
func OpenLibrary(path string) (*Library, error) { return load([]string{path}) }

// load takes the first library that can be opened; one that is not Vulkan's is an error, not a reason to go on.
func load(paths []string) (*Library, error) {
	handle, path, err := openFirst(paths)
	if err != nil {
		return nil, &LoadError{Tried: paths, Reason: err.Error(), Advice: installAdvice}
	}
	return start(handle, path)
}

// start finds the functions that need no instance.
func start(handle uintptr, path string) (*Library, error) {
	l := &Library{path: path, lookup: dlsym(handle, "vkGetInstanceProcAddr"), live: map[string]int{}}
	l.lib = l
	if l.lookup == 0 {
		return nil, &LoadError{Tried: []string{path}, Reason: "it has no function vkGetInstanceProcAddr", Advice: "this is not Vulkan's loader: " + installAdvice}
	}
	missing := l.resolve(global, func(name *byte) uintptr { return resolved(l.lookup, 0, name) })
	if missing != "" {
		return nil, &LoadError{Tried: []string{path}, Reason: "it has no function " + missing, Advice: "update Vulkan's loader"}
	}
	return l, nil
}

// Path is the name by which the library was opened.
func (l *Library) Path() string { return l.path }

// Inject makes calls fail, for tests of what drivers do on bad days: f is asked before each call that gives a VkResult, and
// where its answer is not [Success], that is the result and nothing is called. nil ends it. f is called from every
// goroutine that uses the library.
func (l *Library) Inject(f func(call string) Result) {
	if f == nil {
		l.hook.Store(nil)
		return
	}
	l.hook.Store(&f)
}

// Live counts the objects that were made and not given back, by their types' names, such as "VkBuffer".
func (l *Library) Live() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.live)
}

// count notes that n objects came, or went where n is negative.
func (l *Library) count(object string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live[object] += n; l.live[object] == 0 {
		delete(l.live, object)
	}
}
