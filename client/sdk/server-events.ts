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
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    onBytes();
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parse(block);
  }
}

function parse(block: string): ServerEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [name = ''] = line.split(':', 1);
      return [name, line.slice(name.length + 1).trimStart()];
    }),
  );
  return { type: fields.get('event') ?? 'message', id: fields.get('id'), data: fields.get('data') ?? '' };
}
