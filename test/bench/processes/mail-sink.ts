import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/**
 * Process with a mail server that accepts everything and stores nothing. Reports its port, and on request the number of
 * emails.
 */
let taken = 0;
const server = createServer((socket) => {
  socket.setNoDelay();
  socket.on('error', () => {});
  socket.write('220 sink\r\n');
  let held = '';
  let isMessage = false;
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    held += text;
    for (;;) {
      const end = isMessage ? '\r\n.\r\n' : '\r\n';
      const at = held.indexOf(end);
      if (at < 0) {
        if (isMessage) held = held.slice(-4);
        return;
      }
      const line = held.slice(0, at).toUpperCase();
      held = held.slice(at + end.length);
      if (isMessage) {
        taken++;
        isMessage = false;
        socket.write('250 2.0.0 taken\r\n');
      } else if (line === 'DATA') {
        isMessage = true;
        // Makes an empty body end too.
        held = `\r\n${held}`;
        socket.write('354 go on\r\n');
      } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
    }
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => process.send?.({ taken }));
// The server listens on a port, so its address is that of a network.
process.send?.({ port: (server.address() as AddressInfo).port });
