package interop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/interop"
)

// cBytes is a text of C as the bytes of a variable.
func cBytes(s string) string {
	var list []string
	for _, c := range append([]byte(s), 0) {
		list = append(list, fmt.Sprint(c))
	}
	return fmt.Sprintf("[%d] = {%s}", len(s)+1, strings.Join(list, ", "))
}

// printing is what NVRTC makes of kernels that call printf and assert:
//
//	__global__ void show(int *counts) { if (threadIdx.x < 2) counts[threadIdx.x] = printf(FORMAT, threadIdx.x, 2.5, 'x', 1ll << 40, "text", counts); }
//	__global__ void bare(int *counts) { counts[0] = printf("nothing %d%%\n") ... }, without values
//	__global__ void checked(int n) { assert(n > 0); }
func printing(format string) string {
	return `.version 8.3
.target sm_80
.address_size 64
.extern .func (.param .b32 func_retval0) vprintf(.param .b64 vprintf_param_0, .param .b64 vprintf_param_1);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 fn, .param .b64 size) .noreturn;
.global .align 1 .b8 $str` + cBytes(format) + `;
.global .align 1 .b8 $str$1` + cBytes("text") + `;
.global .align 1 .b8 $str$2` + cBytes("nothing 100%%\n") + `;
.global .align 1 .b8 $str$3` + cBytes("n > 0") + `;
.global .align 1 .b8 $str$4` + cBytes("demo.cu") + `;
.global .align 1 .b8 __unnamed_1` + cBytes("void checked(int)") + `;
.visible .entry show(.param .u64 counts)
{
	.local .align 8 .b8 __local_depot0[48];
	.reg .b64 %SP, %SPL; .reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<12>;
	mov.u64 %SPL, __local_depot0;
	cvta.local.u64 %SP, %SPL;
	ld.param.u64 %rd1, [counts];
	mov.u32 %r1, %tid.x;
	setp.gt.u32 %p1, %r1, 1;
	@%p1 bra $L__BB0_2;
	add.u64 %rd2, %SP, 0;
	add.u64 %rd3, %SPL, 0;
	st.local.u32 [%rd3], %r1;
	mov.u64 %rd4, 0x4004000000000000;
	st.local.u64 [%rd3+8], %rd4;
	mov.u32 %r2, 120;
	st.local.u32 [%rd3+16], %r2;
	mov.u64 %rd5, 1099511627776;
	st.local.u64 [%rd3+24], %rd5;
	mov.u64 %rd6, $str$1;
	cvta.global.u64 %rd7, %rd6;
	st.local.u64 [%rd3+32], %rd7;
	st.local.u64 [%rd3+40], %rd4;
	mov.u64 %rd8, $str;
	cvta.global.u64 %rd9, %rd8;
	{ // callseq 0, 0
	.reg .b32 temp_param_reg;
	.param .b64 param0;
	st.param.b64 [param0+0], %rd9;
	.param .b64 param1;
	st.param.b64 [param1+0], %rd2;
	.param .b32 retval0;
	call.uni (retval0), vprintf, (param0, param1);
	ld.param.b32 %r3, [retval0+0];
	} // callseq 0
	cvta.to.global.u64 %rd10, %rd1;
	mad.wide.u32 %rd11, %r1, 4, %rd10;
	st.global.u32 [%rd11], %r3;
$L__BB0_2:
	ret;
}
.visible .entry bare(.param .u64 counts)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
	ld.param.u64 %rd1, [counts];
	mov.u64 %rd2, $str$2;
	cvta.global.u64 %rd2, %rd2;
	mov.u64 %rd3, 0;
	mov.u32 %r2, %tid.x;
	setp.eq.u32 %p, %r2, 0;
	mov.u32 %r1, 9;
	{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd2; st.param.b64 [v], %rd3;
	@%p call (r), vprintf, (f, v); ld.param.b32 %r1, [r]; }
	st.global.u32 [%rd1], %r1;
	{ .param .b64 f; .param .b64 v; .param .b32 r; st.param.b64 [f], %rd3; st.param.b64 [v], %rd3;
	call (r), vprintf, (f, v); ld.param.b32 %r2, [r]; }
	st.global.u32 [%rd1+4], %r2;
	ret;
}
.visible .entry checked(.param .u32 n)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;
	ld.param.u32 %r1, [n];
	setp.gt.s32 %p, %r1, 0;
	@%p bra DONE;
	mov.u64 %rd1, $str$3; cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, $str$4; cvta.global.u64 %rd2, %rd2;
	mov.u64 %rd3, __unnamed_1; cvta.global.u64 %rd3, %rd3;
	{ .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4; .reg .b64 one; mov.b64 one, 1; .reg .b32 line; mov.b32 line, 12;
	st.param.b64 [p0], %rd1; st.param.b64 [p1], %rd2; st.param.b32 [p2], line; st.param.b64 [p3], %rd3; st.param.b64 [p4], one;
	call.uni __assertfail, (p0, p1, p2, p3, p4);
	}
DONE:
	ret;
}
`
}

// print runs a kernel of a text on the CPU engine, and gives what it prints and what it leaves in an array.
func print(t *testing.T, text, name string, threads int) (string, []int32, error) {
	t.Helper()
	var out strings.Builder
	dev := onCPU(t, cutile.WithOutput(&out))
	m, err := interop.LoadModule(t.Context(), dev, []byte(text))
	need(t, err)
	counts := empty[int32](t, dev, 2)
	if err = kernel(t, m, name).Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{threads}}, counts); err == nil {
		err = dev.Stream().Sync(t.Context())
	}
	if err != nil {
		return "", nil, err
	}
	return out.String(), elements(t, counts), nil
}

// TestPrintf: printf of CUDA C++ prints to the device's output, finds its values where C's rules put them, and gives their number.
func TestPrintf(t *testing.T) {
	got, counts, err := print(t, printing("%d|%5.2f|%c|%lld|%-6s|%.2s|\n"), "show", 1)
	if err == nil || !strings.Contains(err.Error(), "0x4004000000000000") { // the last value is no address
		t.Errorf("a string without an address: %q, %v", got, err)
	}
	for format, want := range map[string]string{
		"%d|%5.2f|%c|%lld|%-6s|%p|\n":   "0| 2.50|x|1099511627776|text  |0x4004000000000000|\n1| 2.50|x|1099511627776|text  |0x4004000000000000|\n",
		"%u %g %3c %llx %.2s %e 100%%.": "0 2.5   x 10000000000 te 2.500000e+00 100%.1 2.5   x 10000000000 te 2.500000e+00 100%.",
	} {
		got, counts, err = print(t, printing(format), "show", 40)
		need(t, err)
		if got != want || counts[0] != 6 || counts[1] != 6 {
			t.Errorf("%q prints %q and gives %d, want %q and 6 values", format, got, counts, want)
		}
	}
	got, counts, err = print(t, printing(""), "bare", 1)
	need(t, err)
	if got != "nothing 100%\n" || counts[0] != 0 || counts[1] != -1 {
		t.Errorf("%q, %d, want the text, 0 values, and -1 without a format", got, counts)
	}
	for format, want := range map[string]string{
		"%*d\n": "vprintf: the format \"%*d\\n\" has an unknown conversion", "%Lf": `vprintf: the format "%Lf" has an unknown conversion`,
		"%99999d": "more than 4 digits", strings.Repeat("%lld", 40): "outside of local memory",
	} {
		if got, _, err := print(t, printing(format), "show", 1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "PTX:44") {
			t.Errorf("%q: %q, %v, want %s at line 44", format, got, err, want)
		}
	}
}

// TestAssertFail: a failed assert of CUDA C++ is the error of the launch.
func TestAssertFail(t *testing.T) {
	dev := onCPU(t)
	m, err := interop.LoadModule(t.Context(), dev, []byte(printing("")))
	need(t, err)
	k, c := kernel(t, m, "checked"), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}
	need(t, k.Launch(dev.Stream(), c, int32(1)))
	need(t, dev.Stream().Sync(t.Context()))
	if err = k.Launch(dev.Stream(), c, int32(0)); err == nil {
		err = dev.Stream().Sync(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), "assertion failed: n > 0 (demo.cu:12, in void checked(int))") {
		t.Errorf("error %v", err)
	}
}
