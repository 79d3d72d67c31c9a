package cute_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

// Modules, numbers 43 to 50; kernels and launches, 51 to 61; options, caches and executors, 62 to 68 and 73; switches, 74.
var _ = []struct{}{
	add(43, "a module is a GPU container", func(t *testing.T) {
		if text := moduleOf(t, cute.Jit(sum), 1, 2); !strings.HasPrefix(text, "module attributes {gpu.container_module} {\n") {
			t.Error(text)
		}
	}),
	add(44, "there is a GPU module without kernels, too", func(t *testing.T) {
		if text := moduleOf(t, cute.Jit(sum), 1, 2); !strings.Contains(text, "  gpu.module @kernels {\n  }\n") {
			t.Error(text)
		}
	}),
	add(45, "attributes are the GPU module's", func(t *testing.T) {
		if text := moduleOf(t, cute.Jit(sum, cute.Options{Attrs: "a=b"}), 1, 2); !strings.Contains(text, `  gpu.module @kernels attributes {a = "b"} {`) {
			t.Error(text)
		}
	}),
	add(46, "the host function is public, with a C interface", func(t *testing.T) {
		want := "func.func public @cute_cute_test_sum(%arg0: s32, %arg1: s32) -> (b64, pred) attributes {llvm.emit_c_interface} {"
		if text := moduleOf(t, cute.Jit(sum), 1, 2); !strings.Contains(text, want) {
			t.Error(text)
		}
	}),
	add(47, "a module's text has no positions", func(t *testing.T) {
		if text := moduleOf(t, cute.Jit(runTwo), vectorOf(t, 3)); strings.Contains(text, "loc(") || strings.Contains(text, ".go") {
			t.Error(text)
		}
	}),
	add(48, "symbols", func(t *testing.T) {
		x := vectorOf(t, 3)
		for _, c := range []struct {
			text, want string
		}{
			{moduleOf(t, cute.Jit(foo), 1, 5, quiet), "cute_cute_test_foo_5"},
			{moduleOf(t, cute.Jit(runMap), x, epilogue(relu)), "cute_cute_test_runMap_relu"},
			{moduleOf(t, cute.Jit(config.run), config{8, 1.5}, x), "cute_cute_test_config_run_8_1_5"},
			{moduleOf(t, cute.Jit(named), "a,b (c)", 1), "cute_cute_test_named_ab_c"},
			{moduleOf(t, cute.Jit(named), strings.Repeat("long", 100), 1), ("cute_cute_test_named_" + strings.Repeat("long", 100))[:180]},
		} {
			m := regexp.MustCompile(`func.func public @(\w*)`).FindStringSubmatch(c.text)
			if m == nil || m[1] != c.want {
				t.Errorf("got %q, want %q", m, c.want)
			}
		}
	}),
	add(49, "a module is verified before it is used", func(t *testing.T) {
		var out bytes.Buffer
		moduleOf(t, cute.Jit(sum), 1, 2, cute.Options{Log: true, Output: &out})
		if !strings.Contains(out.String(), "verify for sm_90a") {
			t.Errorf("log %q", out.String())
		}
	}),
	add(50, "dry-run stops after the module, which is printed and kept", func(t *testing.T) {
		dev, _ := open(t)
		x := vector(t, dev, 4)
		var out bytes.Buffer
		dir := t.TempDir()
		before := cute.CompileStats()
		check(t, cute.Jit(runScale, cute.Options{DryRun: true, PrintIR: true, Dump: dir, Output: &out})(cute.Of[float32](x), 2))
		wantEach(t, x, func(i int) float32 { return float32(i) })
		if got := since(before); got.Evaluated != 1 || got.Compiled+got.Loaded != 0 {
			t.Errorf("got %+v", got)
		}
		kept := must(os.ReadFile(filepath.Join(dir, "cute_cute_test_runScale.simt")))(t)
		if !strings.Contains(out.String(), "gpu.launch_func") || out.String() != string(kept) {
			t.Errorf("printed\n%s\nkept\n%s", out.String(), kept)
		}
	}),
	add(51, "a call of a kernel gives what launches it", func(t *testing.T) {
		wantError(t, cute.Jit(notLaunched)(cute.Tensor[float32]{}), "argument #1 (x) is an uninitialized tensor")
		if text := moduleOf(t, cute.Jit(notLaunched), vectorOf(t, 3)); strings.Contains(text, "gpu.func") || strings.Contains(text, "gpu.launch_func") {
			t.Error(text)
		}
	}),
	add(52, "configuration of a launch", func(t *testing.T) {
		text := moduleOf(t, cute.Jit(clustered), vectorOf(t, 64))
		if !regexp.MustCompile(`clusters in \(2, 1, 1\) blocks in \(%rd\d+, %rd\d+, %rd\d+\) threads in \(16, 1, 1\)`).MatchString(text) ||
			!strings.Contains(text, "nvvm.cluster_dim = [2, 1, 1]") {
			t.Error(text)
		}
		if text := moduleOf(t, cute.Jit(noBlock), vectorOf(t, 4)); !strings.Contains(text, "threads in (1, 1, 1)") {
			t.Error(text)
		}
		wantError(t, cute.Jit(flatBlock)(cute.Of[float32](vectorOf(t, 4))), "kernels_test.go:", "Block.Y of a launch is 0")
	}),
	add(53, "each launch has a kernel of its own", func(t *testing.T) {
		x := vectorOf(t, 5)
		text := moduleOf(t, cute.Jit(runTwo), x)
		for _, want := range []string{"gpu.func @kernel_cute_test_runTwo_0(", "gpu.func @kernel_cute_test_runTwo_1(", "@kernels::@kernel_cute_test_runTwo_0", "@kernels::@kernel_cute_test_runTwo_1"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%d times %q in\n%s", strings.Count(text, want), want, text)
			}
		}
		check(t, cute.Jit(runTwo)(cute.Of[float32](x)))
		wantEach(t, x, func(i int) float32 { return float32(i) + 1 })
	}),
	add(54, "attributes of kernels", func(t *testing.T) {
		if text := moduleOf(t, cute.Jit(runScale), vectorOf(t, 3), 2); !strings.Contains(text, "kernel attributes {cute.kernel, gpu.kernel, nvvm.reqntid = [64, 1, 1]}") {
			t.Error(text)
		}
	}),
	add(55, "reqntid is the block; minctasm only where it is asked for", func(t *testing.T) {
		if text := moduleOf(t, cute.Jit(reversed), vectorOf(t, 64), 0); !strings.Contains(text, "nvvm.reqntid = [64, 1, 1], nvvm.minctasm = 2") {
			t.Error(text)
		}
		if text := moduleOf(t, cute.Jit(runScale), vectorOf(t, 3), 2); strings.Contains(text, "minctasm") {
			t.Error(text)
		}
	}),
	add(56, "the launch names kernel, grid, block, shared memory and operands", func(t *testing.T) {
		text := moduleOf(t, cute.Jit(runScale), vectorOf(t, 3), 2)
		want := regexp.MustCompile(`gpu.launch_func @kernels::@kernel_cute_test_runScale_0 blocks in \(%rd\d+, %rd\d+, %rd\d+\) threads in \(64, 1, 1\) dynamic_shared_memory_size 0 args\(%rd0, %r\d+, %r\d+\)`)
		if !want.MatchString(text) || strings.Contains(text, "clusters") {
			t.Error(text)
		}
	}),
	add(57, "the grid may be dynamic, the block may not", func(t *testing.T) {
		wantError(t, cute.Jit(dynamicBlock)(cute.Of[float32](vectorOf(t, 4)), 32), "kernels_test.go:", "Block.X of a launch must be known when the function is compiled")
		x := vectorOf(t, 0)
		check(t, cute.Jit(runScale)(cute.Of[float32](x), 1))
		wantError(t, cute.Jit(gridOf)(cute.Of[float32](vectorOf(t, 4)), -1), "kernels_test.go:", "its extents must be 0 to")
	}),
	add(58, "shared memory is the allocator's, unless it is given", func(t *testing.T) {
		x := vectorOf(t, 64)
		if text := moduleOf(t, cute.Jit(reversed), x, 0); !strings.Contains(text, "dynamic_shared_memory_size 256") {
			t.Error(text)
		}
		var out bytes.Buffer
		for bytes, warns := range map[int]bool{512: false, 100: true} {
			out.Reset()
			text := moduleOf(t, cute.Jit(reversed), x, bytes, cute.Options{Output: &out})
			if got := strings.Contains(out.String(), "the launch gives 100 bytes of shared memory, but the kernel's allocator takes 256"); got != warns {
				t.Errorf("%d bytes: printed %q\n%s", bytes, out.String(), text)
			}
		}
		check(t, cute.Jit(reversed)(cute.Of[float32](x), cute.C(0)))
		wantEach(t, x, func(i int) float32 { return float32(63 - i) })
	}),
	add(59, "a launch on a stream, or after another one, gives a token", func(t *testing.T) {
		dev, _ := open(t)
		x, y := vector(t, dev, 100), vector(t, dev, 100)
		s1, s2 := must(dev.NewStream())(t), must(dev.NewStream())(t)
		text := moduleOf(t, cute.Jit(chained), x, y, s1, s2)
		if strings.Count(text, "gpu.launch_func async") != 2 {
			t.Error(text)
		}
		check(t, cute.Jit(chained)(cute.Of[float32](x), cute.Of[float32](y), cute.StreamOf(s1), cute.StreamOf(s2)))
		wantEach(t, x, func(i int) float32 { return 2 * float32(i) })
		wantEach(t, y, func(i int) float32 { return 3 * float32(i) })
		if text := moduleOf(t, cute.Jit(runScale), x, 2); strings.Contains(text, "async") {
			t.Error(text)
		}
	}),
	add(60, "a kernel tells how much shared memory it takes", func(t *testing.T) {
		m := must(cute.Compile(t.Context(), cute.Jit(reversed), vectorOf(t, 64), 0))(t).Module()
		if !strings.Contains(m.Text(), "cute.shared = 256") {
			t.Error(m.Text())
		}
		if k := m.Kernels(); len(k) != 1 || k[0].Smem != 256 || k[0].Block != cute.D3(64, 1, 1) || k[0].Name == "" {
			t.Errorf("kernels %+v", k)
		}
	}),
	add(61, "a kernel's parameters are what is dynamic", func(t *testing.T) {
		x := vectorOf(t, 4)
		text := moduleOf(t, cute.Jit(runMixed), mixed{X: cute.Of[float32](x), Turns: cute.C(1)})
		if !strings.Contains(text, "gpu.func @kernel_cute_test_runMixed_1_0(%arg0: u64, %arg1: s32, %arg2: f32, %arg3: s32, %arg4: s32)") {
			t.Error(text)
		}
		fixed := cute.Of[float32](x, cute.Static())
		text = moduleOf(t, cute.Jit(runMixed), mixed{X: fixed, Turns: cute.C(1)})
		if !strings.Contains(text, "gpu.func @kernel_cute_test_runMixed_1_0(%arg0: u64, %arg1: f32, %arg2: s32, %arg3: s32)") {
			t.Error(text)
		}
	}),
	add(62, "the stages are a list that can be printed and replaced", func(t *testing.T) {
		p := must(cute.ParsePipeline("verify,ptx"))(t)
		if p.String() != "verify,ptx" {
			t.Errorf("got %v", p)
		}
		for level, want := range map[cute.Opt]string{cute.O0: "verify", cute.O3: "verify,optimise,verify"} {
			e := must(cute.Compile(t.Context(), cute.Jit(sum), 1, 2, cute.Options{Opt: level}))(t)
			if got := e.Module().Stages().String(); got != want {
				t.Errorf("O%d: stages %s, want %s", level.Level(), got, want)
			}
		}
		_, err := cute.ParsePipeline("verify,fold")
		wantError(t, err, `there is no stage "fold": the stages are verify, optimise, ptx`)
		var out bytes.Buffer
		x := vectorOf(t, 4)
		moduleOf(t, cute.Jit(runScale), x, 2, cute.Options{Pipeline: "verify,ptx", Log: true, Output: &out})
		if got := out.String(); strings.Contains(got, ": optimise for") || !strings.Contains(got, ": verify for") || !strings.Contains(got, ": ptx for") {
			t.Errorf("log %q", got)
		}
		wantError(t, cute.Jit(runScale, cute.Options{Pipeline: "none"})(cute.Of[float32](x), 1), "option pipeline", `no stage "none"`)
	}),
	add(63, "options are read from text, and have one text", func(t *testing.T) {
		o := must(cute.ParseOptions(`"no-cache" opt-level="1"   arch=sm_80 assertions=true print-ir=false`))(t)
		if o != (cute.Options{NoCache: true, Opt: cute.O1, Arch: "sm_80", Assertions: true}) || o.String() != "opt-level=1 arch=sm_80 assertions no-cache" {
			t.Errorf("got %+v, %v", o, o)
		}
		if s := (cute.Options{}).String(); s != "opt-level=3" {
			t.Errorf("got %q", s)
		}
		spaced := cute.Options{Dump: `a "b" c`, Log: true}
		if back := must(cute.ParseOptions(spaced.String()))(t); back.Dump != spaced.Dump || !back.Log {
			t.Errorf("%v reads as %+v", spaced, back)
		}
		for text, want := range map[string]string{
			"dump=\"a": "does not end its quotation", "opt-level=4": `option opt-level: "4" is not a level from 0 to 3`, "fast": `there is no option "fast"`, "arch=sm_1": "sm_90a",
			"log=maybe": `option log: "maybe" is not true or false`, "dump": "option dump: it needs a value",
		} {
			_, err := cute.ParseOptions(text)
			wantError(t, err, want)
		}
		dev, _ := open(t)
		x := cute.Of[float32](vector(t, dev, 1))
		wantError(t, cute.Jit(runScale, cute.Options{Opt: 9})(x, 1), "opt-level")
		call := cute.Jit(runAssert)
		check(t, call(x))
		check(t, dev.Sync(t.Context()))
		must(cute.Call(t.Context(), call, x, cute.Options{Assertions: true}))(t)
		wantError(t, dev.Sync(t.Context()), "kernels_test.go:", "x must be positive")
		check(t, call(x)) // the options of one call are not those of the next
		check(t, dev.Sync(t.Context()))
	}),
	add(64, "the hash changes with module, options and environment, and with nothing else", func(t *testing.T) {
		x := vectorOf(t, 4)
		hash := func(f any, args ...any) string { return must(cute.Compile(t.Context(), f, args...))(t).Module().Hash() }
		first := hash(cute.Jit(runScale), x, 2)
		if again := hash(cute.Jit(runScale), vectorOf(t, 9), 3); again != first {
			t.Error("two hashes of one program")
		}
		seen := map[string]string{first: "first"}
		for name, h := range map[string]string{
			"module": hash(cute.Jit(runMap), x, epilogue(relu)), "static": hash(cute.Jit(runMap), x, epilogue(twice)), "option": hash(cute.Jit(runScale), x, 2, cute.Options{Opt: cute.O1}),
			"environment": func() string {
				t.Setenv("CUTILE_CUTE_OPTIONS", "assertions")
				return hash(cute.Jit(runScale), x, 2)
			}(),
		} {
			if seen[h] != "" {
				t.Errorf("%s has the hash of %s", name, seen[h])
			}
			seen[h] = name
		}
		t.Setenv("CUTILE_CUTE_OPTIONS", "")
		if hash(cute.Jit(runScale), x, 2, cute.Options{Dump: t.TempDir()}) != first {
			t.Error("writing files changes the hash")
		}
	}),
	add(65, "programs are kept in the process, and in a folder", func(t *testing.T) {
		t.Setenv("CUTILE_CACHE", t.TempDir())
		x := cute.Of[float32](vectorOf(t, 4))
		options := []cute.JitOption{cute.Options{KeepPTX: true, Arch: "sm_86"}}
		before := cute.CompileStats()
		for range 2 {
			check(t, cute.Jit(runScale, options...)(x, 1))
		}
		if got := since(before); got.Compiled != 1 || got.Hits != 1 || got.Assembled != 1 || got.Found != 0 {
			t.Errorf("got %+v", got)
		}
		before = cute.CompileStats()
		t.Setenv("CUTILE_CUTE_OPTIONS", "log=false") // another environment
		check(t, cute.Jit(runScale, append(options, cute.Options{Attrs: "a=b"})...)(x, 1))
		if got := since(before); got.Compiled != 1 || got.Assembled != 1 {
			t.Errorf("got %+v", got)
		}
		t.Setenv("CUTILE_CACHE_SIZE", "lots")
		wantError(t, cute.Jit(runScale, cute.Options{KeepPTX: true, Arch: "sm_89"})(x, 1), "CUTILE_CACHE_SIZE", "number of MiB")
	}),
	add(66, "Compile takes what Jit gave, and keeps nothing", func(t *testing.T) {
		x := vectorOf(t, 4)
		call := cute.Jit(runScale)
		before := cute.CompileStats()
		for range 2 {
			must(cute.Compile(t.Context(), call, x, 2))(t)
		}
		check(t, call(cute.Of[float32](x), 2))
		if got := since(before); got.Evaluated != 3 || got.Hits > 1 {
			t.Errorf("got %+v", got)
		}
		for _, c := range []struct {
			f    any
			want string
		}{
			{runScale, "was not made by cute.Jit"}, {nil, "the function is nil"}, {3, "a int is not a function"},
			{(func(int) error)(nil), "the function is a nil func(int) error"},
		} {
			_, err := cute.Compile(t.Context(), c.f)
			wantError(t, err, c.want)
		}
		e := must(cute.Compile(t.Context(), cute.Jit(config.run), config{4, 2}, x))(t)
		must(e.Run(t.Context(), x))(t)
		wantEach(t, x, func(i int) float32 { return 2*float32(i) + 2 })
	}),
	add(67, "what is in no source is refused", func(t *testing.T) {
		wantError(t, cute.Jit(readsGlobal)(1), "kernels_test.go:", "counter")
		x := cute.Of[float32](vectorOf(t, 4))
		wantError(t, cute.Jit(runMap)(x, cute.C(capturing(3))), "argument #2 (epi.V)", "uses by of the function around it", "a method of a struct that has by as a field")
		wantError(t, cute.Jit(runMap)(x, cute.C[epilogue](elsewhere)), "argument #2 (epi.V): ", "kernels_test.go:", "undefined: notEmbedded", "not embed: add the file to its go:embed line")
		n := 3
		local := cute.Jit(func(x int) error { return nil })
		_ = n
		wantError(t, local(1), "embed")
	}),
	add(68, "what an architecture lacks is told with the module", func(t *testing.T) {
		x := must(cutile.NewTensor[int32](vectorOf(t, 1).Device(), 1))(t)
		_, err := cute.Compile(t.Context(), cute.Jit(runEarly), cute.Of[int32](x), cute.C(true), true, cute.Options{Arch: "sm_80", KeepPTX: true})
		wantError(t, err, "sm_80", "the module begins", "gpu.module @kernels")
		var e *cutile.Error
		if !errors.As(err, &e) || e.Stage != cutile.StageVerify {
			t.Errorf("got %#v", err)
		}
	}),
	add(73, "a compiled function runs again", func(t *testing.T) {
		dev, _ := open(t)
		e := must(cute.Compile(t.Context(), cute.Jit(runScale), vector(t, dev, 4), 2))(t)
		before := cute.CompileStats()
		for _, n := range []int{3, 1000} {
			x := vector(t, dev, n)
			must(e.Run(t.Context(), x, n))(t)
			wantEach(t, x, func(i int) float32 { return float32(n) * float32(i) })
		}
		if got := since(before); got.Evaluated+got.Compiled != 0 || got.Loaded != 1 {
			t.Errorf("got %+v", got)
		}
		_, err := e.Run(t.Context(), cute.Of[float32](vector(t, dev, 4), cute.Static()), 1)
		wantError(t, err, "the static part of argument #1 (x) has changed", "(4):(1)", "compiled for (?):(1)")
		check(t, e.Close())
		if got := since(before); got.Unloaded != 1 {
			t.Errorf("got %+v", got)
		}
		_, err = e.Run(t.Context(), vector(t, dev, 4), 1)
		wantError(t, err, "the executor is closed")
		check(t, e.Close())
	}),
	add(74, "the environment has switches", func(t *testing.T) {
		dir := t.TempDir()
		t.Setenv("CUTILE_CUTE_OPTIONS", "keep-ptx arch=sm_90a dump="+dir)
		check(t, cute.Jit(runScale)(cute.Of[float32](vectorOf(t, 4)), 2))
		text := string(must(os.ReadFile(filepath.Join(dir, "cute_cute_test_runScale.ptx")))(t))
		if !strings.Contains(text, ".target sm_90a") {
			t.Error(text)
		}
		t.Setenv("CUTILE_CUTE_OPTIONS", "time")
		var out bytes.Buffer
		check(t, cute.Jit(runScale, cute.Options{Output: &out})(cute.Of[float32](vectorOf(t, 4)), 2))
		for _, stage := range []string{"evaluate", "verify", "optimise"} {
			if !regexp.MustCompile(stage + ` took [0-9.]+[nµm]?s\n`).MatchString(out.String()) {
				t.Errorf("no time of %s in %q", stage, out.String())
			}
		}
		t.Setenv("CUTILE_CUTE_OPTIONS", "warnings-as-errors")
		wantError(t, cute.Jit(reversed)(cute.Of[float32](vectorOf(t, 64)), cute.C(16)), "kernels_test.go:", "the launch gives 16 bytes of shared memory, but the kernel's allocator takes 256")
		t.Setenv("CUTILE_CUTE_OPTIONS", "nonsense")
		wantError(t, cute.Jit(runScale)(cute.Of[float32](vectorOf(t, 4)), 2), "CUTILE_CUTE_OPTIONS", `no option "nonsense"`)
	}),
}

// vectorOf is vector on a CPU of its own.
func vectorOf(t *testing.T, n int) *cutile.Tensor[float32] {
	t.Helper()
	dev, _ := open(t)
	return vector(t, dev, n)
}

// moduleOf compiles and gives the module's text.
func moduleOf(t *testing.T, f any, args ...any) string {
	t.Helper()
	return must(cute.Compile(t.Context(), f, args...))(t).Module().Text()
}

// notEmbedded is in the program, and in no source that a kernel can have.
func notEmbedded(x float32) float32 { return x }
