import type { Actor } from '../../../shared/contract/history.ts';
import { hasDrafts } from '../../../shared/contract/resource.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Context } from '../../kernel/context.ts';
import type { Collection } from './collection.ts';

type Writer = Pick<Context, 'onlyOwn'> & { actor?: Actor | undefined };

/**
 * What somebody may write to who writes nothing but their own drafts, until somebody else has scheduled one. Throws
 * `insufficient_role` for anything else.
 */
export function requireOwnDraft({ onlyOwn, actor }: Writer, record: object) {
  if (!onlyOwn) return;
  const { is_draft, publish_at, created_by } = {
    ...{ is_draft: null, publish_at: null, created_by: null },
    ...record,
  };
  if (is_draft === true && publish_at === null && created_by === actor?.id) return;
  throw new ApiError('insufficient_role', 'your role writes drafts that you created, and nothing else');
}

/** What they create is a draft where nothing else is said, which is refused. */
export const draftOf = ({
  onlyOwn,
  resource,
}: Writer & Pick<Collection, 'resource'>): Record<string, unknown> =>
  onlyOwn && hasDrafts(resource.fields) ? { is_draft: true } : {};
