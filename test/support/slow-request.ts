import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * A POST that the server has begun with and can't end before the test wants it: its body waits. The connection asks to
 * be kept alive, as those of clients and proxies do.
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
    /** Sends the rest, and answers with what came until the server ended the connection. */
    async finish(): Promise<string> {
      socket.write(text);
      await once(socket, 'close');
      return answer;
    },
  };
}

/** A connection that is kept open after a request, as clients do that mean to come back. */
export async function keepConnection(baseUrl: string) {
  const { hostname, port, host } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, 'data');
  return { closed: once(socket, 'close') };
}
