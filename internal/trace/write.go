package trace

import (
	"encoding/json"
	"io"
)

// Write writes events as a trace with an end.
func Write(out io.Writer, list []Event) error {
	begin := "[\n"
	for _, e := range list {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := out.Write(append([]byte(begin), text...)); err != nil {
			return err
		}
		begin = ",\n"
	}
	if len(list) == 0 {
		begin = "["
	} else {
		begin = "\n"
	}
	_, err := io.WriteString(out, begin+"]\n")
	return err
}
