import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../shared/contract/resource.ts';
import { type Area, opens, type Role, rightOf } from '../../../shared/contract/roles.ts';
import { useApi, useOwn, useSession, useSessions } from './api.tsx';
import type { Values } from './records.ts';
import { isDraft, scheduledFor } from './shape.ts';

/** What somebody may do on the site: as they signed in, until the service says otherwise. */
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

/** Whether they may change what is in an area. */
export const useMayWrite = (area: Area): boolean => opens(useRole(), area, true);

const useOwnId = () => useOwn()?.ownerId ?? '';

/** Whether a role makes records of a kind: those that can't be drafts are public at once. */
export const mayCreate = (role: Role, { fields }: Pick<Resource, 'fields'>): boolean =>
  opens(role, 'is_draft' in fields ? 'content' : 'publish', true);

/** What somebody else has scheduled is no longer theirs alone. */
const isOwnDraft = (record: Values, ownId: string) =>
  isDraft(record) && scheduledFor(record) === null && record.created_by === ownId;

/** What they may do with records of a kind. The service has the same rules, and the last word. */
export function useRights(resource: Pick<Resource, 'fields'>) {
  const [role, ownId] = [useRole(), useOwnId()];
  const mayPublish = opens(role, 'publish', true);
  return {
    mayPublish,
    mayCreate: mayCreate(role, resource),
    mayChange: (record: Values) => mayPublish || (mayCreate(role, resource) && isOwnDraft(record, ownId)),
  };
}

/** Whether they may change a file. */
export function useMayChangeFile() {
  const [role, ownId] = [useRole(), useOwnId()];
  return ({ created_by }: { created_by: string | null }) =>
    opens(role, 'media', true) && (rightOf(role, 'media') === 'write' || created_by === ownId);
}
