//go:build linux

package control

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var question = Question{
	ID: "q-1", Title: "Which way?", Panel: "builtin/ask_user#questions", Deadline: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC),
	Body: json.RawMessage(`{"id":"q-1"}`),
}

func TestAnswer(t *testing.T) {
	state := t.TempDir()
	h := &session{questions: []Question{question}}
	serve(t, state, h)
	listed, err := Ask(t.Context(), state, Request{Verb: VerbList})
	if err != nil || len(listed) != 1 || len(listed[0].Questions) != 1 || listed[0].Questions[0].Body != nil {
		t.Fatalf("list = %+v, %v, want the question without its body", listed, err)
	}
	shown, err := Ask(t.Context(), state, Request{Verb: VerbShow, ID: "q-1"})
	if err != nil || len(shown) != 1 {
		t.Fatalf("show = %+v, %v", shown, err)
	}
	if diff := cmp.Diff([]Question{question}, shown[0].Questions); diff != "" {
		t.Errorf("show (-want +got):\n%s", diff)
	}
	_, err = Ask(t.Context(), state, Request{Verb: VerbAnswer, ID: "q-1", Submission: json.RawMessage(`{"a":"wrong"}`)})
	if invalid, ok := errors.AsType[*InvalidAnswerError](err); !ok || !strings.Contains(invalid.Why, "/answers/a") {
		t.Errorf("a wrong answer: %v, want what is wrong with it", err)
	}
	if _, err := Ask(t.Context(), state, Request{Verb: VerbAnswer, ID: "q-2", Submission: json.RawMessage(`{"a":"right"}`)}); !errors.Is(err, ErrUnknownID) {
		t.Errorf("an answer to another question: %v, want ErrUnknownID", err)
	}
	if _, err := Ask(t.Context(), state, Request{Verb: VerbAnswer, ID: "q-1", Submission: json.RawMessage(`{"a":"right"}`)}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{`answer {"a":"right"}`}, h.decided); diff != "" {
		t.Errorf("decided (-want +got):\n%s", diff)
	}
}

// TestAttach attaches a terminal to a server that is there and to one that comes
// later. It is detached when either side ends, and outlives the patience of the
// server for a request.
func TestAttach(t *testing.T) {
	state := t.TempDir()
	first, second := &session{}, &session{}
	start(t, state, &Server{handler: first, log: slog.New(slog.DiscardHandler), examine: trust, patience: 50 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Attach(ctx, state, func(err error) { t.Errorf("refused: %v", err) })
	}()
	await(t, "the first server to know", func() bool { return first.terminals() == 1 })
	serve(t, state, second)
	await(t, "the second server to know", func() bool { return second.terminals() == 1 })
	time.Sleep(100 * time.Millisecond) // longer than the first server waits for a request
	if first.terminals() != 1 {
		t.Error("the first server lost the terminal when its patience ended")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	await(t, "both servers to know that it is gone", func() bool { return first.terminals()+second.terminals() == 0 })
}

// TestAttachedServerCloses must not wait for the terminal.
func TestAttachedServerCloses(t *testing.T) {
	state := t.TempDir()
	h := &session{}
	s := serve(t, state, h)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Attach(ctx, state, func(error) {}) }()
	await(t, "the server to know", func() bool { return h.terminals() == 1 })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if h.terminals() != 0 {
		t.Error("the server closed and still counts the terminal")
	}
	cancel()
	<-ended
}

// await looks until ok holds.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited 10 s for %s", what)
		}
	}
}
