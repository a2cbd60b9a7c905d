export interface ServerEvent {
  /** `message` where it says nothing else. */
  type: string;
  id: string | undefined;
  data: string;
}

/** The events of a stream of them, until it ends; `onBytes` hears of every sign of life. */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  let event: Partial<ServerEvent> = {};
  for await (const line of linesOf(body, onBytes)) {
    const { type = 'message', id, data } = event;
    // What has no data is no event, such as a comment that a proxy sends to keep the connection open.
    if (line === '' && data !== undefined) yield { type, id, data };
    if (line === '') event = {};
    const [name = ''] = line.split(':', 1);
    const value = line.slice(name.length + 1).replace(/^ /, '');
    if (name === 'event') event.type = value || 'message';
    if (name === 'id') event.id = value;
    if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`;
  }
}

/** Lines end by CR LF, LF or CR alone, of which any may come in two pieces. */
async function* linesOf(body: ReadableStream<Uint8Array>, onBytes: () => void) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let isAfterCr = false;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    const text = decoder.decode(value, { stream: true });
    if (text === '') continue;
    const lines = (rest + (isAfterCr ? text.replace(/^\n/, '') : text)).split(/\r\n|\n|\r/);
    isAfterCr = text.endsWith('\r');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
