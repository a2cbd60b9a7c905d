/** What a thread runs: it does one job after the other, and says when each begins and how it ended. */
import { parentPort } from 'node:worker_threads';
import { openingJob, openingParagraphsJob, renderJob } from '../features/bodies/jobs.ts';
import { opening, openingParagraphs } from '../features/bodies/opening.ts';
import { renderBody } from '../features/bodies/render.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Job } from '../kernel/offload.ts';
import type { Reply, Request } from './messages.ts';

type Work = (input: unknown) => unknown;

const works = new Map<string, Work>();

function does<Input, Output>({ name }: Job<Input, Output>, work: (input: Input) => Output | Promise<Output>) {
  // Whoever asks for the job gives what its types say.
  works.set(name, work as Work);
}

does(renderJob, renderBody);
does(openingJob, opening);
does(openingParagraphsJob, openingParagraphs);

const say = (reply: Reply) => parentPort?.postMessage(reply);

parentPort?.on('message', async ({ name, input }: Request) => {
  const { user, system } = process.threadCpuUsage();
  say({ kind: 'begun', cpu: user + system });
  try {
    say({ kind: 'done', output: await works.get(name)?.(input) });
  } catch (error) {
    if (error instanceof ApiError) say({ kind: 'refused', code: error.errorCode, message: error.message });
    else say({ kind: 'failed', error });
  }
});
