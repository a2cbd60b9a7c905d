import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startServerProcess } from './server-process.ts';

/**
 * Hook that records the modules of a process. At exit it writes them to the file in LOADED_FILE: first files, then
 * built-in modules of Node.
 */
const notes = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs';
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) });
  process.on('exit', () => {
    writeFileSync(process.env.LOADED_FILE, JSON.stringify([...loaded, ...process.moduleLoadList]));
  });
`)}`;

/**
 * Returns the modules that a server process loaded until its exit, after `use`. Files of the bundle are replaced by
 * their sources.
 */
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

/** Returns the sources of a file. The bundle contains the path of each source in a comment. */
async function sourcesOf(loaded: string): Promise<string[]> {
  if (!loaded.includes('/.cache/service/')) return [loaded];
  const text = await readFile(new URL(loaded), 'utf8');
  return [...text.matchAll(/^\/\/ ((?:node_modules|server|shared)\/.*)$/gm)].map(([, file]) => `/${file}`);
}
