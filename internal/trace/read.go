package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Read reads a trace that [Trace] wrote. Neither the end of the array nor that of the last event need be there, as in the trace of a
// program that was killed.
func Read(in io.Reader) (list []Event, err error) {
	dec := json.NewDecoder(in)
	switch t, err := dec.Token(); {
	case err == io.EOF:
		return nil, nil // a program that was killed at once
	case err != nil:
		return nil, err
	case t != json.Delim('['):
		return nil, fmt.Errorf("it begins with %v, and not with the [ of an array of events", t)
	}
	for dec.More() {
		var e Event
		switch err := dec.Decode(&e); {
		case errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF:
			return list, nil
		case err != nil:
			return nil, fmt.Errorf("event %d: %w", len(list)+1, err)
		}
		list = append(list, e)
	}
	return list, nil
}
