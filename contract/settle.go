package contract

import (
	"context"
	"fmt"
	"runtime/debug"

	"raw/contract/window"
)

// settle turns whatever happened into the answer: a panic into a failure, a
// receipt of the whole result, and a window of it for the model.
func (t *Ticket) settle(ctx context.Context, res Result, panicked any) Result {
	if panicked != nil {
		t.session.log.Error("a tool panicked", "tool", t.request.Name, "step", t.step, "panic", fmt.Sprint(panicked), "stack", string(debug.Stack()))
		res = Failed(CodeToolError, fmt.Sprintf("%s stopped in the middle of step %s by a fault of its own; the log of the server has the details", t.request.Name, t.step))
	}
	if t.trace != nil {
		return res
	}
	if t.ran {
		res = t.takePanels(res)
		if !res.IsError() && t.tool.Deferred {
			t.session.toolbox(t.request.Lane).Use(t.tool.Name)
		}
	}
	if len(res.Content) == 0 {
		res.Content = []Block{Text("(no output)")}
	}
	if t.ran {
		res.Execution = t.execution
		if f := res.Failure; f != nil && !t.tool.Idempotent && f.Kind != KindPrecondition && f.Kind != KindInvalidInput {
			res = res.withLine(fmt.Sprintf("[%s failed; side effects may have partially applied; verify before retrying]", t.tool.Name))
		}
	}
	if notice := t.record(res); notice != "" {
		res = res.withLine(notice)
	}
	if t.ran {
		t.postHooks(ctx, res)
	}
	res = windowed(res, t.session.options.OutputChars, t.recall(res.Execution))
	if c := res.Code(); c != "" {
		res = res.withLine("[" + string(c) + "]")
	}
	t.tellOfAction(res)
	return res
}

// recall writes the call that returns lines of a recorded result, for the
// catalog that the model has; nil where nothing is recorded.
func (t *Ticket) recall(execution string) func(first, last int) string {
	if execution == "" || t.session.options.Journal == nil || t.session.registry.byName["recall"] == nil {
		return nil
	}
	return func(first, last int) string {
		t.session.toolbox(t.request.Lane).ActivateBeside("recall")
		arguments := fmt.Sprintf(`{"id":%q,"range":{"start":%d,"end":%d}}`, execution, first, last)
		return written(t.request.Deferred, "recall", arguments)
	}
}

// withLine puts a line behind the text of the result.
func (r Result) withLine(line string) Result {
	content := make([]Block, len(r.Content), len(r.Content)+1)
	copy(content, r.Content)
	if last, ok := content[len(content)-1].(Text); ok {
		if last != "" && last[len(last)-1] != '\n' {
			last += "\n"
		}
		content[len(content)-1] = last + Text(line)
	} else {
		content = append(content, Text(line))
	}
	r.Content = content
	return r
}

// windowed bounds the text of the result. Other blocks keep their place; a
// JSON block over the bound becomes text.
func windowed(r Result, limit int, recall func(first, last int) string) Result {
	var texts []string
	var at []int
	content := make([]Block, len(r.Content))
	copy(content, r.Content)
	for i, b := range content {
		switch b := b.(type) {
		case Text:
			texts, at = append(texts, string(b)), append(at, i)
		case JSON:
			if len(b) > limit {
				texts, at = append(texts, "[JSON, shown as text]\n"+string(b)), append(at, i)
			}
		}
	}
	for i, text := range window.Apply(texts, window.Options{Limit: limit, Recall: recall}) {
		content[at[i]] = Text(text)
	}
	r.Content = content
	return r
}
