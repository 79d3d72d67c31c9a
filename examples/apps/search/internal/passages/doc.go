// Package passages cuts texts into passages: pieces of a few sentences that are embedded, found and shown as one.
//
// A passage consists of whole sentences of one paragraph, or of several short paragraphs below one heading, as many as fit. Where
// a paragraph continues in the next passage, that begins with the last sentence of the one before, so that no thought is cut in
// two. Each passage knows the headings above it, which are part of what is embedded.
package passages
