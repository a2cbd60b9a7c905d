import sharp from 'sharp';

type Format = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif';

/** Creates an image in one color, with metadata of a camera. */
export async function pictureElement(
  format: Format,
  {
    width = 60,
    height = 40,
    orientation = 1,
  }: { width?: number; height?: number; orientation?: number } = {},
): Promise<Buffer> {
  const plain = sharp({ create: { width, height, channels: 3, background: '#3a7' } });
  return plain
    .withExif({
      IFD0: { Artist: secretNote, Copyright: secretNote },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withMetadata({ orientation })
    .toFormat(format)
    .toBuffer();
}

/** Text in the camera's metadata, which no one else may read. */
export const secretNote = 'Ada at home';

/** Image of one pixel. */
export const smallestImage = Buffer.from(
  'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
  'base64',
);

/** Returns the body of a form with one file, and its header. */
export function formOf(
  content: Buffer,
  { name = 'a picture.jpg', field = 'file', type = 'image/jpeg' } = {},
) {
  const boundary = 'a-boundary-that-no-file-has';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}
