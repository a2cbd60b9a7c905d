import type { Command } from 'commander';
import { comparableEmail } from '../../shared/contract/email.ts';
import { passwordResetMinutes } from '../../shared/contract/features/account.ts';
import { InviteStaffMember, invitationDays } from '../../shared/contract/features/people.ts';
import { makeInvitation } from '../accounts/people/invitations.ts';
import { resetFactors } from '../accounts/sessions/factors/store.ts';
import { makeReset } from '../accounts/sessions/passwords.ts';
import { listStaff } from '../accounts/sites/owners.ts';
import { checked, type Operate, type OperatorSession } from './operator-session.ts';
import { siteIdOf, siteOption } from './sites.ts';
import { table } from './table.ts';

export function addPeople(program: Command, operate: Operate) {
  const people = program.command('people').description('owners and staff of sites');

  people
    .command('list')
    .description('list owners and staff with their sites and roles')
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
    .description('invite a person to work on a site; prints the invitation link')
    .option('--role <role>', 'owner, editor, author or support', 'owner')
    .option(...siteOption)
    .action((email: string, { role, site }: { role: string; site?: string }) =>
      operate.change(siteIdOf(site), async (session, siteId) => {
        const { id, token } = await makeInvitation(
          session,
          siteId,
          checked(InviteStaffMember, { email, role }),
        );
        const message = `Invitation link, valid once within ${invitationDays} days:\n${linkTo(session, 'invitation', token)}`;
        return { recordId: id, message };
      }),
    );

  people
    .command('reset-password <email>')
    .description('print a link to choose a new password, for a person who gets no email')
    .action((email: string) =>
      operate.change(siteOf(email), async (session) => {
        const { id } = await findPerson(session, email);
        const link = linkTo(session, 'new-password', await makeReset(session, id));
        return {
          recordId: id,
          message: `Password link, valid once within ${passwordResetMinutes} minutes:\n${link}`,
        };
      }),
    );

  people
    .command('reset-factors <email>')
    .description(
      'remove all second factors of a person who lost them; signs the person out; the password remains valid',
    )
    .action((email: string) =>
      operate.change(siteOf(email), async (session) => {
        const { id } = await findPerson(session, email);
        await resetFactors(session, id);
        const message = `Removed the second factors of ${email}: the password alone is enough to sign in until a new factor is added.`;
        return { recordId: id, message };
      }),
    );
}

/** Creates a link with a token after `#`, which browsers send to no server. */
function linkTo({ publicUrl }: OperatorSession, page: string, token: string): string {
  const path = `/studio/${page}#${token}`;
  return publicUrl ? new URL(path, publicUrl).href : `${path}  (append to the address of your service)`;
}

const siteOf = (email: string) => async (session: OperatorSession) =>
  (await findPerson(session, email)).site_id;

/** Finds a person by email address. Throws if there is none. */
async function findPerson(session: OperatorSession, email: string) {
  const [person] = (await listStaff(session)).filter((each) => each.email === comparableEmail(email));
  if (!person) throw new Error(`No owner or staff member has the email address ${email}.`);
  return person;
}
