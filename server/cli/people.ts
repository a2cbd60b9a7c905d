import type { Command } from 'commander';
import { comparableEmail } from '../../shared/contract/email.ts';
import { passwordResetMinutes } from '../../shared/contract/features/account.ts';
import { InviteStaffMember, invitationDays } from '../../shared/contract/features/people.ts';
import { makeInvitation } from '../features/people/invitations.ts';
import { resetFactors } from '../features/sessions/factors/store.ts';
import { makeReset } from '../features/sessions/passwords.ts';
import { listStaff } from '../features/sites/owners.ts';
import { checked, type Operate, type OperatorSession } from './operate.ts';
import { siteIdOf, siteOption } from './sites.ts';
import { table } from './table.ts';

/** `pnpm ops people`. */
export function addPeople(program: Command, operate: Operate) {
  const people = program.command('people').description('who works on sites, whatever their role');

  people
    .command('list')
    .description('list who works on which site, and as what')
    .action(() =>
      operate.run(async (session) => {
        const staff = await listStaff(session);
        console.log(
          table(
            staff.map(({ email, name, role, site_id, created }) => ({ email, name, role, site_id, created })),
          ),
        );
      }),
    );

  people
    .command('create <email>')
    .description('let somebody work on a site: shows the link by which they accept')
    .option('--role <role>', 'owner, editor, author or support', 'owner')
    .option(...siteOption)
    .action((email: string, { role, site }: { role: string; site?: string }) =>
      operate.change(siteIdOf(site), async (session, siteId) => {
        const { id, token } = await makeInvitation(
          session,
          siteId,
          checked(InviteStaffMember, { email, role }),
        );
        const message = `Works once, within ${invitationDays} days:\n${linkTo(session, 'invitation', token)}`;
        return { recordId: id, message };
      }),
    );

  people
    .command('reset-password <email>')
    .description('show a link by which somebody chooses a new password, where no mail reaches them')
    .action((email: string) =>
      operate.change(siteOf(email), async (session) => {
        const { id } = await findPerson(session, email);
        const link = linkTo(session, 'new-password', await makeReset(session, id));
        return { recordId: id, message: `Works once, within ${passwordResetMinutes} minutes:\n${link}` };
      }),
    );

  people
    .command('reset-factors <email>')
    .description(
      'take away the second factors of somebody who has lost them: they are signed out, and their password is enough',
    )
    .action((email: string) =>
      operate.change(siteOf(email), async (session) => {
        const { id } = await findPerson(session, email);
        await resetFactors(session, id);
        const message = `${email} signs in with the password alone, until they add a factor.`;
        return { recordId: id, message };
      }),
    );
}

/** Browsers send nobody what stands after `#`. */
function linkTo({ publicUrl }: OperatorSession, page: string, token: string): string {
  const path = `/studio/${page}#${token}`;
  return publicUrl ? new URL(path, publicUrl).href : `${path}  (at the address of your service)`;
}

/** The first site of whoever has this address. */
const siteOf = (email: string) => async (session: OperatorSession) =>
  (await findPerson(session, email)).site_id;

/** Throws for an address that nobody has. */
async function findPerson(session: OperatorSession, email: string) {
  const [person] = (await listStaff(session)).filter((each) => each.email === comparableEmail(email));
  if (!person) throw new Error(`nobody has the e-mail address ${email}`);
  return person;
}
