import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { type Area, opens, type Role, rightOf } from '../../../shared/contract/roles.ts';
import { useApi, useOwn, useSession, useSessions } from './api.tsx';
import { isDraft, scheduledFor } from './record-shape.ts';
import type { Values } from './records.ts';

/**
 * Returns the user's role. Until the service has answered, it is the role in the session; without a session,
 * `support`.
 */
export function useRole(): Role {
  const { admin } = useApi();
  const sessions = useSessions();
  const state = useSession();
  const { data } = useQuery({
    queryKey: ['session'],
    queryFn: async ({ signal }) => {
      const { owner, role } = await admin.session.get.query(undefined, { signal });
      sessions.note({ email: owner.email, name: owner.name, role });
      return { role };
    },
    enabled: state.is === 'in',
    staleTime: 60_000,
  });
  return data?.role ?? (state.is === 'out' ? 'support' : state.session.role);
}

export const useMayWrite = (area: Area): boolean => opens(useRole(), area, true);

export const useMayRead = (area: Area): boolean => opens(useRole(), area, false);

const useOwnId = () => useOwn()?.ownerId ?? '';

/**
 * True if a role may create records of a resource. Without drafts, a record is public immediately, so its
 * creation needs the right to publish.
 */
export const mayCreate = (role: Role, { fields }: Pick<Resource, 'fields'>): boolean =>
  opens(role, 'is_draft' in fields ? 'content' : 'publish', true);

/** True for the user's own draft. A scheduled draft does not count, because it is already approved. */
const isOwnDraft = (record: Values, ownId: string) =>
  isDraft(record) && scheduledFor(record) === null && record.created_by === ownId;

/** Returns the rights of the user on records of a resource. The service checks the same rules. */
export function useRights(resource: Pick<Resource, 'fields'>) {
  const [role, ownId] = [useRole(), useOwnId()];
  const mayPublish = opens(role, 'publish', true);
  return {
    mayPublish,
    mayCreate: mayCreate(role, resource),
    mayChange: (record: Values) => mayPublish || (mayCreate(role, resource) && isOwnDraft(record, ownId)),
  };
}

/** Returns a function that checks whether the user may change a file. */
export function useMayChangeFile() {
  const [role, ownId] = [useRole(), useOwnId()];
  return ({ created_by }: { created_by: string | null }) =>
    opens(role, 'media', true) && (rightOf(role, 'media') === 'write' || created_by === ownId);
}
