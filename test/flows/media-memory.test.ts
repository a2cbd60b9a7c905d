import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { createCaller } from '../support/http.ts';
import { formOf } from '../support/images.ts';
import { startServerProcess } from '../support/server-process.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: ['write:media'] });

const isLong = process.env.FAULTS === 'long';
const inAll = isLong ? 10_000 : 100;
const atOnce = isLong ? 500 : 50;
const bytes = isLong ? 200_000 : 4_000_000;

/** Maximum memory of the server, in MB. Files that are sent at the same time take 100 to 200 MB together. */
const budget = 320;

test.runIf(process.platform === 'linux')(
  `${inAll} uploads, ${atOnce} at a time, are accepted or told to retry, within ${budget} MB of memory`,
  { timeout: 1_800_000 },
  async () => {
    await using server = await startServerProcess(app.databaseUrl, {
      MEDIA_URL: `file://${app.mediaDir}`,
      RATE_LIMIT_NORMAL: 'off',
      RATE_LIMIT_STORE: 'memory',
    });
    const call = createCaller(server.baseUrl);
    const statuses = new Map<number, number>();
    let next = 0;
    const sender = async () => {
      for (let number = next++; number < inAll; number = next++) {
        const { status } = await call('POST', '/api/v2/media', { key, ...formOf(documentOf(number)) });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
    expect([...statuses.keys()].filter((status) => ![201, 503].includes(status))).toEqual([]);
    expect(statuses.get(201)).toBeGreaterThan(0);
    const peak = await peakMemoryOf(server.pid ?? 0);
    expect(peak, JSON.stringify([...statuses])).toBeLessThan(budget);
  },
);

/** Each upload has different content. */
function documentOf(number: number): Buffer {
  const content = Buffer.alloc(bytes, 'a');
  content.write(`%PDF-1.7\n${number} `);
  return content;
}

/** Returns the peak memory of a process, in MB. */
async function peakMemoryOf(pid: number): Promise<number> {
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}
