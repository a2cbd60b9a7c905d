import { z } from 'zod';
import { titled } from '../documented.ts';
import { created, updated } from '../envelopes.ts';
import { apiFields, outputs } from '../fields.ts';
import { RecordId } from '../record-id.ts';
import { GateReason } from '../resources/access-tier.ts';
import { post } from '../resources/post.ts';
import { included } from '../sharing.ts';

const {
  title,
  slug,
  excerpt,
  content,
  tags,
  published_at,
  visibility,
  featured,
  access_tier,
  is_draft: _,
  ...others
} = outputs(apiFields(post.fields));

const shared = {
  id: RecordId,
  title,
  slug,
  excerpt,
  content: content.optional(),
  tags,
  published_at,
  ...others,
  created,
  updated,
  is_gated: z.literal(true).optional().describe('True if `content` is withheld; otherwise absent'),
  gate_reason: GateReason.optional().describe('Reason why `content` is withheld; absent if it is not'),
  ...included,
};

/** Post as `/api/v1` returns it. */
export const PostV1 = titled('Post', { ...shared, visibility, featured });

/** Post as `/api/v2` returns it. */
export const PostV2 = titled('PostV2', { ...shared, access_tier });
