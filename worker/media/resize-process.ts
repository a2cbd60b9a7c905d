/** Makes smaller copies of one image: `resize-process.ts INPUT FOLDER WIDTH…` prints which, as JSON. */
import { join } from 'node:path';
import sharp from 'sharp';
import { media } from '../../shared/contract/limits.ts';

const quality = 78;

sharp.cache(false);
sharp.concurrency(1);

const [input = '', folder = '', ...widths] = process.argv.slice(2);
const options = { limitInputPixels: media.mostPixels, failOn: 'error', sequentialRead: true } as const;

// A copy of an animation would be a picture that stands still.
const { pages = 1 } = await sharp(input, options).metadata();
const made = [];
for (const width of pages > 1 ? [] : widths.map(Number)) {
  const path = join(folder, `${width}.webp`);
  await sharp(input, options)
    .autoOrient()
    .resize({ width, withoutEnlargement: true })
    .webp({ quality })
    .toFile(path);
  made.push({ width, path });
}
process.stdout.write(JSON.stringify(made));
