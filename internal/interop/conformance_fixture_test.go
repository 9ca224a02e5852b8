//go:build interop

package interop

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"raw/contract"
)

// The smallest files of their kinds, in base64.
const (
	onePixel  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	oneSample = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

// fixtureTools are the tools that the suite calls by name. What it wants of
// each stands in the descriptions of its scenarios. sent gets one for each
// notification that was written.
func fixtureTools(sent <-chan struct{}) []contract.Tool {
	pixel, err := base64.StdEncoding.DecodeString(onePixel)
	if err != nil {
		panic(err)
	}
	image := contract.Image{MIME: "image/png", Data: pixel}
	return append(askingTools(),
		fixtureTool("test_simple_text", contract.Text("This is a simple text response for testing.")),
		fixtureTool("test_image_content", image),
		fixtureTool("test_audio_content", opaque(`{"type":"audio","mimeType":"audio/wav","data":"`+oneSample+`"}`)),
		fixtureTool("test_embedded_resource", opaque(`{"type":"resource","resource":{
			"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}`)),
		fixtureTool("test_multiple_content_types",
			contract.Text("Multiple content types test:"),
			image,
			opaque(`{"type":"resource","resource":{
				"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}`),
		),
		handledTool("test_error_handling", func(context.Context, *contract.Call) contract.Result {
			return contract.FailedAs(contract.KindFatal, "This tool intentionally returns an error for testing")
		}),
		handledTool("test_tool_with_logging", logThrice(sent)),
		handledTool("test_tool_with_progress", func(ctx context.Context, c *contract.Call) contract.Result {
			for _, done := range []float64{0, 50, 100} {
				c.Report(contract.Progress{Done: done, Total: 100})
				await(ctx, sent)
			}
			return contract.Succeeded("Tool with progress executed successfully")
		}),
	)
}

// await waits until a notification was written: mcp-go's transport drops one
// that it has in hand when the result comes.
func await(ctx context.Context, sent <-chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second) // the client may want none
	defer cancel()
	select {
	case <-sent:
	case <-ctx.Done():
	}
}

// logThrice logs by mcp-go: the contract has no log for the host.
func logThrice(sent <-chan struct{}) func(context.Context, *contract.Call) contract.Result {
	return func(ctx context.Context, _ *contract.Call) contract.Result {
		for _, data := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			n := mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "fixture", data)
			if err := server.ServerFromContext(ctx).SendLogMessageToClient(ctx, n); err != nil {
				return contract.Failed(contract.CodeToolError, err.Error())
			}
			await(ctx, sent)
		}
		return contract.Succeeded("Tool with logging executed successfully")
	}
}

func fixtureTool(name string, content ...contract.Block) contract.Tool {
	return handledTool(name, func(context.Context, *contract.Call) contract.Result {
		return contract.Result{Content: content}
	})
}

func handledTool(name string, run func(context.Context, *contract.Call) contract.Result) contract.Tool {
	return contract.Tool{
		Identity: contract.Identity("builtin/" + name), Name: name, Description: "A fixture of the conformance suite.",
		Class: contract.ClassRead, Input: `{"type":"object","additionalProperties":false,"properties":{}}`, Run: run,
	}
}

func opaque(raw string) contract.Opaque {
	return contract.Opaque{Protocol: "mcp", Raw: json.RawMessage(raw)}
}

// addFixtures adds to mcp-go what raw-mcp does not offer yet.
func addFixtures(s *server.MCPServer) {
	for _, option := range []server.ServerOption{
		server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true),
		server.WithCompletions(), server.WithLogging(),
	} {
		option(s)
	}
	addResources(s)
	addPrompts(s)
}

func addResources(s *server.MCPServer) {
	s.AddResource(mcp.NewResource("test://static-text", "static-text", mcp.WithMIMEType("text/plain")), contents(
		mcp.TextResourceContents{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(mcp.NewResource("test://static-binary", "static-binary", mcp.WithMIMEType("image/png")), contents(
		mcp.BlobResourceContents{URI: "test://static-binary", MIMEType: "image/png", Blob: onePixel}))
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return []mcp.ResourceContents{mcp.TextResourceContents{
				URI: r.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id),
			}}, nil
		})
}

func contents(c mcp.ResourceContents) server.ResourceHandlerFunc {
	return func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{c}, nil
	}
}

func addPrompts(s *server.MCPServer) {
	required := mcp.RequiredArgument()
	s.AddPrompt(fixturePrompt("test_simple_prompt"), says(func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
	}))
	s.AddPrompt(fixturePrompt("test_prompt_with_arguments", mcp.WithArgument("arg1", required), mcp.WithArgument("arg2", required)),
		says(func(args map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", args["arg1"], args["arg2"]))}
		}))
	s.AddPrompt(fixturePrompt("test_prompt_with_embedded_resource", mcp.WithArgument("resourceUri", required)),
		says(func(args map[string]string) []mcp.Content {
			return []mcp.Content{
				mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
				mcp.NewTextContent("Please process the embedded resource above."),
			}
		}))
	s.AddPrompt(fixturePrompt("test_prompt_with_image"), says(func(map[string]string) []mcp.Content {
		return []mcp.Content{mcp.NewImageContent(onePixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
	}))
}

func fixturePrompt(name string, options ...mcp.PromptOption) mcp.Prompt {
	return mcp.NewPrompt(name, append(options, mcp.WithPromptDescription("A fixture of the conformance suite."))...)
}

// says is a prompt whose messages are the person's.
func says(content func(args map[string]string) []mcp.Content) server.PromptHandlerFunc {
	return func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		res := &mcp.GetPromptResult{}
		for _, c := range content(r.Params.Arguments) {
			res.Messages = append(res.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
		}
		return res, nil
	}
}
