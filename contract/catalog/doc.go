// Package catalog finds deferred tools by what they are for, and remembers which
// of them a conversation has activated (CONTRACT.md §12). It knows no policy and
// calls nothing: whoever asks gives it the tools that may be found.
package catalog
