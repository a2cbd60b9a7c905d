import { sql } from 'kysely';
import type { Database } from '../shared/db/config.ts';
import { type Letter, sendLetter } from '../shared/mail/letter.ts';
import type { MailTransport } from '../shared/mail/mailer.ts';

/** What jobs that mail somebody need. */
export interface LetterDeps {
  database: Database;
  mail: MailTransport;
  /** The service's own origin. */
  publicUrl: URL;
}

/** Mails the owners of a site, by its name; nobody where there are none. Rejects when the mail isn't taken. */
export async function mailOwners(deps: LetterDeps, siteId: string, write: (site: string) => Letter) {
  const { rows } = await sql<{ email: string }>`
    select p.email from site_people m join people p on p.id = m.person_id
    where m.site_id = ${siteId} and m.role = 'owner' order by m.created, p.id`.execute(
    deps.database.em.getKysely(),
  );
  const to = rows.map(({ email }) => email);
  if (to.length > 0) await sendLetter(deps, { kind: 'notice', siteId, to }, ({ name }) => write(name));
}

/** A page of the studio with a token, which stands after `#`: what is there, browsers send nobody. */
export const studioLink = (publicUrl: URL, page: string, token: string) =>
  new URL(`/studio/${page}#${token}`, publicUrl).href;
