import { once } from 'node:events';
import { connect } from 'node:net';

/** Answer as received. */
export interface RawReply {
  status: number;
  /** Headers with names in lower case. */
  headers: Record<string, string>;
  body: unknown;
}

/**
 * Opens a connection that sends any bytes unchanged and reads answers. `localAddress` is the address of this machine to
 * use.
 */
export async function openRaw(baseUrl: string, localAddress = '') {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let received = Buffer.alloc(0);
  let wake = () => {};
  let isClosed = false;
  // A server that refused a request stops reading, so further writes may fail.
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    socket,
    send: (bytes: string | Buffer) => void socket.write(bytes),
    /** Waits for this many answers; fewer if the connection closes. */
    async replies(count: number): Promise<RawReply[]> {
      while (parseReplies(received).length < count && !isClosed) await more();
      return parseReplies(received);
    },
    /** Waits until the server has read a request's headers and asks for its body (`Expect: 100-continue`). */
    async continued() {
      while (!received.includes('HTTP/1.1 100 Continue\r\n\r\n')) await more();
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}

/** Sends bytes on a new connection and returns the answers. */
export async function sendRaw(baseUrl: string, bytes: string | Buffer, count = 1): Promise<RawReply[]> {
  using connection = await openRaw(baseUrl);
  connection.send(bytes);
  return await connection.replies(count);
}

/** Returns the complete answers at the beginning of the received bytes. */
export function parseReplies(received: Buffer): RawReply[] {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return [];
  const [start = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => splitHeader(line)));
  const status = Number(start.split(' ')[1]);
  const bodyEnd = end + 4 + Number(headers['content-length'] ?? 0);
  if (received.length < bodyEnd) return [];
  const rest = parseReplies(received.subarray(bodyEnd));
  if (status < 200) return rest;
  const text = received.subarray(end + 4, bodyEnd).toString();
  return [{ status, headers, body: text === '' ? undefined : JSON.parse(text) }, ...rest];
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

/**
 * Begins a POST that the server cannot finish before the test sends the body. The connection is kept alive, as by
 * clients and proxies.
 */
export async function beginPost(baseUrl: string, path: string, { key, body }: { key: string; body: object }) {
  const text = JSON.stringify(body);
  const { hostname, port, host } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    answer += part;
  });
  await once(socket, 'connect');
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  const more = `Connection: keep-alive\r\nExpect: 100-continue\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  socket.write(head + more);
  await once(socket, 'data');
  return {
    /** Sends the body, and returns what was received until the server closed the connection. */
    async finish(): Promise<string> {
      socket.write(text);
      await once(socket, 'close');
      return answer;
    },
  };
}

/** Opens a connection that stays open after a request, as clients do that will send more. */
export async function keepConnection(baseUrl: string) {
  const { hostname, port, host } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, 'data');
  return { closed: once(socket, 'close') };
}
