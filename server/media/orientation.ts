/** Exif tag of the orientation. */
const orientationTag = 0x0112;

/** Maximum size of Exif data, in bytes. Usual data has a few hundred. */
export const maxExifBytes = 64 * 1024;

/** Returns the orientation in Exif data, from 1 (unchanged) to 8; 1 if it is missing or the data is invalid. */
export function orientationOf(exif: Buffer): number {
  const tiff = exif.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? exif.subarray(6) : exif;
  const order = tiff.subarray(0, 2).toString('latin1');
  if (tiff.length < 14 || (order !== 'II' && order !== 'MM')) return 1;
  const short = (at: number) => (order === 'II' ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = order === 'II' ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 1;
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > tiff.length) return 1;
    if (short(at) !== orientationTag) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Creates Exif data, without its marker, that contains only the orientation. */
export function exifOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(orientationTag, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** Returns width and height as shown: swapped for the orientations 5 to 8, which turn the image by 90 degrees. */
export const turned = (orientation: number, { width, height }: { width: number; height: number }) =>
  orientation >= 5 ? { width: height, height: width } : { width, height };
