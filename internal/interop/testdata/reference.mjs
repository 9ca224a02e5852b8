// The published SDK's own server, which speaks both eras: it shows that the
// harness can tell a right answer from a wrong one before raw-mcp is asked.
import { writeFileSync } from 'node:fs';
import { McpServer, acceptedContent, fromJsonSchema, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new McpServer({ name: 'reference', version: '1.0.0' }, { instructions: 'be brief' });
  const text = (text) => ({ content: [{ type: 'text', text }] });
  const schema = (properties) => fromJsonSchema({ type: 'object', properties, required: Object.keys(properties) });
  server.registerTool('echo', { description: 'Echo', inputSchema: schema({ text: { type: 'string' } }) }, async (args) => text(args.text));
  server.registerTool('hold', { description: 'Never ends', inputSchema: schema({ file: { type: 'string' } }) }, ({ file }, context) => {
    writeFileSync(file, '');
    return new Promise((resolve) => context.mcpReq.signal.addEventListener('abort', () => resolve(text('cancelled'))));
  });
  server.registerTool('ask', { description: 'Asks first', inputSchema: schema({}) }, async (_, context) => {
    const reply = acceptedContent(context.mcpReq.inputResponses, 'sure');
    if (reply) return text(`sure: ${reply.sure}`);
    const question = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] };
    return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: question }) } });
  });
  return server;
});
