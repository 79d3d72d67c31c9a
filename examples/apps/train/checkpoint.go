package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/models/safetensors"
)

// state is train.json: what training needs to go on, beside the tensors.
type state struct {
	Shape   shape   `json:"shape"`
	Plan    plan    `json:"plan"`
	Done    int     `json:"done"`
	History []point `json:"history"`
}

// prefix starts the names of folders of checkpoints.
const prefix = "step-"

// checkpoints lists those in a folder, the oldest first. Folders that were not completed have other names.
func checkpoints(folder string) ([]string, error) {
	list, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range list {
		if e.IsDir() && strings.HasPrefix(e.Name(), prefix) {
			names = append(names, filepath.Join(folder, e.Name()))
		}
	}
	slices.Sort(names) // numbers have the same length
	return names, err
}

// save writes a checkpoint, which chat can run, too. It appears under its name when all of it is on the disk. Older ones beyond
// those to keep are removed afterwards.
func (t *trainer) save(folder string, vocabulary []byte) (path string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	part := filepath.Join(folder, "part") // what a program left that was killed meanwhile goes away
	if err := errors.Join(os.RemoveAll(part), os.Mkdir(part, 0o777)); err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	if err := t.write(part, vocabulary); err != nil {
		return "", fmt.Errorf("writing a checkpoint: %w", err)
	}
	path = filepath.Join(folder, fmt.Sprintf("%s%07d", prefix, t.done))
	if err := os.RemoveAll(path); err != nil { // of an earlier run that was taken up before
		return "", err
	}
	if err := errors.Join(syncFolder(part), os.Rename(part, path), syncFolder(folder)); err != nil {
		return "", err
	}
	old, err := checkpoints(folder)
	for len(old) > t.plan.Keep && err == nil {
		err = os.RemoveAll(old[0])
		old = old[1:]
	}
	return path, err
}

// canSave finds out before the training whether checkpoints can be written.
func canSave(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	f, err := os.CreateTemp(folder, "part-")
	if err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// write writes the files of a checkpoint.
func (t *trainer) write(folder string, vocabulary []byte) error {
	s := t.shape
	config := map[string]any{
		"architectures": []string{"LlamaForCausalLM"}, "model_type": "llama", "vocab_size": s.Vocab, "hidden_size": s.Dim,
		"num_hidden_layers": s.Layers, "num_attention_heads": s.Heads, "num_key_value_heads": s.Groups, "head_dim": s.HeadDim,
		"intermediate_size": s.Hidden, "max_position_embeddings": s.Context, "rms_norm_eps": epsilon, "rope_theta": base,
		"hidden_act": "silu", "tie_word_embeddings": true, "eos_token_id": s.Vocab - 1, "torch_dtype": "float32",
	}
	for name, value := range map[string]any{
		"config.json": config, "tokenizer_config.json": map[string]any{"eos_token": end},
		"train.json": state{s, t.plan, t.done, t.history},
	} {
		text, err := json.MarshalIndent(value, "", " ")
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(folder, name), append(text, '\n')); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(folder, "tokenizer.json"), vocabulary); err != nil {
		return err
	}
	parameters, err := t.entries(t.p)
	if err != nil {
		return err
	}
	if err := saveTensors(filepath.Join(folder, "model.safetensors"), map[string]string{"format": "pt"}, parameters); err != nil {
		return err
	}
	var means []safetensors.Entry
	for _, part := range []struct {
		name string
		w    weights
	}{{"m.", t.m}, {"v.", t.v}} {
		list, err := t.entries(part.w)
		if err != nil {
			return err
		}
		for _, e := range list {
			e.Name = part.name + e.Name
			means = append(means, e)
		}
	}
	if err := saveTensors(filepath.Join(folder, "adam.safetensors"), nil, means); err != nil {
		return err
	}
	return writeSums(folder)
}

// saveTensors writes tensors to the disk.
func saveTensors(path string, metadata map[string]string, list []safetensors.Entry) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(safetensors.Write(f, metadata, list...), f.Sync(), f.Close())
}

// syncFolder makes the names in a folder last.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" { // it cannot
		return nil
	}
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// writeFile writes a file to the disk.
func writeFile(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// entries are the tensors of a checkpoint.
func (t *trainer) entries(w weights) ([]safetensors.Entry, error) {
	x, err := w.all.Slice()
	if err != nil {
		return nil, err
	}
	all, _, _ := t.shape.layout()
	list := make([]safetensors.Entry, len(all))
	for i, p := range all {
		shape := []int{p.rows, p.cols}
		if p.deviation == 0 {
			shape = shape[1:]
		}
		if list[i], err = safetensors.NewEntry(p.name, x[p.from:p.from+p.rows*p.cols], shape...); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// readState reads train.json.
func readState(folder string) (s state, err error) {
	text, err := os.ReadFile(filepath.Join(folder, "train.json"))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(folder, "train.json"), err)
	}
	if s.Plan.Parts == 0 { // of before there were parts
		s.Plan.Parts = 1
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(folder, "train.json"), err)
	}
	return s, nil
}

// check refuses numbers that no checkpoint has.
func (s state) check() error {
	if err := s.Shape.check(); err != nil {
		return err
	}
	if err := s.Plan.check(); err != nil {
		return err
	}
	if s.Plan.Span > s.Shape.Context || s.Done < 0 || s.Done > s.Plan.Steps || len(s.History) > s.Plan.Steps {
		return fmt.Errorf("%d of %d steps with %d points and windows of %d tokens make no sense", s.Done, s.Plan.Steps, len(s.History), s.Plan.Span)
	}
	return nil
}

// restore reads the parameters and means of a checkpoint.
func (t *trainer) restore(ctx context.Context, folder string) error {
	for _, part := range []struct {
		file, prefix string
		w            weights
	}{{"model.safetensors", "", t.p}, {"adam.safetensors", "m.", t.m}, {"adam.safetensors", "v.", t.v}} {
		if err := t.read(ctx, filepath.Join(folder, part.file), part.prefix, part.w); err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(folder, part.file), err)
		}
	}
	return nil
}

func (t *trainer) read(ctx context.Context, path, prefix string, w weights) error {
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	all, _, size := t.shape.layout()
	x := make([]float32, 0, size)
	for _, p := range all {
		tensor, err := f.Tensor(prefix + p.name)
		if err != nil {
			return err
		}
		part, err := safetensors.Slice[float32](tensor)
		if err != nil {
			return err
		}
		if len(part) != p.rows*p.cols {
			return fmt.Errorf("the tensor %s has %d elements, expected %d", prefix+p.name, len(part), p.rows*p.cols)
		}
		x = append(x, part...)
	}
	return w.all.Write(ctx, x)
}
