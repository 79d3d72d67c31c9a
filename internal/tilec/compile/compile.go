package compile

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// Compile is CompileWithin the default limits.
func (k *Kernel) Compile(ctx context.Context, f Facts) (*Code, error) {
	return k.CompileWithin(ctx, f, limit.Limits{})
}

// CompileWithin lowers a kernel for a launch with these facts and verifies the result. It is not cached: the caller keeps
// it. It ends soon after ctx does.
func (k *Kernel) CompileWithin(ctx context.Context, f Facts, limits limit.Limits) (code *Code, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var m *tileir.Module
	defer func() {
		if r := recover(); r != nil {
			code, err = nil, internalError(k, &f, m, r)
		}
	}()
	w, err := describe.Load(k.launchRoots(f))
	if err != nil {
		return nil, err
	}
	w.Lock()
	defer w.Unlock()
	if err := ctx.Err(); err != nil { // it may have taken long to get the lock
		return nil, err
	}
	in, err := k.input(w, f)
	if err != nil {
		return nil, err
	}
	in.Meter = limit.NewMeter(ctx, limits)
	out, err := lower.Kernel(in)
	if err != nil {
		return nil, err
	}
	if out.Entry.Hints, err = k.hints(); err != nil {
		return nil, err
	}
	m = &tileir.Module{Producer: "cutile-go", Globals: out.Globals, Entries: []*tileir.Entry{out.Entry}}
	equal, err := equals(out.Entry, out.Equal)
	if err != nil {
		return nil, err
	}
	if err := passes.Run(ctx, out.Entry); err != nil {
		return nil, err
	}
	if k.says(fast) {
		passes.Fast(out.Entry)
	}
	if f.Proof.Any() {
		passes.Promise(out.Entry, f.Proof)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if out.Notes != nil {
		out.Notes.Take(out.Entry)
	}
	if err := valid(m); err != nil {
		return nil, k.invalid(err, &f, m)
	}
	writes := make([]bool, len(k.params))
	for i, w := range passes.Written(out.Entry) {
		writes[out.Owner[i]] = writes[out.Owner[i]] || w
	}
	return &Code{Kernel: k, Module: m, Entry: out.Entry.Name, Writes: writes, Equal: equal}, nil
}

// hints are those of the kernel's doc comment.
func (k *Kernel) hints() (tileir.Hints, error) {
	fn, ok := k.ref.Node().(*ast.FuncDecl)
	if !ok {
		return nil, nil
	}
	return decl.Hints(source.Fset, fn.Doc)
}

// Occupancy is how many blocks should run at once on each multiprocessor of a target such as "sm_90a", by the hints of the kernel's doc
// comment: occupancy, divided by num_ctas, as such a block takes several of the multiprocessor's places; at least 1.
func (k *Kernel) Occupancy(target string) int {
	hints, err := k.hints()
	if err != nil {
		return 1 // which compiling the kernel says
	}
	of := map[string]int64{"occupancy": 1, "num_cta_in_cga": 1}
	for _, arch := range []string{"default", strings.TrimRight(target, "af")} { // whose hints come before the default's
		for _, h := range hints {
			if h.Arch == arch {
				for _, hint := range h.Hints {
					of[hint.Name] = hint.Value.Int
				}
			}
		}
	}
	return int(max(1, of["occupancy"]/of["num_cta_in_cga"]))
}

// input binds the kernel and its function arguments in one world.
func (k *Kernel) input(w *describe.World, f Facts) (*lower.Input, error) {
	fn, err := k.bind(w)
	if err != nil {
		return nil, err
	}
	in := &lower.Input{World: w, Kernel: fn, Wide: f.Wide, Checked: f.Checked, NoChecks: k.NoChecks(), Debug: debug.On(debug.Variables), Args: make([]lower.Arg, len(k.params))}
	if f.Covered {
		in.Cover = coverage{}
	}
	for i := range f.Args {
		a, p := &f.Args[i], &k.params[i]
		arg := &in.Args[i]
		if a.Func != nil {
			if arg.Func, err = a.Func.bind(w); err != nil {
				return nil, err
			}
			continue
		}
		if a.Align16 {
			arg.BaseDiv = 16
		}
		for axis := range p.Tile {
			arg.ExtentDiv = append(arg.ExtentDiv, pick(a.Extent16, axis, 16))
			arg.StrideDiv = append(arg.StrideDiv, pick(a.Stride16, axis, int64(16/p.Elem.Size())))
			arg.Unit = append(arg.Unit, a.Unit>>axis&1 == 1)
		}
	}
	return in, nil
}

func pick(mask uint8, axis int, n int64) int64 {
	if mask>>axis&1 == 1 {
		return n
	}
	return 0
}

// invalid reports what the rules of Tile IR refuse, at the user's code. Attributes are what users give as constants; any
// other fault is one of the compiler, or of a kernel that calls package op itself.
func (k *Kernel) invalid(err error, f *Facts, m *tileir.Module) error {
	if given := attributeMistakes(err); given != nil {
		return given
	}
	e := &diag.Error{Pos: k.pos, Stage: diag.Verify}
	var first *tileir.VerifyError
	if errors.As(err, &first) && !first.Loc.IsZero() {
		at := first.Loc
		e.Pos = token.Position{Filename: at.File, Line: at.Line, Column: at.Col}
	}
	e.Source = source.Line(e.Pos)
	e.Msg = fmt.Sprintf("%s is not valid Tile IR: %v\n(where a kernel calls package op itself, its arguments are wrong; else this is a BUG of the compiler)", k.name, err)
	k.keep(e, f, m, "")
	return diag.List{e}
}

// valid verifies a module. What tools would pass over counts where nothing else is wrong: in Go a hint that none takes is a
// mistake.
func valid(m *tileir.Module) error {
	warnings, err := tileir.Check(m, tileir.Newest)
	if err != nil {
		return err
	}
	var errs []error
	for _, w := range warnings {
		errs = append(errs, w)
	}
	return errors.Join(errs...)
}

// attributeMistakes are the faults of attributes, as mistakes of the code that gives them: nil if there are others.
func attributeMistakes(err error) error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	var list diag.List
	for _, e := range joined.Unwrap() {
		v, ok := e.(*tileir.VerifyError)
		if !ok || v.Op == nil || v.Loc.IsZero() || !strings.HasPrefix(v.What, "attribute ") {
			return nil
		}
		pos := token.Position{Filename: v.Loc.File, Line: v.Loc.Line, Column: v.Loc.Col}
		list = append(list, &diag.Error{Pos: pos, Stage: diag.Lower, Msg: spoken.Op(v.Op) + ": " + v.What, Source: source.Line(pos)})
	}
	return list.Err()
}
