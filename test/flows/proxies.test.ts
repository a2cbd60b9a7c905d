import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startApp } from '../support/app.ts';
import { initialize, toolCall } from '../support/assistant.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/http.ts';
import { answerOn, asClient, internalSpellings, tells } from '../support/internal-spellings.ts';
import { startServerProcess } from '../support/server-process.ts';
import { callback } from '../support/sign-in.ts';
import { createCertificate } from '../support/tls-receiver.ts';

// Uses the files of deploy/ with other ports and certificates. Proxies that are not installed are skipped.

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const isInstalled = (program: string) => spawnSync(program, ['-v']).error === undefined;

interface Ports {
  http: number;
  https: number;
  /** Ports of the servers. */
  app: number;
  other: number;
}

interface Proxy {
  name: string;
  program: string;
  /** Writes its configuration into a folder, and returns the command to run. */
  prepare(folder: string, ports: Ports): Promise<string[]>;
}

/** Returns the text of a file with replacements. Each replaced text must occur. */
async function edited(file: string, edits: Record<string, string>) {
  let text = await readFile(join(deploy, file), 'utf8');
  for (const [from, to] of Object.entries(edits)) {
    expect([file, text]).toEqual([file, expect.stringContaining(from)]);
    text = text.replaceAll(from, to);
  }
  return text;
}

async function prepareHaproxy(folder: string, ports: Ports) {
  const text = await edited('haproxy.cfg', {
    'bind :80': `bind 127.0.0.1:${ports.http}`,
    'bind :443': `bind 127.0.0.1:${ports.https}`,
    '/etc/haproxy/certs/': `${folder}/certs/`,
    'server content 127.0.0.1:3000 check': `server content 127.0.0.1:${ports.app} check\n  server other 127.0.0.1:${ports.other} check`,
  });
  return text;
}

const proxies: Proxy[] = [
  {
    name: 'haproxy.cfg',
    program: 'haproxy',
    async prepare(folder, ports) {
      await writeFile(join(folder, 'haproxy.cfg'), await prepareHaproxy(folder, ports));
      return ['-db', '-f', join(folder, 'haproxy.cfg')];
    },
  },
  {
    name: 'haproxy-standby.cfg behind the TLS of haproxy.cfg',
    program: 'haproxy',
    async prepare(folder, ports) {
      const tls = await prepareHaproxy(folder, ports);
      const standby = await edited('haproxy-standby.cfg', {
        'bind 127.0.0.1:6432': `bind unix@${folder}/database`,
        '10.0.0.1:5432': '127.0.0.1:9',
        '10.0.0.2:5432': '127.0.0.1:9',
        '10.0.0.1:3000': `127.0.0.1:${ports.app}`,
        '10.0.0.2:3000': `127.0.0.1:${ports.other}`,
      });
      await writeFile(join(folder, 'tls.cfg'), tls.slice(0, tls.indexOf('\nbackend content')));
      await writeFile(join(folder, 'standby.cfg'), standby);
      return ['-db', '-f', join(folder, 'tls.cfg'), '-f', join(folder, 'standby.cfg')];
    },
  },
  {
    name: 'nginx.conf',
    program: 'nginx',
    async prepare(folder, ports) {
      const site = await edited('nginx.conf', {
        'listen 80;': `listen 127.0.0.1:${ports.http};`,
        '  listen [::]:80;\n': '',
        'listen 443 ssl': `listen 127.0.0.1:${ports.https} ssl`,
        '  listen [::]:443 ssl http2;\n': '',
        'content.example.com *.content.example.com': 'sites.example.com ada.example.com',
        '/etc/ssl/content/fullchain.pem': `${folder}/certs/site.pem`,
        '/etc/ssl/content/privkey.pem': `${folder}/certs/site.pem`,
        'server 127.0.0.1:3000;': `server 127.0.0.1:${ports.app}; server 127.0.0.1:${ports.other};`,
      });
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${folder}/${kind};`,
      );
      const around = `daemon off; pid ${folder}/pid; error_log ${folder}/log; events {} http { access_log off; ${temporary.join(' ')}\n`;
      await writeFile(join(folder, 'nginx.conf'), `${around}${site}}`);
      return ['-p', folder, '-c', join(folder, 'nginx.conf')];
    },
  },
  {
    name: 'Caddyfile',
    program: 'caddy',
    async prepare(folder, ports) {
      const site = await edited('Caddyfile', {
        'https:// {\n\ttls {\n\t\ton_demand\n\t}': `https://:${ports.https} {\n\tbind 127.0.0.1\n\ttls {\n\t\tissuer internal {\n\t\t\tca local\n\t\t}\n\t\ton_demand\n\t}`,
        'ask http://{$CONTENT_SERVER:127.0.0.1:3000}': `ask http://127.0.0.1:${ports.app}`,
        'reverse_proxy {$CONTENT_SERVER:127.0.0.1:3000}': `reverse_proxy 127.0.0.1:${ports.app} 127.0.0.1:${ports.other}`,
        '{\n\ton_demand_tls': `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n\tstorage file_system ${folder}/caddy\n\ton_demand_tls`,
      });
      await writeFile(join(folder, 'Caddyfile'), site);
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    },
  },
];

test.for(proxies)(
  'through $name, a path that only proxies use is not reachable in any spelling',
  async (proxy, { skip }) => {
    skip(!isInstalled(proxy.program), `${proxy.program} is not installed`);
    await using app = await startApp({
      config: { publicUrl: new URL('https://sites.example.com'), trustProxy: ['127.0.0.1/32'] },
    });
    await app.seed.ownSite();
    const port = Number(new URL(app.baseUrl).port);
    await using running = await startProxy(proxy, port, port);
    const { ports } = running;
    const told: string[] = [];
    for (const target of internalSpellings)
      for (const version of ['1.1', '1.0'])
        if (tells(await request(ports, asClient(target, version)))) told.push(`${target} HTTP/${version}`);
    expect(told).toEqual([]);
    const plain = await request(ports, asClient(internalSpellings[0] ?? ''), 'plain');
    expect(plain).toMatch(/^HTTP\/1\.1 30[18] /);
  },
);

test.for(proxies)(
  "through $name, an assistant signs in at two processes by a site's domain and by the service's address",
  async (proxy, { skip }) => {
    skip(!isInstalled(proxy.program), `${proxy.program} is not installed`);
    await using app = await startApp();
    await app.seed.ownSite();
    const ada = await app.seed.site({ custom_domain: 'ada.example.com' });
    const login = await app.seed.owner(ada);
    const settings = { PUBLIC_URL: 'https://sites.example.com', TRUST_PROXY: '127.0.0.1/32' };
    await using one = await startServerProcess(app.databaseUrl, settings);
    await using two = await startServerProcess(app.databaseUrl, settings);
    const [first = 0, second = 0] = [one, two].map(({ baseUrl }) => Number(new URL(baseUrl).port));
    await using running = await startProxy(proxy, first, second);
    const tls = new Agent({ connect: { servername: 'sites.example.com', rejectUnauthorized: false } });
    const caller = createCaller(`https://127.0.0.1:${running.ports.https}`, tls);
    const service = { host: 'sites.example.com' };
    const session = await caller('POST', '/api/admin/session', { body: login, headers: service });
    const key = z.object({ token: z.string() }).parse(session.body).token;
    const tokens: string[] = [];
    for (const host of ['ada.example.com', 'sites.example.com']) {
      const origin = `https://${host}`;
      const call: typeof caller = (method, path, options = {}) =>
        caller(method, path, { ...options, headers: { host, ...options.headers } });
      const refused = await call('POST', '/mcp', { body: initialize('2025-06-18') });
      expect(refused.headers.get('www-authenticate')).toContain(
        `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
      );
      const resource = await call('GET', '/.well-known/oauth-protected-resource/mcp');
      expect(resource.body).toMatchObject({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      const server = await call('GET', '/.well-known/oauth-authorization-server');
      expect(server.body).toMatchObject({ issuer: origin, token_endpoint: `${origin}/oauth/token` });

      const registered = await call('POST', '/oauth/register', { body: { redirect_uris: [callback] } });
      const { client_id } = z.object({ client_id: z.string() }).parse(registered.body);
      const code_verifier = 'v'.repeat(43);
      const code_challenge = createHash('sha256').update(code_verifier).digest('base64url');
      const query = new URLSearchParams({
        ...{ client_id, redirect_uri: callback, response_type: 'code' },
        ...{ code_challenge, code_challenge_method: 'S256' },
      });
      const requested = await call('GET', `/oauth/authorize?${query}`);
      const [, id = ''] =
        /^https:\/\/sites\.example\.com\/studio\/connect\/(\w+)$/.exec(
          requested.headers.get('location') ?? '',
        ) ?? [];
      const allowed = await caller('POST', '/trpc/studio.assistants.approve', {
        ...{ key, headers: service, body: { json: { id, scopes: ['mcp:read'] } } },
      });
      const { redirect_to } = Allowed.parse(allowed.body).result.data.json;
      const answer = new URL(redirect_to).searchParams;
      expect(answer.get('iss')).toBe(origin);
      const form = {
        grant_type: 'authorization_code',
        client_id,
        code_verifier,
        code: answer.get('code') ?? '',
      };
      const given = await call('POST', '/oauth/token', {
        body: `${new URLSearchParams(form)}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      const token = z.object({ access_token: z.string() }).parse(given.body).access_token;
      tokens.push(token);
      // Consecutive requests go to different processes.
      for (let n = 0; n < 4; n++)
        expect((await call('POST', '/mcp', { key: token, body: toolCall('list_posts') })).status).toBe(200);
    }
    const elsewhere = {
      key: tokens[0] ?? '',
      body: toolCall('list_posts'),
      headers: service,
    };
    expect((await caller('POST', '/mcp', elsewhere)).status).toBe(401);
    await tls.close();
  },
);

const Allowed = z.object({
  result: z.object({ data: z.object({ json: z.object({ redirect_to: z.url() }) }) }),
});

test('through Caddyfile, a request waits while the server restarts', async ({ skip }) => {
  const proxy = proxies.find(({ name }) => name === 'Caddyfile');
  skip(!proxy || !isInstalled(proxy.program), 'caddy is not installed');
  if (!proxy) return;
  const start = async (port: number) => {
    const server = createHttpServer((_, answer) => answer.end('here'));
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  };
  const before = await start(0);
  const { port } = before.address() as AddressInfo;
  await using running = await startProxy(proxy, port, port);
  const socket = connectTls(running.ports);
  await once(socket, 'secureConnect');
  before.closeAllConnections();
  await once(before.close(), 'close');
  const answer = answerOn(socket, asClient('/posts'));
  // The proxy answers these requests itself. Without a retry, the other one has failed already.
  for (let n = 0; n < 5; n++)
    expect(await request(running.ports, asClient('/posts'), 'plain')).toMatch(/^HTTP\/1\.1 30[18] /);
  const after = await start(port);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 .*here/s);
  after.closeAllConnections();
  await once(after.close(), 'close');
});

/** Starts a proxy before two servers; resolves once it forwards requests. */
async function startProxy(proxy: Proxy, app: number, other: number) {
  const folder = await mkdtemp(join(tmpdir(), 'creator-content-proxy-'));
  const ports = { http: await freePort(), https: await freePort(), app, other };
  await mkdir(join(folder, 'certs'));
  const { cert, private: key } = await createCertificate({ dns: ['sites.example.com', 'ada.example.com'] });
  await writeFile(join(folder, 'certs', 'site.pem'), `${cert}\n${key}`);
  const running = spawn(proxy.program, await proxy.prepare(folder, ports), { stdio: 'ignore' });
  const ended = once(running, 'exit');
  const home = () => request(ports, asClient('/healthz')).catch(() => '');
  await eventually(async () => /^HTTP\/1\.1 200 /.test(await home()));
  return {
    ports,
    async [Symbol.asyncDispose]() {
      running.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function request({ http, https }: Ports, request: Buffer, over: 'plain' | 'tls' = 'tls'): Promise<string> {
  if (over === 'plain') return answerOn(connectPlain(http, '127.0.0.1'), request);
  return answerOn(connectTls({ https }), request);
}

function connectTls({ https }: Pick<Ports, 'https'>) {
  const client = { servername: 'sites.example.com', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
  return connect({ port: https, host: '127.0.0.1', ...client });
}
