// The view's side of the MCP Apps protocol (2026-01-26): JSON-RPC 2.0 by
// postMessage with the window that holds the view, and with no other.

const PROTOCOL = '2026-01-26';
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;

export class Bridge {
  capabilities = {};
  #host = window.parent;
  #lastId = 0;
  #waiting = new Map(); // request id → {resolve, reject}
  #handlers = new Map(); // method → handler

  // on sets what happens on a request or notification of the host; what the
  // handler returns answers a request.
  on(method, handler) {
    this.#handlers.set(method, handler);
  }

  // connect shakes hands and returns the host's context.
  async connect() {
    this.on('ping', () => ({}));
    window.addEventListener('message', (event) => {
      if (event.source === this.#host && event.data?.jsonrpc === '2.0') this.#receive(event.data);
    });
    const answer = await this.request('ui/initialize', {
      appInfo: { name: 'raw panels', version: '1' },
      appCapabilities: {},
      protocolVersion: PROTOCOL,
    });
    this.capabilities = answer.hostCapabilities ?? {};
    this.notify('ui/notifications/initialized', {});
    return answer.hostContext ?? {};
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  // request rejects when the host refuses, or has not answered in time; a
  // timeout of 0 milliseconds waits for ever.
  request(method, params, timeout = 0) {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      if (timeout > 0) setTimeout(() => this.#settle(id, { error: { message: `${method}: no answer in ${timeout / 1000} s` } }), timeout);
      this.#send({ id, method, params });
    });
  }

  callTool(name, args, timeout) {
    return this.request('tools/call', { name, arguments: args }, timeout);
  }

  // sendMessage puts text into the conversation as the person's own.
  async sendMessage(text) {
    const answer = await this.request('ui/message', { role: 'user', content: [{ type: 'text', text }] });
    if (answer?.isError) throw new Error('the client refused the message');
  }

  async readResource(uri) {
    const answer = await this.request('resources/read', { uri });
    return answer.contents?.[0]?.text ?? '';
  }

  #send(message) {
    this.#host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #receive(message) {
    if (message.method === undefined) this.#settle(message.id, message);
    else if (message.id === undefined) this.#handlers.get(message.method)?.(message.params ?? {});
    else this.#answer(message);
  }

  #settle(id, { error, result }) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result);
  }

  async #answer({ id, method, params }) {
    const handler = this.#handlers.get(method);
    if (!handler) {
      this.#send({ id, error: { code: METHOD_NOT_FOUND, message: `unknown method ${method}` } });
      return;
    }
    try {
      this.#send({ id, result: (await handler(params ?? {})) ?? {} });
    } catch (error) {
      this.#send({ id, error: { code: INTERNAL_ERROR, message: error.message } });
    }
  }
}

// resultText is what a tool result says.
export function resultText(result) {
  const texts = (result?.content ?? []).filter((part) => part.type === 'text').map((part) => part.text);
  return texts.join('\n');
}
