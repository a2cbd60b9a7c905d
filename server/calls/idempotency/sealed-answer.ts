import { z } from 'zod';
import { Timestamp } from '../../../shared/contract/moments.ts';
import type { SecretBox } from '../../../shared/secret-box.ts';
import type { AnswerNotes } from '../../kernel/context.ts';
import { transformer } from '../../kernel/transformer.ts';
import type { RepeatedRequest } from './stored-answers.ts';

/** What a procedure gave, and what is known of it besides. */
interface Answer extends AnswerNotes {
  output: unknown;
}

/** An answer as it is stored: it can hold a secret that is shown once. */
export const sealAnswer = (secrets: SecretBox, request: RepeatedRequest, answer: Answer): string =>
  secrets.seal(JSON.stringify(transformer.serialize(answer)), ownerOf(request));

/** The answer again, as the procedure gave it. */
export function openAnswer(secrets: SecretBox, request: RepeatedRequest, sealed: string): Answer {
  const answer = transformer.deserialize(JSON.parse(secrets.open(sealed, ownerOf(request))));
  const { output, ...notes } = Sealed.parse(answer);
  return { output: withTimestamps(output), ...notes };
}

const Sealed = z.object({
  output: z.unknown(),
  revision: z.number().optional(),
  status: z.literal(200).optional(),
});

const ownerOf = ({ site_id, credential, key }: RepeatedRequest) =>
  JSON.stringify(['answer', site_id, credential, key]);

/** Moments of answers are `Timestamp`, which REST writes in a form of its own. */
function withTimestamps(value: unknown): unknown {
  if (value instanceof Date) return new Timestamp(value);
  if (Array.isArray(value)) return value.map(withTimestamps);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTimestamps(inner)]));
}
