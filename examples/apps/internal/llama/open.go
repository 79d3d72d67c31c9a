package llama

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/models/tokenizer"
)

// Files are a model on disk, of which the configuration is read and checked and no weights are loaded yet.
type Files struct {
	Config    Config
	Weights   Source
	Tokenizer *tokenizer.Tokenizer
	Template  string            // the chat template in Jinja's language; "" if there is none
	Special   map[string]string // names for the template, such as bos_token, and their tokens
	AddBOS    bool              // texts without a template begin with BOS, though the tokenizer may not add it
}

// Close frees the weights. A Model that was made of them stays.
func (f *Files) Close() error { return f.Weights.Close() }

// Open opens a folder with config.json, tokenizer.json and *.safetensors, or a file in the format GGUF.
func Open(path string) (*Files, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("no model: %w", err)
	}
	if info.IsDir() {
		return openFolder(path)
	}
	if strings.HasSuffix(path, ".gguf") {
		return openGGUF(path)
	}
	return nil, fmt.Errorf("%s is neither a folder with config.json and *.safetensors nor a file *.gguf", path)
}

// openFolder opens a checkpoint as Hugging Face's hub has them.
func openFolder(folder string) (_ *Files, err error) {
	f := &Files{}
	if f.Config, err = readConfigFile(filepath.Join(folder, "config.json")); err != nil {
		return nil, err
	}
	if f.Tokenizer, err = tokenizer.Load(filepath.Join(folder, "tokenizer.json")); err != nil {
		return nil, fmt.Errorf("the tokenizer: %w", err)
	}
	if n := f.Tokenizer.VocabSize(); n > f.Config.Vocab {
		return nil, fmt.Errorf("tokenizer.json has %d tokens and config.json only %d: they are of different models", n, f.Config.Vocab)
	}
	if err := f.readChat(folder); err != nil {
		return nil, err
	}
	if err := f.readEnds(filepath.Join(folder, "generation_config.json")); err != nil {
		return nil, err
	}
	f.Weights, err = openCheckpoint(folder)
	return f, err
}

func readConfigFile(path string) (Config, error) {
	r, err := os.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("the model's shape: %w", err)
	}
	defer r.Close()
	return ReadConfig(r)
}

// readSmall reads a file of at most MaxConfig bytes; nil if there is none.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.Size() > MaxConfig {
		err = fmt.Errorf("%s has %d bytes, expected at most %d", path, info.Size(), MaxConfig)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// readChat reads the template and the names of special tokens.
func (f *Files) readChat(folder string) error {
	f.Special = map[string]string{}
	text, err := readSmall(filepath.Join(folder, "tokenizer_config.json"))
	if err != nil {
		return err
	}
	if text != nil {
		if err := f.parseChat(text); err != nil {
			return fmt.Errorf("tokenizer_config.json: %w", err)
		}
	}
	if text, err = readSmall(filepath.Join(folder, "chat_template.jinja")); err == nil && text != nil {
		f.Template = string(text)
	}
	return err
}

func (f *Files) parseChat(text []byte) error {
	var in map[string]json.RawMessage
	if err := json.Unmarshal(text, &in); err != nil {
		return err
	}
	for name, value := range in {
		if !strings.HasSuffix(name, "_token") {
			continue
		}
		var plain string
		var added struct {
			Content string `json:"content"`
		}
		if json.Unmarshal(value, &plain) == nil {
			f.Special[name] = plain
		} else if json.Unmarshal(value, &added) == nil {
			f.Special[name] = added.Content
		}
	}
	if raw, ok := in["chat_template"]; ok {
		template, err := chooseTemplate(raw)
		if err != nil {
			return err
		}
		f.Template = template
	}
	return nil
}

// chooseTemplate takes a template, or that of the name default from a list of named ones.
func chooseTemplate(raw json.RawMessage) (string, error) {
	var one *string
	if json.Unmarshal(raw, &one) == nil {
		return or(one, ""), nil
	}
	var list []struct{ Name, Template string }
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", fmt.Errorf("chat_template: %w", err)
	}
	for _, t := range list {
		if t.Name == "default" {
			return t.Template, nil
		}
	}
	return "", errors.New("chat_template is a list without one of the name default")
}

// readEnds adds the tokens that end a text: those of generation_config.json and the one that the tokenizer's file names.
func (f *Files) readEnds(path string) error {
	text, err := readSmall(path)
	if err != nil {
		return err
	}
	var in struct {
		EOS idList `json:"eos_token_id"`
	}
	if text != nil {
		if err := json.Unmarshal(text, &in); err != nil {
			return fmt.Errorf("generation_config.json: %w", err)
		}
	}
	if id, ok := f.Tokenizer.TokenToID(f.Special["eos_token"]); ok {
		in.EOS = append(in.EOS, id)
	}
	for _, id := range in.EOS {
		if id < 0 || int(id) >= f.Config.Vocab {
			return fmt.Errorf("generation_config.json: eos_token_id is %d, expected 0 to %d", id, f.Config.Vocab-1)
		}
		if !slices.Contains(f.Config.EOS, id) {
			f.Config.EOS = append(f.Config.EOS, id)
		}
	}
	return nil
}
