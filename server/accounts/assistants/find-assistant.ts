import { sql } from 'kysely';
import { usableScopes } from '../../../shared/contract/features/assistants.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { assistantMarkers, isToken } from '../../api/access/credentials.ts';
import { hostAdmits, hostNames } from '../../api/access/site-of-host.ts';
import { ApiError } from '../../api/api-error.ts';
import type { AssistantFinder, SiteKey, VisitedSite } from '../../api/callers.ts';
import type { Infrastructure } from '../../api/deps.ts';
import { issuerAt } from './addresses.ts';

type Row = Pick<SiteKey, 'id' | 'name' | 'site_id' | 'scopes' | 'plan' | 'mcp_enabled' | 'last_used_at'> &
  Omit<NonNullable<SiteKey['consent']>, 'given'> &
  Pick<VisitedSite, 'custom_domain' | 'subdomain'> & { issuer: string };

const ended = () =>
  new ApiError('unauthorized', 'the access token has expired, was revoked, or belongs to another resource');

/**
 * Creates a finder of assistants by access token, with the scopes that the person who connected it may grant now. The
 * finder throws `unauthorized` if the token is unknown, expired or revoked, or belongs to another address.
 */
export const createAssistantFinder =
  ({ database, clock, config }: Infrastructure): AssistantFinder =>
  async (token, { host, authority = host }) => {
    if (!isToken(assistantMarkers.access, token)) throw ended();
    const now = clock.now();
    const { rows } = await sql<Row>`${preparedStatement}
    select g.id, g.client_name as name, g.site_id, g.scopes, g.issuer, g.last_used_at, s.plan, s.mcp_enabled,
      s.custom_domain, s.subdomain, m.role, p.id as person_id, p.name as person_name
    from oauth_tokens t
    join oauth_grants g on g.site_id = t.site_id and g.id = t.grant_id
    join site_people m on m.site_id = g.site_id and m.person_id = g.person_id
    join people p on p.id = m.person_id
    join sites s on s.id = g.site_id
    where t.token_hash = ${hashSecret(token)} and t.kind = 'access' and t.expires_at > ${now}
      and (g.ends_at is null or g.ends_at > ${now})
      and ${hostAdmits(hostNames(host, config), sql.ref('g.site_id'))}`.execute(database.em.getKysely());
    const [row] = rows;
    if (!row || row.issuer !== issuerAt(config, authority, row)) throw ended();
    database.quotas.recent.note(row.site_id);
    const { id, name, site_id, plan, mcp_enabled, last_used_at, person_id, person_name, role } = row;
    return {
      ...{ kind: 'key', id, name, site_id, plan, mcp_enabled, last_used_at },
      // Identifies the assistant in log lines, because its tokens change every hour.
      key_prefix: id,
      scopes: usableScopes(row.scopes, role),
      ...{ allowed_origins: [], active: true, expiry: null, collectionState: null },
      consent: { person_id, person_name, role, given: row.scopes },
    };
  };
