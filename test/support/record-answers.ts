import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliDecompressSync, unzipSync } from 'node:zlib';

interface RecordedAnswer {
  /** Port of the server that answered. */
  port: number | undefined;
  /** Method and path of the request. */
  request: string;
  status: number;
  /** Headers and decoded body. */
  text: string;
}

const decoders: Partial<Record<string, (bytes: Buffer) => Buffer>> = {
  ...{ br: brotliDecompressSync, gzip: unzipSync, deflate: unzipSync },
};

/** Records every complete answer of all HTTP servers of this process to any client. Dispose of it with `using`. */
export function recordAnswers() {
  const answers: RecordedAnswer[] = [];
  function record(message: unknown) {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { localPort: port } = request.socket;
    const chunks: Buffer[] = [];
    for (const method of ['write', 'end'] as const) {
      const original: (...rest: never[]) => unknown = response[method];
      Object.assign(response, {
        [method](...rest: unknown[]) {
          const [chunk] = rest;
          if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
          return Reflect.apply(original, response, rest);
        },
      });
    }
    response.on('finish', () => {
      const decode = decoders[String(response.getHeader('content-encoding'))] ?? ((bytes) => bytes);
      const body = Buffer.concat(chunks);
      const text = body.length > 0 ? decode(body).toString() : '';
      answers.push({
        ...{ port, request: `${request.method} ${request.url}`, status: response.statusCode },
        text: `${JSON.stringify(response.getHeaders())}\n${text}`,
      });
    });
  }
  subscribe('http.server.response.created', record);
  return {
    answers,
    [Symbol.dispose]: () => void unsubscribe('http.server.response.created', record),
  };
}
