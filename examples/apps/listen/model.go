package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// modelVariable is the environment variable that names the model.
const modelVariable = "CUTILE_SILERO"

// advice says how to get the model.
const advice = `there is no model: %s does not exist.

listen needs Silero's model of voice activity (2 MB, under the MIT licence). A package for Python has it, of which nothing is run:

    pip download --no-deps silero-vad==6.2.3
    unzip silero_vad-6.2.3-*.whl 'silero_vad/data/*.onnx'
    export %s=$PWD/silero_vad/data

Then:

    listen                   hears a recording that is in the program
    listen recording.wav`

// names are the files of a folder that are taken for the model, the fastest first.
var names = []string{"silero_vad_16k_sequence.onnx", "silero_vad.onnx"}

// defaultModel is where the model is looked for without -model.
func defaultModel() string {
	if path := os.Getenv(modelVariable); path != "" {
		return path
	}
	return "silero_vad"
}

// findModel gives the file of the model: the one of that name, or one in the folder of that name.
func findModel(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", exit{2, fmt.Errorf(advice, path, modelVariable)}
	case err != nil:
		return "", err
	case !info.IsDir():
		return path, nil
	}
	for _, name := range names {
		if file := filepath.Join(path, name); exists(file) {
			return file, nil
		}
	}
	return "", exit{2, fmt.Errorf(advice, filepath.Join(path, names[0]), modelVariable)}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
