package contract

import (
	"cmp"
	"context"
	"encoding/json"

	"raw/contract/hook"
	"raw/contract/value"
)

// HookRunner runs hooks. Its methods may be called at once.
type HookRunner interface {
	// Gate asks hooks in order. Its verdict is Continued only when every one
	// of them continued.
	Gate(ctx context.Context, concerned []hook.Selected, e hook.Event) hook.Verdict
	// Notify tells hooks in order and returns when they have ended.
	Notify(ctx context.Context, concerned []hook.Selected, e hook.Event)
}

// preHooks: every hook that the call concerns lets it go on.
func (t *Ticket) preHooks(ctx context.Context) *Refusal {
	e := t.hookEvent(hook.PreToolUse)
	concerned := t.view.hooks.Select(e)
	if len(concerned) == 0 {
		return nil
	}
	if t.trace != nil {
		for _, h := range concerned {
			x := t.explained()
			x.Details = append(x.Details, "would ask the hook "+h.Name)
		}
		return nil
	}
	v := t.session.options.HookRunner.Gate(ctx, concerned, e)
	switch {
	case v.Outcome == hook.Continued:
		return nil
	case ctx.Err() != nil:
		return t.aborted()
	case v.Outcome == hook.Denied:
		return byHook(v.Hook, CodeHookDenied, "%s is denied by the hook %s: %s", t.tool.Name, v.Hook, cmp.Or(v.Reason, "it gives no reason"))
	default:
		return byHook(v.Hook, CodeHookError, "%s was not run, because the hook %s %s; a person has to mend it, and the server's log says more", t.tool.Name, v.Hook, v.What)
	}
}

func byHook(name string, code Code, format string, a ...any) *Refusal {
	ref := refuse(code, format, a...)
	ref.Hook = name
	return ref
}

// postHooks tells what became of a call. It cannot change the result, and a
// cancelled call is told of like every other: each hook has a time of its own.
func (t *Ticket) postHooks(ctx context.Context, res Result) {
	name := hook.PostToolUse
	if res.IsError() {
		name = hook.PostToolUseFailure
	}
	e := t.hookEvent(name)
	concerned := t.view.hooks.Select(e)
	if len(concerned) == 0 {
		return
	}
	var err error
	if e.Tool.Result, err = hookResult(res); err != nil {
		t.session.log.Error("a result is not told to hooks", "tool", t.tool.Name, "error", err)
		return
	}
	t.session.options.HookRunner.Notify(context.WithoutCancel(ctx), concerned, e)
}

func (t *Ticket) hookEvent(name hook.Name) hook.Event {
	e := hook.Event{Name: name, Tool: &hook.Tool{
		Identity: string(t.tool.Identity), Name: t.tool.Name, Source: string(t.request.Source),
		Arguments: t.args, Effects: t.spellings,
	}}
	if ws := t.view.workspace; ws != nil {
		e.Cwd = ws.Cwd
	}
	return e
}

// Begin tells hooks that the session begins; source says how it came to be, or
// is empty. It may wait for the workspace. A surface calls it once, and not on
// its reader.
func (s *Session) Begin(ctx context.Context, source string) {
	s.tell(ctx, hook.Event{Name: hook.SessionStart, Source: source})
}

// End tells hooks that the session ends. A surface calls it once, after its last
// call has left.
func (s *Session) End(ctx context.Context) { s.tell(ctx, hook.Event{Name: hook.SessionEnd}) }

func (s *Session) tell(ctx context.Context, e hook.Event) {
	concerned := s.view().hooks.Select(e)
	if len(concerned) == 0 {
		return
	}
	v, ref := s.acquire(ctx)
	if ref != nil {
		s.log.Warn("hooks are not told, as there is no folder for them to run in", "event", string(e.Name), "reason", ref.Text)
		return
	}
	e.Cwd = v.workspace.Cwd
	s.options.HookRunner.Notify(ctx, concerned, e)
}

// hookResult is a result as hooks read it.
func hookResult(r Result) (value.Object, error) {
	type block struct {
		Type     string          `json:"type"`
		Text     string          `json:"text,omitempty"`
		JSON     json.RawMessage `json:"json,omitempty"`
		MIME     string          `json:"mime,omitempty"`
		Data     []byte          `json:"data,omitempty"`
		Protocol string          `json:"protocol,omitempty"`
		Raw      json.RawMessage `json:"raw,omitempty"`
	}
	told := struct {
		Content   []block `json:"content"`
		IsError   bool    `json:"isError"`
		ErrorKind Kind    `json:"errorKind,omitempty"`
		Code      Code    `json:"code,omitempty"`
	}{Content: []block{}, IsError: r.IsError(), Code: r.Code()}
	if r.Failure != nil {
		told.ErrorKind = r.Failure.Kind
	}
	for _, b := range r.Content {
		switch b := b.(type) {
		case Text:
			told.Content = append(told.Content, block{Type: "text", Text: string(b)})
		case JSON:
			told.Content = append(told.Content, block{Type: "json", JSON: json.RawMessage(b)})
		case Image:
			told.Content = append(told.Content, block{Type: "image", MIME: b.MIME, Data: b.Data})
		case Opaque:
			told.Content = append(told.Content, block{Type: "opaque", Protocol: b.Protocol, Raw: b.Raw, Text: b.Text})
		}
	}
	return value.Of(told)
}
