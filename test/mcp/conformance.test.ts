import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { listen } from '../support/tls-receiver.ts';

/** Other scenarios use tools, resources and prompts of the reference server, or features that this server does not have. */
const scenarios = ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'];

test.each(scenarios)('the official conformance suite passes: %s', async (scenario) => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: scopeNames });
  await using proxy = await startKeyProxy(app.baseUrl, async () => key);
  expect(await runScenario(proxy.origin, scenario)).toContain('Passed: 1/1, 0 failed');
});

test('the official conformance suite passes: dns-rebinding-protection, for a key with origins', async () => {
  await using app = await startApp();
  await using proxy = await startKeyProxy(app.baseUrl, (origin) =>
    app.seed.key({ scopes: ['mcp:read'], allowed_origins: [origin] }),
  );
  const output = await runScenario(proxy.origin, 'dns-rebinding-protection');
  expect(output).toContain('Passed: 2/2, 0 failed');
});

function runScenario(origin: string, scenario: string): Promise<string> {
  const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
  const options = [suite, 'server', '--url', `${origin}/mcp`, '--scenario', scenario];
  return new Promise((resolve) => {
    execFile(process.execPath, options, (_error, output, errors) => resolve(output + errors));
  });
}

/**
 * Starts a proxy that forwards requests to `baseUrl` with an API key for the proxy's origin, for clients that cannot
 * send one.
 */
async function startKeyProxy(baseUrl: string, keyFor: (origin: string) => Promise<string>) {
  let key = '';
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const passed = request(
      baseUrl + incoming.url,
      { method: incoming.method ?? 'GET', headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  const origin = `http://localhost:${await listen(server, 'localhost')}`;
  key = await keyFor(origin);
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
