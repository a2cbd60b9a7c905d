/** A stream that takes chunks, as far as one waits for it. */
interface Sink {
  on(event: 'drain' | 'close', listener: () => void): unknown;
  removeListener(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Resolves when a stream takes more, or never will since it is closed. */
export const drained = (sink: Sink) =>
  new Promise<void>((resolve) => {
    const done = () => {
      sink.removeListener('drain', done);
      sink.removeListener('close', done);
      resolve();
    };
    sink.on('drain', done);
    sink.on('close', done);
  });
