import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { listen } from '../../support/tls-receiver.ts';

/**
 * Process with a webhook receiver. It answers correctly until it gets `flood`, and with endless answers until it gets
 * `rest`. Its first message contains its URL, later ones the number of answers that flooded.
 */
const floods = [
  ['', 'HTTP/1.1 103 Hints\r\n\r\n'],
  ['HTTP/1.1 103 Hints\r\n', 'x: y\r\n'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x: y\r\n'],
].map(([start = '', more = '']) => ({ start, lump: more.repeat(Math.ceil(65_536 / more.length)) }));

let flooding = false;
let flooded = 0;

/** Writes until the reader disconnects. */
function flood(socket: Socket) {
  const { start = '', lump = '' } = floods[flooded++ % floods.length] ?? {};
  const go = () => {
    while (!socket.destroyed && socket.write(lump));
  };
  // The reader is expected to cut it off.
  socket.on('error', () => {}).on('drain', go);
  socket.write(start);
  go();
}

const server = createServer((request, response) => {
  if (flooding) flood(request.socket);
  else request.resume().on('end', () => response.end('ok'));
});
const port = await listen(server, '127.0.0.1');
process.on('message', (told) => {
  flooding = told === 'flood';
  process.send?.({ flooded });
});
process.send?.({ url: `http://127.0.0.1:${port}` });
