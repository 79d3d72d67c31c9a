// Command chat talks to a language model of the kind of Llama, Mistral or Qwen on the user's machine, or serves one over HTTP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/examples/apps/internal/llama"
)

// noModel is printed where no model is given.
const noModel = `chat needs a language model: a folder with config.json, tokenizer.json, tokenizer_config.json and
*.safetensors, or a file *.gguf. Models of the kinds of Llama, Mistral, Qwen2 and Qwen3 run.

  Get one from a hub of models, such as huggingface.co, with its own client:
      pip install huggingface_hub
      hf download Qwen/Qwen2.5-0.5B-Instruct --local-dir qwen
  Then talk to it:
      go run ./examples/chat -model qwen
      go run ./examples/chat -model qwen -weights int8 -prompt "Why is the sky blue?"
      go run ./examples/chat serve -model qwen

  Or train a small one that writes like the text it was trained on, in some minutes:
      go run ./examples/train
      go run ./examples/chat -model trained/step-0000600 -prompt "And God said"

-help lists the flags.
`

// errNoModel makes the program end with the code 2.
var errNoModel = errors.New("no -model is given")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errNoModel):
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "chat:", err)
		os.Exit(1)
	}
}

// run runs the command.
func run(ctx context.Context, args []string, in io.Reader, out, messages io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	if o.model == "" {
		fmt.Fprint(messages, noModel)
		return errNoModel
	}
	dev, err := cutile.Open(o.device)
	if err != nil {
		return err
	}
	defer dev.Close()
	c, err := load(ctx, dev, o, messages)
	if err != nil {
		return err
	}
	defer c.engine.Close()
	switch {
	case o.serve:
		return serve(ctx, c, o, messages)
	case o.prompt != "":
		return once(ctx, c, o, out, messages)
	}
	return talk(ctx, c, o, in, out, messages)
}

// load reads the model and starts the engine.
func load(ctx context.Context, dev *cutile.Device, o options, messages io.Writer) (*chat, error) {
	files, err := llama.Open(o.model)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	c := &chat{tokenizer: files.Tokenizer, addBOS: files.AddBOS, config: files.Config}
	if files.Template != "" && !o.raw {
		if c.template, err = newTemplate(files.Template, files.Special); err != nil {
			return nil, fmt.Errorf("the chat template of %s: %w; -raw does without it", o.model, err)
		}
	}
	room := o.context
	if room == 0 {
		room = min(files.Config.Context, 4096)
	}
	users := 1
	if o.serve {
		users = o.users
	}
	fmt.Fprintf(messages, "loading %s as %s on %s\n", o.model, o.weights, dev.Name())
	model, err := llama.New(ctx, dev, files.Config, files.Weights, llama.Options{Format: llama.Format(o.weights), Slots: users, Room: room})
	if err != nil {
		return nil, err
	}
	c.room = room
	c.engine, err = llama.NewEngine(dev, model, o.queue)
	return c, err
}
