import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { answerOn, asClient, internalSpellings, tells } from '../support/internal-spellings.ts';
import { createCertificate } from '../support/tls-receiver.ts';

// The files of deploy/ as they are, but for ports and certificates, wherever their programs are installed; skipped elsewhere.

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
const isInstalled = (program: string) => spawnSync(program, ['-v']).error === undefined;

interface Ports {
  http: number;
  https: number;
  app: number;
}

interface Proxy {
  name: string;
  program: string;
  /** Writes its settings into a folder, and gives what runs it. */
  prepare(folder: string, ports: Ports): Promise<string[]>;
}

/** The text of a file, in which each of these stands. */
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
    '127.0.0.1:3000': `127.0.0.1:${ports.app}`,
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
        '10.0.0.2:3000': `127.0.0.1:${ports.app}`,
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
        'content.example.com *.content.example.com': 'sites.example.com',
        '/etc/ssl/content/fullchain.pem': `${folder}/certs/site.pem`,
        '/etc/ssl/content/privkey.pem': `${folder}/certs/site.pem`,
        '127.0.0.1:3000': `127.0.0.1:${ports.app}`,
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
        '127.0.0.1:3000': `127.0.0.1:${ports.app}`,
        '{\n\ton_demand_tls': `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n\tstorage file_system ${folder}/caddy\n\ton_demand_tls`,
      });
      await writeFile(join(folder, 'Caddyfile'), site);
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    },
  },
];

test.for(proxies)(
  'through $name, no spelling of the path that proxies ask is answered',
  async (proxy, { skip }) => {
    skip(!isInstalled(proxy.program), `${proxy.program} is not installed`);
    await using app = await startApp({
      config: { publicUrl: new URL('https://sites.example.com'), trustProxy: ['127.0.0.1/32'] },
    });
    await app.seed.ownSite();
    const folder = await mkdtemp(join(tmpdir(), 'creator-content-proxy-'));
    const ports = { http: await freePort(), https: await freePort(), app: Number(new URL(app.baseUrl).port) };
    await mkdir(join(folder, 'certs'));
    const { cert, private: key } = await createCertificate({ dns: ['sites.example.com'] });
    await writeFile(join(folder, 'certs', 'site.pem'), `${cert}\n${key}`);
    const running = spawn(proxy.program, await proxy.prepare(folder, ports), { stdio: 'ignore' });
    const ended = once(running, 'exit');
    try {
      const home = () => ask(ports, asClient('/')).catch(() => '');
      await eventually(async () => /^HTTP\/1\.1 200 /.test(await home()));
      const told: string[] = [];
      for (const target of internalSpellings)
        for (const version of ['1.1', '1.0'])
          if (tells(await ask(ports, asClient(target, version)))) told.push(`${target} HTTP/${version}`);
      expect(told).toEqual([]);
      const plain = await ask(ports, asClient(internalSpellings[0] ?? ''), 'plain');
      expect(plain).toMatch(/^HTTP\/1\.1 30[18] /);
    } finally {
      running.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    }
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function ask({ http, https }: Ports, request: Buffer, over: 'plain' | 'tls' = 'tls'): Promise<string> {
  if (over === 'plain') return answerOn(connectPlain(http, '127.0.0.1'), request);
  const client = { servername: 'sites.example.com', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] };
  return answerOn(connect({ port: https, host: '127.0.0.1', ...client }), request);
}
