import { createServer, request } from 'node:http';
import { closeNow, listen } from '../support/tls-receiver.ts';

const reportPath = '/policy-reports';

/**
 * Starts a proxy on `port`, or on a free one, that adds a report address to the content security policy of each response, so that every engine reports violations.
 * `reports` contains them, as the browser sent them. Requests without a proxy in front of it are forwarded as if over `protocol`.
 * Dispose of it.
 */
export async function startPolicyWatch(target: string, protocol: 'http' | 'https', port = 0) {
  const reports: string[] = [];
  const server = createServer((requested, answer) => {
    const { method, url = '/', headers } = requested;
    if (url === reportPath) {
      requested.setEncoding('utf8').on('data', (report: string) => reports.push(report));
      requested.on('end', () => answer.writeHead(204).end());
      return;
    }
    const forwarded = { 'x-forwarded-proto': protocol, ...headers };
    const passed = request(new URL(url, target), { method, headers: forwarded }, (got) => {
      const policy = got.headers['content-security-policy'];
      const watched = policy && { 'content-security-policy': `${policy}; report-uri ${reportPath}` };
      answer.writeHead(got.statusCode ?? 502, { ...got.headers, ...watched });
      got.pipe(answer);
    });
    // Browsers close connections at any time.
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    requested.pipe(passed);
  });
  const bound = await listen(server, '127.0.0.1', port);
  return { url: `http://127.0.0.1:${bound}`, reports, [Symbol.asyncDispose]: () => closeNow(server) };
}
