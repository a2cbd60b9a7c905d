import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { pictureElement } from '../../test/support/images.ts';

/** Program that receives its standard input in one piece. */
const receiving = `
  const { Readable } = await import('node:stream');
  const { buffer } = await import('node:stream/consumers');
  const { receive } = await import('${new URL('./receive-upload.ts', import.meta.url)}');
  const content = Readable.from([await buffer(process.stdin)]);
  const wait = { stalledMs: 30_000, maxMs: 60_000, minBytesPerSecond: 1 };
  const told = await receive({ name: 'a.png', content, ended: async () => {} }, { maxBytes: 1e6, wait }, async ({ size }) => size)
    .catch(({ code }) => code);
  console.log(told);
`;

/** Returns the outcome of an upload in a process with a limit on file size, in blocks. */
function receiveWithin(blocks: string, upload: Buffer): Promise<string> {
  const limited = `ulimit -f ${blocks}; exec "$0" --input-type=module --eval "$1"`;
  return new Promise((resolve, reject) => {
    const child = execFile('/bin/sh', ['-c', limited, process.execPath, receiving], (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim()),
    );
    child.stdin?.end(upload);
  });
}

test.skipIf(process.platform !== 'linux')(
  'a disk that writes only a part of the last chunk fails the upload',
  async () => {
    const upload = Buffer.concat([await pictureElement('png'), Buffer.alloc(12_000)]);
    expect(await receiveWithin('unlimited', upload)).toBe(`${upload.length}`);
    expect(await receiveWithin('8', upload)).toBe('EFBIG');
  },
);
