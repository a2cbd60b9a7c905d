/** Part of a writable stream that reports when it accepts more. */
interface Sink {
  on(event: 'drain' | 'close', listener: () => void): unknown;
  removeListener(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Resolves when a stream accepts more chunks, or is closed. Never rejects. */
export const waitForDrain = (sink: Sink) =>
  new Promise<void>((resolve) => {
    const done = () => {
      sink.removeListener('drain', done);
      sink.removeListener('close', done);
      resolve();
    };
    sink.on('drain', done);
    sink.on('close', done);
  });
