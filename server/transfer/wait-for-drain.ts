import type { EventEmitter } from 'node:events';

/** Resolves when a stream accepts more chunks, or is closed. Never rejects. */
export const waitForDrain = (sink: Pick<EventEmitter, 'on' | 'removeListener'>) =>
  new Promise<void>((resolve) => {
    const done = () => {
      sink.removeListener('drain', done);
      sink.removeListener('close', done);
      resolve();
    };
    sink.on('drain', done);
    sink.on('close', done);
  });
