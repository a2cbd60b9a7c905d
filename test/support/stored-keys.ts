import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { storeIdKey } from '../../shared/media/identity.ts';

/** Returns all files below a directory, except the marker of a media store. Paths have slashes and are sorted. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
    .map((path) => relative(directory, path).split(sep).join('/'))
    .filter((path) => path !== storeIdKey)
    .toSorted();
}

/** Returns all keys of a bucket, except the marker, sorted. They must fit into one answer. */
export async function keysOfBucket(bucketUrl: string): Promise<string[]> {
  const { origin, pathname } = new URL(bucketUrl);
  const client = new AwsClient({ accessKeyId: 'key', secretAccessKey: 'se/cret', service: 's3' });
  const answer = await client.fetch(`${origin}${pathname}?list-type=2`);
  return [...(await answer.text()).matchAll(/<Key>(.*?)<\/Key>/g)]
    .map(([, key = '']) => key)
    .filter((key) => key !== storeIdKey)
    .toSorted();
}
