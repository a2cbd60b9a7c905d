import { once } from 'node:events';
import { connect } from 'node:net';

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
