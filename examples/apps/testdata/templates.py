"""Renders each chat template of a folder with Jinja, set up as transformers does, for conversations on the standard input: a JSON list
of lists of messages. Prints a JSON object: for each template the texts, or null where the template refuses a conversation."""

import datetime
import json
import os
import sys

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment

env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])


def refuse(text):
    raise jinja2.exceptions.TemplateError(text)


env.globals["raise_exception"] = refuse
env.globals["strftime_now"] = lambda layout: datetime.datetime.now().strftime(layout)
env.filters["tojson"] = lambda x, indent=None: json.dumps(x, ensure_ascii=False, indent=indent)

out = {}
conversations = json.load(sys.stdin)
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name)) as f:
        template = env.from_string(f.read())
    out[name] = []
    for messages in conversations:
        try:
            out[name].append(template.render(messages=messages, tools=None, documents=None, add_generation_prompt=True, bos_token="<s>",
                                             eos_token="</s>"))
        except jinja2.exceptions.TemplateError:
            out[name].append(None)
json.dump(out, sys.stdout)
