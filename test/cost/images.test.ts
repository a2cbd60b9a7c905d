import { test } from 'vitest';
import { inspect } from '../../server/media/inspect.ts';
import { plans } from '../../shared/contract/plans.ts';
import { openUnnamedFile } from '../../shared/runtime/file-system.ts';
import { expectLinear } from '../support/expect-linear.ts';
import { expensiveImages } from '../support/expensive-images.ts';

// Images that are built to be slow to examine: the time must be linear in their length, whatever dimensions they
// declare.

test.for(expensiveImages)(
  'an image built to be slow to examine takes linear time: %s: %s',
  async ([type, , make]) => {
    await expectLinear({
      make,
      async read(content) {
        await using file = await openUnnamedFile('test');
        await file.writeFile(content);
        await inspect({ descriptor: file.fd, type, size: content.length });
      },
      bound: type === 'image/avif' ? 1024 * 1024 : plans.pro.media.file,
      maxMs: 1_000,
    });
  },
);
