package onnx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/onnx/internal/wire"
)

// The versions of ONNX's operators that models may ask for.
const (
	MinOpset = 7
	MaxOpset = 26
)

// maxRank is the greatest number of axes of an array.
const maxRank = 16

// Model is a model that was read from a file. Its methods may be called from several goroutines.
type Model struct {
	graph     *wire.Graph
	opset     int
	opsets    map[string]int64
	functions map[string]*wire.Function
	folder    fs.FS
	inputs    []Info
	outputs   []Info
	weights   map[*wire.Tensor]*tensor // the elements of initializers
}

// ReadFile reads a model, and elements of its tensors in other files of the same folder. Symbolic links there must not leave the
// folder.
func ReadFile(name string) (*Model, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	defer root.Close()
	m, err := parse(data, root.FS())
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", name, err)
	}
	return m, nil
}

// ReadFS reads the model in a file of fsys, and elements of its tensors in other files of the same folder.
func ReadFS(fsys fs.FS, name string) (*Model, error) {
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	folder, err := fs.Sub(fsys, filepath.ToSlash(filepath.Dir(name)))
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	m, err := parse(data, folder)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", name, err)
	}
	return m, nil
}

// Parse reads a model that has all elements of its tensors in data, which the model keeps and which must not be changed.
func Parse(data []byte) (*Model, error) {
	m, err := parse(data, nil)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return m, nil
}

func parse(data []byte, folder fs.FS) (*Model, error) {
	w, err := wire.DecodeModel(data)
	if err != nil {
		return nil, fmt.Errorf("the file is no ONNX model, as frameworks export them: %w", err)
	}
	if w.Graph == nil {
		return nil, errors.New("the file is no ONNX model, as frameworks export them: it has no graph")
	}
	m := &Model{graph: w.Graph, opsets: map[string]int64{}, functions: map[string]*wire.Function{}, folder: folder, weights: map[*wire.Tensor]*tensor{}}
	for _, o := range w.Opsets {
		m.opsets[domain(o.Domain)] = o.Version
	}
	if v := m.opsets[""]; v < MinOpset || v > MaxOpset {
		return nil, fmt.Errorf("the model asks for version %d of ONNX's operators, expected %d to %d: convert it with onnx.version_converter", v, MinOpset, MaxOpset)
	}
	m.opset = int(m.opsets[""])
	for _, f := range w.Functions {
		m.functions[domain(f.Domain)+":"+f.Name+":"+f.Overload] = f
	}
	if err := m.countNodes(w); err != nil {
		return nil, err
	}
	for _, f := range w.Functions {
		for _, a := range f.Defaults {
			if err := checkType(fmt.Sprintf("function %q", f.Name), a); err != nil {
				return nil, err
			}
		}
		if err := m.attributes(fmt.Sprintf("function %q: ", f.Name), f.Nodes); err != nil {
			return nil, err
		}
	}
	if err := m.interfaces(); err != nil {
		return nil, err
	}
	return m, m.attributes("", m.graph.Nodes)
}

// attributes reads the tensors among the attributes of nodes, and the initializers of their graphs.
func (m *Model) attributes(in string, nodes []*wire.Node) error {
	keep := func(t *wire.Tensor, where string) error {
		w, err := tensorOf(t, m.folder)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		m.weights[t] = w
		return nil
	}
	for i, n := range nodes {
		where := in + nodeText(i, n)
		if err := checkName(where, n); err != nil {
			return err
		}
		for _, a := range n.Attributes {
			if err := checkType(where, a); err != nil {
				return err
			}
			if a.T != nil {
				if err := keep(a.T, where+": attribute "+a.Name); err != nil {
					return err
				}
			}
			if a.G == nil {
				continue
			}
			for k, t := range a.G.Initializers {
				if err := keep(t, fmt.Sprintf("%s: %s: initializer %d %q", where, a.Name, k, t.Name)); err != nil {
					return err
				}
			}
			if err := m.attributes(where+": "+a.Name+": ", a.G.Nodes); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkType refuses an attribute that does not say which of its fields counts. One that stands for an attribute of a function has no field.
func checkType(where string, a *wire.Attribute) error {
	if a.Type == 0 && a.Ref == "" {
		return fmt.Errorf("%s: the attribute %q has the type UNDEFINED (0), expected that of its value, such as INT (2) (AttributeProto.AttributeType)", where, a.Name)
	}
	return nil
}

// nodeText names a node in messages.
func nodeText(i int, n *wire.Node) string {
	if op := strings.TrimSpace(n.Op); op != "" {
		return fmt.Sprintf("node %d %q (%s)", i, n.Name, op)
	}
	return fmt.Sprintf("node %d %q", i, n.Name)
}

// domain gives the name of a domain of operators: ONNX's own has two.
func domain(name string) string {
	if name == "ai.onnx" {
		return ""
	}
	return name
}

// interfaces reads the initializers, inputs and outputs of the model's graph.
func (m *Model) interfaces() error {
	if len(m.graph.Sparse) > 0 {
		return errors.New("sparse initializers are not supported")
	}
	fixed := map[string]bool{}
	for i, t := range m.graph.Initializers {
		w, err := tensorOf(t, m.folder)
		if err != nil {
			return fmt.Errorf("initializer %d %q: %w", i, t.Name, err)
		}
		if t.Name == "" || fixed[t.Name] {
			return fmt.Errorf("initializer %d %q: a name must not be empty, nor taken by another one", i, t.Name)
		}
		m.weights[t] = w
		fixed[t.Name] = true
	}
	for i, v := range m.graph.Inputs {
		info, err := infoOf(v)
		if err != nil {
			return fmt.Errorf("input %d %q: %w", i, v.Name, err)
		}
		if v.Name == "" || slices.ContainsFunc(m.inputs, func(o Info) bool { return o.Name == v.Name }) {
			return fmt.Errorf("input %d %q: a name must not be empty, nor taken by another one", i, v.Name)
		}
		if !fixed[v.Name] { // an initializer of the same name is its default value, which is used
			m.inputs = append(m.inputs, info)
		}
	}
	for i, v := range m.graph.Outputs {
		info, err := infoOf(v)
		if err != nil {
			return fmt.Errorf("output %d %q: %w", i, v.Name, err)
		}
		m.outputs = append(m.outputs, info)
	}
	return nil
}

// Inputs describes what a run must be given. Inputs with a default value in the model are not among them.
func (m *Model) Inputs() []Info { return slices.Clone(m.inputs) }

// Outputs describes what a run returns.
func (m *Model) Outputs() []Info { return slices.Clone(m.outputs) }

// Opset returns the version of ONNX's operators that the model asks for.
func (m *Model) Opset() int { return m.opset }
