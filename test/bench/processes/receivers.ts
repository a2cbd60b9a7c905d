import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer as createPlainServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createCertificate, listen } from '../../support/tls-receiver.ts';

/**
 * Process with webhook receivers, one over TLS and one without, that record arrivals. Below `/fail-first` each delivery
 * is refused once; below `/late` answers take a second. The certificate is written to `CA_FILE`; the first message
 * contains the addresses.
 */
const { CA_FILE = '', SECRET = '' } = process.env;
const seen = new Set<string>();
let arrivals: [delivery: string, record: string, atMs: number][] = [];
let received = 0;
let forged = 0;

const answer: RequestListener = (request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks);
    const delivery = String(request.headers['x-service-delivery']);
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    if (request.headers['x-service-signature'] !== signature) forged += 1;
    arrivals.push([delivery, JSON.parse(body.toString()).data.id, atMs]);
    received += 1;
    const refuse = request.url?.startsWith('/fail-first') && !seen.has(delivery);
    seen.add(delivery);
    const reply = () => response.writeHead(refuse ? 500 : 200).end('ok');
    if (request.url?.startsWith('/late')) setTimeout(reply, 1_000);
    else reply();
  });
};

const certificate = await createCertificate();
await writeFile(CA_FILE, certificate.cert);
const tls = await listen(
  createServer({ cert: certificate.cert, key: certificate.private }, answer),
  '127.0.0.1',
);
const plain = await listen(createPlainServer(answer), '127.0.0.1');
process.on('message', (requested) => {
  process.send?.(requested === 'count' ? { received, forged } : { arrivals });
  if (requested === 'take') arrivals = [];
});
process.send?.({ tls: `https://127.0.0.1:${tls}`, plain: `http://127.0.0.1:${plain}` });
