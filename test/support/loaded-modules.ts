import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServerProcess } from './server-process.ts';

/** Notes what a process loads, and writes it to the file of LOADED_FILE when it ends: files, then Node's own modules. */
const notes = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
  process.on('exit', () => {
    writeFileSync(process.env.LOADED_FILE, JSON.stringify([...loaded, ...process.moduleLoadList]));
  });
`)}`;

/** Modules that a server process has loaded when it exits, after `use`. A file of the bundle is replaced by its sources. */
export async function loadedByServer(databaseUrl: string, use: (baseUrl: string) => Promise<void>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'loaded-'));
  try {
    const file = path.join(folder, 'loaded.json');
    await using server = await startServerProcess(databaseUrl, {
      NODE_OPTIONS: `--import ${notes}`,
      LOADED_FILE: file,
    });
    await use(server.baseUrl);
    server.signal('SIGTERM');
    await server.ended();
    const loaded: string[] = JSON.parse(await readFile(file, 'utf8'));
    return (await Promise.all(loaded.map(sourcesOf))).flat();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The bundle has the path of each source in a comment. */
async function sourcesOf(loaded: string): Promise<string[]> {
  if (!loaded.includes('/.cache/service/')) return [loaded];
  const text = await readFile(new URL(loaded), 'utf8');
  return [...text.matchAll(/^\/\/ ((?:node_modules|server|shared)\/.*)$/gm)].map(([, file]) => `/${file}`);
}
