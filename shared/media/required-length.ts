import { Transform } from 'node:stream';

/** Passes on exactly `bytes`; fails as soon as there is more, and at the end when there was less. */
export function requireLength(bytes: number): Transform {
  let seen = 0;
  const wrong = () => new Error(`the content has another length than the ${bytes} bytes that were announced`);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen > bytes) done(wrong());
      else done(null, chunk);
    },
    flush: (done) => done(seen === bytes ? null : wrong()),
  });
}
