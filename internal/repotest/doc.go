// Package repotest holds tests about the repository itself: which package may
// import which, what every package documents, and what no file may contain. It
// has no code for others to use.
package repotest
