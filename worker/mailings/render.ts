import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { asWritten } from '../../shared/markdown/as-written.ts';

const program = join(import.meta.dirname, 'render-process.ts');

/** Bodies that are made to be slow take a second or two. */
const longestMs = 20_000;

/**
 * A body as safe HTML. A process of its own lays it out: what a body does to time or memory ends with that process, and then it
 * is shown as it was written.
 */
export async function renderApart(content: string): Promise<string> {
  const child = spawn(process.execPath, ['--max-old-space-size=128', program], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: longestMs,
    killSignal: 'SIGKILL',
    // It gets nothing of this process's environment, where secrets are.
    env: {},
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // It may end before it has read all.
  child.stdin.on('error', () => {});
  child.stdin.end(content);
  const [html, code] = await Promise.all([text(child.stdout), ended]);
  return code === 0 ? html : asWritten(content);
}
