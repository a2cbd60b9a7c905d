/**
 * Program that creates smaller renditions of one image: `resize-process.ts INPUT FOLDER WIDTH…`. Prints their widths
 * and paths as JSON.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { media } from '../../shared/contract/limits.ts';
import { faultyInputExit } from '../run-program.ts';

const quality = 78;

sharp.cache(false);
sharp.concurrency(1);

const [input = '', folder = '', ...widths] = process.argv.slice(2);
const options = { limitInputPixels: media.maxPixels, failOn: 'error', sequentialRead: true } as const;

/** Waits for a step of the decoder. A failure counts as the image's fault. */
const decoded = <T>(work: Promise<T>) =>
  work.catch((error: unknown) => {
    console.error(error);
    process.exit(faultyInputExit);
  });

// Animations get no renditions, which would not move.
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
