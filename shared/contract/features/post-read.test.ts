import { expect, test } from 'vitest';
import { apiFields } from '../fields.ts';
import { keysOf } from '../names-of.ts';
import { post } from '../resources/post.ts';
import { PostV1, PostV2 } from './post-read.ts';

test('reads of a post contain every field except is_draft, most of them in both versions', () => {
  const { is_draft: _, ...readable } = apiFields(post.fields);
  const names = keysOf(readable);
  const lacks = (shape: object) => names.filter((name) => !(name in shape)).sort();
  expect({ v1: lacks(PostV1.shape), v2: lacks(PostV2.shape) }).toEqual({
    v1: ['access_tier'],
    v2: ['featured', 'visibility'],
  });
});
