/** Makes smaller copies of one image: `resize-process.ts INPUT FOLDER WIDTH…` prints which, as JSON. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { media } from '../../shared/contract/limits.ts';
import { faultyInputExit } from '../run-apart.ts';

const quality = 78;

sharp.cache(false);
sharp.concurrency(1);

const [input = '', folder = '', ...widths] = process.argv.slice(2);
const options = { limitInputPixels: media.mostPixels, failOn: 'error', sequentialRead: true } as const;

/** What fails in it is the image's fault. */
const decoded = <T>(work: Promise<T>) =>
  work.catch((error: unknown) => {
    console.error(error);
    process.exit(faultyInputExit);
  });

// A copy of an animation would be a picture that stands still.
const { pages = 1 } = await decoded(sharp(input, options).metadata());
const made = [];
for (const width of pages > 1 ? [] : widths.map(Number)) {
  const path = join(folder, `${width}.webp`);
  const copy = sharp(input, options)
    .autoOrient()
    .resize({ width, withoutEnlargement: true })
    .webp({ quality });
  await writeFile(path, await decoded(copy.toBuffer()));
  made.push({ width, path });
}
process.stdout.write(JSON.stringify(made));
