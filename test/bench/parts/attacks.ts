import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { startAttackedServer } from '../../support/attacks/attacked-server.ts';
import { attacks as table } from '../../support/attacks/attacks.ts';
import { createOthers } from '../../support/attacks/other-readers.ts';
import type { Part } from '../bench.ts';
import { nextMessage, startProcess } from '../processes.ts';
import { millis } from '../report.ts';
import { openOperator } from '../site.ts';
import { quantile } from '../statistics.ts';

const max = { moreMs: 250, megabytes: 400 } as const;

/** Read latency of one site while another site, or its visitors, do expensive work. */
export const attacks: Part = async (bench) => {
  const databaseUrl = await bench.createDatabase('bench_attacks');
  await using operator = await openOperator(databaseUrl);
  const others = await createOthers(operator, 5_000);
  await using stack = new AsyncDisposableStack();
  const mediaDir = await mkdtemp(path.join(tmpdir(), 'creator-content-media-'));
  stack.defer(() => rm(mediaDir, { recursive: true }));
  const server = stack.use(
    await startAttackedServer(databaseUrl, {
      MEDIA_URL: `file://${mediaDir}`,
      WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    }),
  );
  const env = { URL: server.baseUrl, KEY: others.key, POSTS: `${others.posts}` };
  await using reader = startProcess(new URL('../processes/page-reader.ts', import.meta.url), env);
  await nextMessage(reader.child);
  const maxMs = Math.min(bench.seconds, 5) * 1_000;
  const p99 = async (over: AbortSignal) => {
    reader.child.send('begin');
    if (!over.aborted)
      await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
    reader.child.send('end');
    return quantile(z.array(z.number()).parse(await nextMessage(reader.child)), 0.99);
  };
  const rows: Awaited<ReturnType<Part>> = [];
  for (const attack of table) {
    // Measured before each attack, because other work of the machine changes.
    const aloneMs = await p99(AbortSignal.timeout(maxMs / 2));
    let ms = Number.NaN;
    const read = async (over: AbortSignal) => {
      ms = await p99(over);
    };
    const { turnMs, megabytes } = await server.suffer(attack, {
      ...{ deps: operator, maxMs, isRepeated: true, read },
    });
    rows.push({
      work: `reads of others during ${attack.name}, p99; most memory`,
      target: `<= ${max.moreMs} ms more; <= ${max.megabytes} MB`,
      result: `${millis(ms)} (${millis(aloneMs)} alone); ${Math.round(megabytes)} MB; CPU of a turn ${millis(turnMs)}`,
      met: ms <= aloneMs + max.moreMs && megabytes <= max.megabytes,
      values: { ms, aloneMs, megabytes, turnMs },
    });
  }
  return rows;
};
